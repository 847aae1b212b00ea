import { listOf, matching } from './fields.ts';
import { isLoopback } from './loopback.ts';
import { forbiddenHost } from './outgoing-host.ts';

/** What the addresses of tickets and calendars have in common: one GET to a system of somebody else. */

export function headerName() {
  return matching(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'must be the name of an HTTP header');
}

/** `10.1.0.0/16` or `fd12::/64`. */
const network = matching(
  /^(?:(?:\d{1,3}\.){3}\d{1,3}\/(?:\d|[12]\d|3[0-2])|[0-9a-f:]{2,39}\/(?:\d|[1-9]\d|1[01]\d|12[0-8]))$/,
  'must be a network, like 10.1.0.0/16',
);

export function internalNetworks() {
  return listOf(network, 'must be a list of networks')
    .default([])
    .describe(
      'Private networks, like 10.1.0.0/16, in which the address may be. Others, and those of metadata services, are never called.',
    );
}

/** https, or http to this very machine, without user, password and fragment. */
export function isCallable(url: URL): boolean {
  if (url.username !== '' || url.password !== '' || url.href.includes('#')) return false;
  if (forbiddenHost(url.hostname) !== undefined) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}
