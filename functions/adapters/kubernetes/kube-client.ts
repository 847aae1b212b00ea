import type { HttpMethod } from '@kubernetes/client-node/dist/gen/http/http.js';
import { ServerConfiguration } from '@kubernetes/client-node/dist/gen/servers.js';
import { Transient } from '../../core/text/errors.ts';
import type { Deadline, YieldToEventLoop } from '../../ports/time.ts';
import { acceptOf, type Form } from './accept.ts';
import { AnswerTooLarge, answerOf, type RawAnswer } from './answer.ts';
import { type DispatcherOptions, openDispatcher } from './dispatcher.ts';
import { isAbsence, refusal } from './refusal.ts';
import { transportOver } from './transport.ts';
import { unreachable } from './unreachable.ts';

/** Gives the bearer token. `refused` is a token that the API server has just answered with 401: a better one is wanted.
 *  An empty token sends no Authorization header (client certificates). */
export type TokenSource = (refused?: string) => Promise<string>;

export interface KubeClientOptions extends DispatcherOptions {
  readonly server: string;
  readonly token: TokenSource;
  readonly userAgent: string;
  /** Whole call with its body. Milliseconds, default 10 s: a third of the time a pass may take. */
  readonly callTimeoutMs?: number | undefined;
  /** Largest answer that is read. Bytes after decompression, default 10 MiB: 500 nodes' metadata are 1 to 3. */
  readonly limitBytes?: number | undefined;
  readonly deadline: Deadline;
  readonly yieldToEventLoop: YieldToEventLoop;
}

export type Query = Readonly<Record<string, string>>;

export interface ListOptions {
  readonly query?: Query;
  /** Objects a page. Halved and halved again while a page is larger than the byte limit. */
  readonly pageSize: number;
  /** Default `object`. */
  readonly form?: 'object' | 'metadata';
}

export interface GetOptions {
  readonly query?: Query;
  /** Default `object`. */
  readonly form?: Form | undefined;
  /** Every 404 counts as absence, also that of an API that is not served here. */
  readonly mayBeUnserved?: boolean;
}

/** Requests to one API server. Every method throws Transient and nothing else, and says verb and path, never the
 *  token. */
export interface KubeClient {
  /** Undefined when the API server says that this very object does not exist. Any other 404 (an API that is not served,
   *  a proxy in between) proves nothing and is thrown, unless `mayBeUnserved`. */
  get(path: string, options?: GetOptions): Promise<unknown>;
  /** The items of all pages. */
  list(path: string, options: ListOptions): Promise<readonly unknown[]>;
  /** How many objects a list would have, by one page of one object; undefined when the API server does not say. */
  count(path: string): Promise<number | undefined>;
  /** A JSON merge patch. A vanished object is a lost race: Transient `conflict`. */
  mergePatch(path: string, query: Query, body: unknown): Promise<unknown>;
  post(path: string, query: Query, body: unknown): Promise<unknown>;
  /** Server-side apply. A field that another manager holds with another value is refused, unless `query` has
   *  `force`. */
  apply(path: string, query: Query, body: unknown): Promise<unknown>;
  /** False when there was nothing to delete. */
  remove(path: string, query?: Query): Promise<boolean>;
  /** Closes the connections; for programs that end and for tests. */
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

/** A client of one API server, through the connection pool of `openDispatcher` and the request layer of client-node.
 *  The API classes and KubeConfig of client-node are not used: they open a new TLS connection for each request. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { server, token, userAgent, deadline, yieldToEventLoop } = options;
  const { callTimeoutMs = 10_000, limitBytes = 10 * 1024 * 1024 } = options;
  const dispatcher = openDispatcher(options);
  const address = new ServerConfiguration(server.replace(/\/+$/, ''), {});
  const transport = transportOver(dispatcher, { limitBytes, yieldToEventLoop });
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

  /** A read whose kept-alive connection turns out to be dead is sent once more. Writes are not: it may have arrived. */
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
    // Calls run side by side: another one may have renewed it already.
    const renewed = bearer !== undefined && bearer !== used ? bearer : sendable(call, await token(used));
    bearer = renewed;
    const second = await sendOrResend(call, renewed);
    if (second.status === 401) bearer = undefined;
    return second;
  }

  /** For answers that come in one piece. */
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

  return {
    async get(path, { query = {}, form = 'object', mayBeUnserved = false } = {}) {
      const call: Call = { method: 'GET', path, query, accept: acceptOf(form, path) };
      const answer = await exchangeWhole(call);
      if (answer.status === 200) return answer.body;
      if (isAbsence(answer) || (mayBeUnserved && answer.status === 404)) return undefined;
      throw refusal(call, answer);
    },

    async list(path, options) {
      const items: unknown[] = [];
      let limit = options.pageSize;
      let next = '';
      do {
        const answer = await page(path, options, limit, next);
        items.push(...answer.items);
        ({ limit, next } = answer);
      } while (next !== '');
      return items;
    },

    async count(path) {
      const { items, next, remaining } = await page(path, { pageSize: 1, form: 'metadata' }, 1, '');
      return next === '' ? items.length : remaining && items.length + remaining;
    },

    mergePatch: (path, query, body) => write({ method: 'PATCH', path, query, contentType: mergePatch, body }),
    post: (path, query, body) => write({ method: 'POST', path, query, body }),
    // JSON is YAML, and the API server reads it as that.
    apply: (path, query, body) => write({ method: 'PATCH', path, query, contentType: applyPatch, body }),
    async remove(path, query = {}) {
      const call: Call = { method: 'DELETE', path, query, accept: acceptOf('object', path) };
      const answer = await exchangeWhole(call);
      if (answer.status >= 200 && answer.status < 300) return true;
      if (isAbsence(answer)) return false;
      throw refusal(call, answer);
    },
    close: () => dispatcher.close(),
  };
}

const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

interface ListPage {
  readonly items: readonly unknown[];
  /** The continue token; empty on the last page. */
  readonly next: string;
  /** Objects after this page, of a list without selectors. */
  readonly remaining: number | undefined;
  /** The size that fitted, for the pages that follow. */
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

/** What is no header value would be shown by the error that the HTTP library makes of it. */
function sendable({ method, path }: Call, token: string): string {
  if (/^[\x21-\x7e]*$/.test(token)) return token;
  throw new Transient(`${method} ${path}: the token has characters that no header may carry`, { kind: 'forbidden' });
}

/** Shorter texts are no real tokens, and stand in words by chance. */
const shortestTokenLength = 8;

/** Some proxies repeat in a refusal what they were sent. The token has no form that it could be known by later. */
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
