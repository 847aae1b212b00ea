import { type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Deadline } from '../../ports/time.ts';
import { mayBeCalled } from '../messengers/may-be-called.ts';
import { forbiddenAddress } from './forbidden-address.ts';

export interface GuardedGetOptions {
  readonly secrets: Secrets;
  readonly deadline: Deadline;
  /** All addresses of a host; default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
}

/** How the configuration wants a system of somebody else to be asked. */
export interface CalledSystem {
  readonly header: string;
  readonly headerSecret?: string | undefined;
  readonly timeoutSeconds: number;
  readonly internalNetworks: readonly string[];
}

export interface GuardedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: string | undefined;
  readonly bodyAtMostBytes: number;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** One GET. Throws Transient. */
export async function guardedGet(
  system: CalledSystem,
  request: GuardedRequest,
  options: GuardedGetOptions,
): Promise<GuardedAnswer> {
  return guardedRequest('GET', system, request, options);
}

/** One request to an address that whoever writes the configuration chose: no redirect, no retry, a time limit over all
 *  of it, a bound on the body. The name of the host is resolved once, and the connection is made to the address that
 *  was judged: what the name means a moment later does not matter. Throws Transient without the address itself. */
export async function guardedRequest(
  method: 'GET' | 'POST',
  system: CalledSystem,
  request: GuardedRequest,
  options: GuardedGetOptions,
): Promise<GuardedAnswer> {
  const url = new URL(request.url);
  if (!mayBeCalled(request.url)) throw new Transient('its address may not be called');
  const signal = options.deadline(system.timeoutSeconds * 1000);
  const secret = system.headerSecret === undefined ? undefined : (await options.secrets.read(system.headerSecret))[0];
  if (system.headerSecret !== undefined && secret === undefined)
    throw new Transient(`${url.host} was not asked: the secret is not set`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) requireAllowed([{ address: literal }], system);
  const headers = {
    ...request.headers,
    'user-agent': 'poolkeeper',
    ...(secret === undefined ? {} : { [system.header]: secret.trim() }),
  };
  const { body = '', bodyAtMostBytes } = request;
  try {
    const sent = { method, headers, signal, agent: false, lookup: judgedLookup(system, options) };
    return await send(url, sent, { body, bodyAtMostBytes });
  } catch (cause) {
    if (cause instanceof Transient) throw cause;
    throw new Transient(`${url.host} did not answer: ${codeOf(cause)}`, { kind: 'unreachable' });
  }
}

function send(
  url: URL,
  options: https.RequestOptions,
  { body, bodyAtMostBytes }: { readonly body: string; readonly bodyAtMostBytes: number },
): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const asking = request(url, options, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.byteLength;
        if (bytes > bodyAtMostBytes)
          answer.destroy(new Transient(`${url.host} answered more than ${bodyAtMostBytes / 1024} KiB`));
        else parts.push(part);
      });
      answer.on('end', () => resolve({ status, headers, body: Buffer.concat(parts).toString('utf8') }));
      answer.on('error', reject);
      answer.on('close', () => reject(new Transient(`${url.host} broke off its answer`, { kind: 'unreachable' })));
    });
    asking.on('error', reject);
    asking.end(body === '' ? undefined : body);
  });
}

/** Resolves for the connection itself, and lets it be made to allowed addresses only. */
function judgedLookup(system: CalledSystem, { resolve = resolveAll }: GuardedGetOptions): LookupFunction {
  return (host, { all }, done) => {
    resolve(host)
      .then((found) => {
        const allowed = requireAllowed(found, system);
        const [first] = allowed;
        if (all === true) done(null, [...allowed]);
        else if (first !== undefined) done(null, first.address, first.family);
      })
      .catch((cause: unknown) => done(cause instanceof Error ? cause : new Error('no address'), ''));
  };
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true, verbatim: true }, (cause, found) => (cause === null ? resolve(found) : reject(cause)));
  });
}

/** Throws Transient unless every address may be called: a name that has both kinds is no accident. The address itself
 *  is not told. */
function requireAllowed<Found extends { readonly address: string }>(
  found: readonly Found[],
  { internalNetworks }: CalledSystem,
): readonly Found[] {
  const why = found
    .map(({ address }) => forbiddenAddress(address, internalNetworks))
    .find((each) => each !== undefined);
  if (why !== undefined) throw new Transient(`its address ${why}`);
  if (found.length === 0) throw new Transient('its host has no address');
  return found;
}

/** Only the code: messages of TLS and DNS errors contain addresses and certificates. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown failure';
  if (cause.name === 'TimeoutError' || cause.name === 'AbortError') return 'no answer in time';
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  if (inner instanceof Error) return codeOf(inner);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
