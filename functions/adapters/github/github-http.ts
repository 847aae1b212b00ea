import * as z from 'zod';
import { Misconfigured, Transient } from '../../core/text/errors.ts';

/** Headers of every request to GitHub's REST API. */
export function githubHeaders(authorization: string): Readonly<Record<string, string>> {
  return {
    accept: 'application/vnd.github+json',
    authorization,
    'user-agent': 'poolkeeper',
    'x-github-api-version': '2022-11-28',
  };
}

export interface PlainRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** An id of GitHub's, as text: it has 64 bits, and those of webhook deliveries do not fit into a number any more. It is
 *  read from JSON by `parseExact`. Source: octokit/request.js#797. */
export const githubId = z.union([z.int().min(0), z.string().regex(/^\d{1,20}$/)]).transform(String);

/** JSON whose whole numbers are read without rounding: as text where a number cannot hold them. Undefined: it is no
 *  JSON. */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text, exactly);
  } catch {
    return undefined;
  }
}

/** `source`: the digits as they stand in the JSON. Source: ECMAScript, "JSON.parse source text access". */
function exactly(_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isRounded ? source : value;
}

/** One request, made once; no redirect is followed, it would carry the token along. Throws Transient if there is no
 *  answer. */
export async function plainFetch(
  url: string,
  { method = 'GET', headers, body, signal }: PlainRequest,
): Promise<Response> {
  return fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    redirect: 'manual',
  }).catch((cause: unknown) => {
    throw new Transient('GitHub could not be reached', { kind: 'unreachable', cause });
  });
}

/** A repository that was renamed or moved. */
export function isMoved({ status }: Response): boolean {
  return [301, 302, 307, 308].includes(status);
}

/** Only to the same host: the token is sent along. */
export function movedTo({ headers }: Response, from: string): string {
  const to = URL.parse(headers.get('location') ?? '', from);
  if (to === null || to.origin !== new URL(from).origin) throw new Transient('GitHub redirects to another host');
  return to.href;
}

/** Bytes of a body in which GitHub may say that it limits us. */
const limitSaidWithin = 64 * 1024;
/** Seconds. GitHub: "wait for at least one minute". */
export const unsaidWait = 60;
/** Seconds: what GitHub counts by. A longer wait is a mistake. */
export const waitAtMost = 3600;

/** Seconds to wait if GitHub limits us; undefined if it does not. Source: GitHub REST API, "Rate limits for the REST
 *  API": 403 or 429, with `retry-after`, or with nothing remaining until `x-ratelimit-reset`, or with a message alone
 *  (hub4j/github-api#2009), which then has to be read. */
async function limitedSeconds(response: Response): Promise<number | undefined> {
  const { status, headers } = response;
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(after)) return Math.max(after, 1);
  if (headers.get('x-ratelimit-remaining') === '0') return secondsToReset(headers) ?? unsaidWait;
  return status === 429 || headers.has('retry-after') || (await saysLimit(response)) ? unsaidWait : undefined;
}

/** By GitHub's own clock: ours may be wrong. */
export function secondsToReset(headers: Headers): number | undefined {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  const now = Date.parse(headers.get('date') ?? '');
  return Number.isFinite(reset) && Number.isFinite(now) ? Math.max(reset - now / 1000, 1) : undefined;
}

/** Whether it is GitHub's "You have exceeded a secondary rate limit"; no repository or branch has these words in its
 *  name. */
async function saysLimit(response: Response): Promise<boolean> {
  const said = await textWithin(response, limitSaidWithin).catch((cause: unknown) => {
    throw new Transient('GitHub broke off its refusal', { kind: 'unreachable', cause });
  });
  return said !== undefined && /\bsecondary rate limit\b/i.test(said);
}

export interface Refused {
  readonly response: Response;
  /** What was requested, for people. */
  readonly what: string;
  /** What to check if it is refused permanently. */
  readonly question: string;
}

/** Meaning of a refusal: Transient, of kind `busy` if GitHub limits us, or Misconfigured. Never with the body: it may
 *  repeat what was sent. */
export async function githubRefusal({ response, what, question }: Refused): Promise<Transient | Misconfigured> {
  const { status } = response;
  const seconds = await limitedSeconds(response);
  await response.body?.cancel();
  if (seconds !== undefined) {
    const retryAfterSeconds = Math.min(seconds, waitAtMost);
    return new Transient(`GitHub limits our requests (${what})`, { kind: 'busy', retryAfterSeconds });
  }
  if (status >= 500) return new Transient(`GitHub answered ${status} (${what})`, { kind: 'unreachable' });
  return new Misconfigured([`GitHub answered ${status} (${what}): ${question}`]);
}

/** A body as text, read no further than `atMost` bytes; undefined if it is longer. */
export async function textWithin(response: Response, atMost: number): Promise<string | undefined> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size > atMost) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
