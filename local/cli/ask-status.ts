import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import type { Surroundings } from './command.ts';

/** Milliseconds until the answer. 90 days of a large fleet are several thousand rows. */
const timeoutMs = 30_000;

/** The HTTP answer of `/status`. */
export interface StatusAnswer {
  readonly status: number;
  /** Undefined: not JSON. */
  readonly body: unknown;
}

/** Reads the status of a running Poolkeeper, with its token if one is set. Throws Misconfigured if the token is
 *  missing, refused or would be sent unencrypted; Transient if nothing answers.
 *  @param url address of Poolkeeper without a trailing slash */
export async function askStatus(
  url: string,
  { environment }: Pick<Surroundings, 'environment'>,
  query = '',
): Promise<StatusAnswer> {
  const token = environment['POOLKEEPER_STATUS_TOKEN']?.split(',')[0];
  if (token !== undefined && !isPrivate(new URL(url)))
    throw new Misconfigured([`--url ${url}: the token is sent over https:// only`]);
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const request = { headers, signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' } as const;
  const answer = await fetch(`${url}/status${query}`, request).catch((cause: unknown) => {
    throw noAnswer(url, cause);
  });
  if (answer.status === 401) throw new Misconfigured([`${url}/status needs its token: set POOLKEEPER_STATUS_TOKEN`]);
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
}

/** What an answer means that is no status: an address of something else, or a Poolkeeper that fails. */
export function noStatus(url: string, status: number): Misconfigured | Transient {
  if (status >= 500 && status !== 503) return new Transient(`${url}/status answered ${status}`);
  return new Misconfigured([`${url}/status is not the status of a Poolkeeper of this version`]);
}

/** What a person reads who has the wrong address, or has started nothing. */
export function noAnswer(url: string, cause: unknown): Transient {
  const asked = 'is it the right address (--url, POOLKEEPER_URL)?';
  return new Transient(`${url} does not answer; ${asked}`, { kind: 'unreachable', cause });
}

/** Whether nobody else can read what is sent there: encrypted, or on loopback. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:127\.[\d.]+|localhost|\[::1\])$/.test(hostname);
}
