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

/** Seconds to wait if GitHub limits us; undefined if it does not. Source: GitHub REST API, "Rate limits": 403 or 429,
 *  with `retry-after` or with nothing remaining; without either at least a minute. */
export function limitedSeconds({ status, headers }: Response, now: Date): number | undefined {
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const isLimited = status === 429 || (status === 403 && (Number.isFinite(after) || isUsedUp));
  if (!isLimited) return undefined;
  if (Number.isFinite(after)) return Math.max(after, 1);
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN);
  return isUsedUp && Number.isFinite(reset) ? Math.max(reset - now.getTime() / 1000, 1) : 60;
}

export interface Refused {
  readonly response: Response;
  /** What was requested, for people. */
  readonly what: string;
  /** What to check if it is refused permanently. */
  readonly question: string;
  readonly now: Date;
}

/** Meaning of a refusal. Never with the body: it may repeat what was sent. */
export async function githubRefusal({ response, what, question, now }: Refused): Promise<Transient | Misconfigured> {
  await response.body?.cancel();
  const { status } = response;
  const retryAfterSeconds = limitedSeconds(response, now);
  if (retryAfterSeconds !== undefined)
    return new Transient(`GitHub limits our requests (${what})`, { kind: 'busy', retryAfterSeconds });
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
