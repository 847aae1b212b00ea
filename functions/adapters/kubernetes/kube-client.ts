import type { HttpMethod } from '@kubernetes/client-node/dist/gen/http/http.js';
import { ServerConfiguration } from '@kubernetes/client-node/dist/gen/servers.js';
import { Transient } from '../../core/text/errors.ts';
import { withoutTrailing } from '../../core/text/trailing.ts';
import type { YieldToEventLoop } from '../../ports/time.ts';
import { acceptOf, type Form } from './accept.ts';
import { AnswerTooLarge, answerOf, type RawAnswer } from './answer.ts';
import { type ConnectionsOptions, openConnections } from './connections.ts';
import { isAbsence, refusal } from './refusal.ts';
import { transportOver } from './transport.ts';
import { unreachable } from './unreachable.ts';

/** Returns the bearer token. `refused`: the token that the API server has just answered with 401, so another one is
 *  needed. An empty token sends no Authorization header (client certificates). */
export type TokenSource = (refused?: string) => Promise<string>;

export interface KubeClientOptions extends ConnectionsOptions {
  readonly token: TokenSource;
  readonly userAgent: string;
  /** Milliseconds for a whole call with its body, default 10 s: a third of the time of a pass. */
  readonly callTimeoutMs?: number | undefined;
  /** Largest answer that is read. Bytes after decompression, default 10 MiB: the metadata of 500 nodes is 1 to 3. */
  readonly limitBytes?: number | undefined;
  readonly yieldToEventLoop: YieldToEventLoop;
}

export type Query = Readonly<Record<string, string>>;

export interface ListOptions {
  readonly query?: Query;
  /** Objects per page. A quarter where a page exceeds the byte limit, again and again, and twice as many where some
   *  have not: a few large objects do not make thousands of pages of all others. */
  readonly pageSize: number;
  /** Default `object`. */
  readonly form?: 'object' | 'metadata';
}

export interface GetOptions {
  readonly query?: Query;
  /** Default `object`. */
  readonly form?: Form | undefined;
  /** Every 404 counts as absence, also for an API that is not served. */
  readonly mayBeUnserved?: boolean;
}

/** Requests to one API server. Every method throws Transient and nothing else, with verb and path, never the token. */
export interface KubeClient {
  /** Undefined if the API server says that this very object does not exist. Any other 404 (an API that is not served, a
   *  proxy in between) proves nothing and is thrown, unless `mayBeUnserved`. */
  get(path: string, options?: GetOptions): Promise<unknown>;
  /** The items of each page, as they come: whoever keeps little of an object needs no room for all of them. */
  pages(path: string, options: ListOptions): AsyncIterable<readonly unknown[]>;
  /** The items of all pages. */
  list(path: string, options: ListOptions): Promise<readonly unknown[]>;
  /** The length of a list, from one page of one object; undefined if the API server does not report it. */
  count(path: string): Promise<number | undefined>;
  /** A JSON merge patch. A vanished object is a lost race: Transient `conflict`. */
  mergePatch(path: string, query: Query, body: unknown): Promise<unknown>;
  post(path: string, query: Query, body: unknown): Promise<unknown>;
  /** Server-side apply. A field owned by another manager with another value is refused, unless `query` has `force`. */
  apply(path: string, query: Query, body: unknown): Promise<unknown>;
  /** False if there was nothing to delete.
   *  @param body DeleteOptions */
  remove(path: string, query?: Query, body?: unknown): Promise<boolean>;
  /** Closes the connections; for CLI programs and tests. */
  close(): Promise<void>;
}

interface Call {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: Query;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

/** A client of one API server, over the connections of `openConnections` and the request layer of client-node.
 *  The API classes and KubeConfig of client-node are not used: they open a new TLS connection for each request. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { server, token, userAgent, deadline, yieldToEventLoop } = options;
  const { callTimeoutMs = 10_000, limitBytes = 10 * 1024 * 1024 } = options;
  const connections = openConnections(options);
  const address = new ServerConfiguration(withoutTrailing(server, '/'), {});
  const transport = transportOver(connections, { limitBytes, yieldToEventLoop });
  let bearer: string | undefined;

  async function send(call: Call, used: string, signal: AbortSignal): Promise<RawAnswer> {
    const context = address.makeRequestContext(call.path, call.method);
    for (const [name, value] of Object.entries(call.query)) context.setQueryParam(name, value);
    context.setHeaderParam('Accept', call.accept);
    context.setHeaderParam('User-Agent', userAgent);
    if (used !== '') context.setHeaderParam('Authorization', `Bearer ${used}`);
    if (call.body !== undefined) {
      context.setHeaderParam('Content-Type', call.contentType ?? 'application/json');
      context.setBody(JSON.stringify(call.body));
    }
    context.setSignal(signal);
    return withoutToken(await answerOf(await transport.send(context)), used);
  }

  /** A read over a dead kept-alive connection is sent once more. A write is not: it may have arrived. */
  async function sendOrResend(call: Call, used: string): Promise<RawAnswer> {
    const signal = deadline(callTimeoutMs);
    try {
      return await send(call, used, signal);
    } catch (cause) {
      if (cause instanceof AnswerTooLarge) throw cause;
      if (call.method !== 'GET' || signal.aborted) throw unreachable(call, cause);
    }
    return send(call, used, signal).catch((cause: unknown) => {
      throw cause instanceof AnswerTooLarge ? cause : unreachable(call, cause);
    });
  }

  async function exchange(call: Call): Promise<RawAnswer> {
    const used = bearer ?? sendable(call, await token());
    bearer ??= used;
    const answer = await sendOrResend(call, used);
    if (answer.status !== 401) return answer;
    // Calls are concurrent: another one may have renewed it already.
    const renewed = bearer !== undefined && bearer !== used ? bearer : sendable(call, await token(used));
    bearer = renewed;
    const second = await sendOrResend(call, renewed);
    if (second.status === 401) bearer = undefined;
    return second;
  }

  /** For answers that are not streamed. */
  async function exchangeWhole(call: Call): Promise<RawAnswer> {
    return exchange(call).catch((cause: unknown) => {
      throw cause instanceof AnswerTooLarge ? tooLarge(call, cause) : cause;
    });
  }

  async function write(written: Pick<Call, 'method' | 'path' | 'query' | 'contentType' | 'body'>): Promise<unknown> {
    const call: Call = { ...written, accept: acceptOf('object', written.path) };
    const answer = await exchangeWhole(call);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw refusal(call, answer);
  }

  async function page(path: string, options: ListOptions, limit: number, next: string): Promise<ListPage> {
    const accept = acceptOf(options.form ?? 'object', path);
    const query = { ...options.query, limit: String(limit), ...(next === '' ? {} : { continue: next }) };
    const call: Call = { method: 'GET', path, query, accept };
    const answer = await exchange(call).catch((cause: unknown) => {
      if (cause instanceof AnswerTooLarge && limit > 1) return undefined;
      throw cause instanceof AnswerTooLarge ? tooLarge(call, cause) : cause;
    });
    if (answer === undefined) return page(path, options, Math.ceil(limit / 4), next);
    if (answer.status !== 200) throw refusal(call, answer);
    return { ...listPage(call, answer.body), limit };
  }

  async function* pages(path: string, options: ListOptions): AsyncGenerator<readonly unknown[]> {
    let limit = options.pageSize;
    let next = '';
    let fitting = 0;
    do {
      const answer = await page(path, options, limit, next);
      yield answer.items;
      fitting = answer.limit === limit ? fitting + 1 : 1;
      const isRoomy = fitting >= pagesUntilLarger && answer.limit < options.pageSize;
      if (isRoomy) fitting = 0;
      limit = isRoomy ? Math.min(options.pageSize, answer.limit * 2) : answer.limit;
      ({ next } = answer);
    } while (next !== '');
  }

  return {
    pages,

    async get(path, { query = {}, form = 'object', mayBeUnserved = false } = {}) {
      const call: Call = { method: 'GET', path, query, accept: acceptOf(form, path) };
      const answer = await exchangeWhole(call);
      if (answer.status === 200) return answer.body;
      if (isAbsence(answer) || (mayBeUnserved && answer.status === 404)) return undefined;
      throw refusal(call, answer);
    },

    async list(path, options) {
      const items: unknown[] = [];
      for await (const each of pages(path, options)) items.push(...each);
      return items;
    },

    async count(path) {
      const { items, next, remaining } = await page(path, { pageSize: 1, form: 'metadata' }, 1, '');
      return next === '' ? items.length : remaining && items.length + remaining;
    },

    mergePatch: (path, query, body) => write({ method: 'PATCH', path, query, contentType: mergePatch, body }),
    post: (path, query, body) => write({ method: 'POST', path, query, body }),
    // JSON is YAML, and the API server parses it as that.
    apply: (path, query, body) => write({ method: 'PATCH', path, query, contentType: applyPatch, body }),
    async remove(path, query = {}, body = undefined) {
      const call: Call = { method: 'DELETE', path, query, accept: acceptOf('object', path), body };
      const answer = await exchangeWhole(call);
      if (answer.status >= 200 && answer.status < 300) return true;
      if (isAbsence(answer)) return false;
      throw refusal(call, answer);
    },
    close: async () => connections.close(),
  };
}

/** Pages that fit before a larger one is tried: of those that do not fit, the limit is read in vain. */
const pagesUntilLarger = 4;

const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

interface ListPage {
  readonly items: readonly unknown[];
  /** The continue token; empty on the last page. */
  readonly next: string;
  /** Objects after this page, for a list without selectors. */
  readonly remaining: number | undefined;
  /** The page size that fitted, for the following pages. */
  readonly limit: number;
}

function listPage(call: Call, body: unknown): Omit<ListPage, 'limit'> {
  if (!isObject(body) || !('items' in body)) throw notUnderstood(call);
  const items = body['items'] ?? [];
  if (!Array.isArray(items)) throw notUnderstood(call);
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  const { continue: next, remainingItemCount: remaining } = metadata;
  return {
    items,
    next: typeof next === 'string' ? next : '',
    remaining: typeof remaining === 'number' ? remaining : undefined,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An invalid header value would be quoted in the error of the HTTP library. */
function sendable({ method, path }: Call, token: string): string {
  if (/^[\x21-\x7e]*$/.test(token)) return token;
  throw new Transient(`${method} ${path}: the token has characters that no header may carry`, { kind: 'forbidden' });
}

/** Shorter texts are not real tokens, and occur in words by chance. */
const shortestTokenLength = 8;

/** Some proxies repeat the request in an error. The token is removed here because it has no recognisable form later. */
function withoutToken(answer: RawAnswer, token: string): RawAnswer {
  if (answer.status < 400 || token.length < shortestTokenLength) return answer;
  const text = JSON.stringify(answer.body);
  const quoted = JSON.stringify(token).slice(1, -1);
  if (!text.includes(quoted)) return answer;
  return { ...answer, body: JSON.parse(text.replaceAll(quoted, '[token removed]')) };
}

function notUnderstood({ method, path }: Call): Transient {
  return new Transient(`${method} ${path}: the answer is not a list`);
}

function tooLarge({ method, path }: Call, cause: AnswerTooLarge): Transient {
  return new Transient(`${method} ${path}: ${cause.message}`, { cause });
}
