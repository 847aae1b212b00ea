import { type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Ticket } from '../../core/configuration/ticket.ts';
import type { TicketAnswer } from '../../core/gates/evidence.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Tickets } from '../../ports/tickets.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { mayBeCalled } from '../messengers/may-be-called.ts';
import { forbiddenAddress } from './forbidden-address.ts';
import { valueAt } from './value-at.ts';

/** Bytes of an answer. */
const bodyAtMostBytes = 256 * 1024;
/** Answers kept. A thousand clusters with twenty pools are more than one process sees in the time that they count. */
const cachedAtMost = 1000;

export interface TicketServiceOptions {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** All addresses of a host; default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
}

/** Tickets by HTTP: one GET each, no redirect, no retry, a time limit over all of it. The name of the host is resolved
 *  once, and the connection is made to the address that was judged: what the name means a moment later does not matter.
 *  Answers are kept in this process for as long as the configuration lets them count, failures too. */
export function ticketService(options: TicketServiceOptions): Tickets {
  const answers = new Map<string, { readonly until: number; readonly answer: Promise<TicketAnswer> }>();
  return {
    ask(ticket, url) {
      const key = JSON.stringify([ticket, url]);
      const now = options.clock().getTime();
      const known = answers.get(key);
      if (known !== undefined && known.until > now) return known.answer;
      const answer = read(ticket, url, options);
      // Whoever asked gets the failure; here it only must not end the process.
      answer.catch(() => undefined);
      answers.delete(key);
      answers.set(key, { until: now + ticket.cacheSeconds * 1000, answer });
      for (const oldest of answers.keys()) {
        if (answers.size <= cachedAtMost) break;
        answers.delete(oldest);
      }
      return answer;
    },
  };
}

async function read(ticket: Ticket, address: string, options: TicketServiceOptions): Promise<TicketAnswer> {
  const url = new URL(address);
  if (!mayBeCalled(address)) throw new Transient('its address may not be called');
  const signal = options.deadline(ticket.timeoutSeconds * 1000);
  const secret = ticket.headerSecret === undefined ? undefined : (await options.secrets.read(ticket.headerSecret))[0];
  if (ticket.headerSecret !== undefined && secret === undefined)
    throw new Transient(`${url.host} was not asked: the secret is not set`);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) requireAllowed([{ address: literal }], ticket);
  const headers = {
    accept: 'application/json',
    'user-agent': 'poolkeeper',
    ...(secret === undefined ? {} : { [ticket.header]: secret.trim() }),
  };
  try {
    const { status, body } = await get(url, { headers, signal, agent: false, lookup: judgedLookup(ticket, options) });
    return { status, value: ticket.path === undefined ? undefined : valueAt(body, ticket.path) };
  } catch (cause) {
    if (cause instanceof Transient) throw cause;
    throw new Transient(`${url.host} did not answer: ${codeOf(cause)}`, { kind: 'unreachable' });
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function get(url: URL, options: https.RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const asking = request(url, { ...options, method: 'GET' }, (answer) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.byteLength;
        parts.push(part);
        if (bytes > bodyAtMostBytes) answer.destroy(new Transient(`${url.host} answered more than 256 KiB`));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') }));
      answer.on('error', reject);
      answer.on('close', () => reject(new Transient(`${url.host} broke off its answer`)));
    });
    asking.on('error', reject);
    asking.end();
  });
}

/** Resolves for the connection itself, and lets it be made to allowed addresses only. */
function judgedLookup(ticket: Ticket, { resolve = resolveAll }: TicketServiceOptions): LookupFunction {
  return (host, { all }, done) => {
    resolve(host)
      .then((found) => {
        const allowed = requireAllowed(found, ticket);
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
  { internalNetworks }: Ticket,
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
