import { BadInput, Transient } from '../core/text/errors.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { PlainAnswer, type RequestHeaders, type WebAnswer, type WebRequest } from './exchange.ts';
import type { LogFields } from './log-fields.ts';
import { metricNames } from './metric-names.ts';

/** A function reached over HTTP: Lambda and the local server are thin shells around it. */
export type WebHandler = (request: WebRequest) => Promise<WebAnswer>;

/** The answer of a handler as data, made into what is sent in one place. */
export interface Reply {
  readonly status: number;
  /** One short sentence for the caller. */
  readonly reason: string;
  /** Further fields of the JSON answer. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the log line. */
  readonly about?: LogFields;
}

export interface Entrance {
  readonly methods: readonly string[];
  /** Added to a 405 for likely mistakes. */
  readonly methodHint?: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Id for a request whose shell gave it none. */
  readonly newId: NewId;
}

/** Header in which a shell puts the id of a request; a header of this name from a caller never reaches a Lambda. */
export const requestIdHeader = 'x-request-id';

/** Seconds. An API server, or a proxy before it, may ask us to wait for a day; whoever asked us, and waits so long as
 *  we say, would not come back while the sync is still held. */
const longestRetryAfterSeconds = 60;

/** Adds to a handler what all of them need: the method check, one log line and one count per request, a JSON answer
 *  with a short reason and the request id, and errors that say what the caller can do and nothing internal. */
export function answering(entrance: Entrance, handle: (request: WebRequest) => Promise<Reply>): WebHandler {
  return async (request) => {
    const requestId = requestIdOf(request.headers, entrance.newId);
    try {
      requireMethod(request.method, entrance);
      const reply = await handle(request);
      note(reply, requestId, entrance);
      return respond(reply, requestId);
    } catch (error) {
      return respond(refuse(error, requestId, entrance), requestId);
    }
  };
}

/** JSON answer, always with the reason and the request id. */
export function respond({ status, reason, body, headers }: Reply, requestId: string): PlainAnswer {
  return new PlainAnswer(JSON.stringify({ ...body, reason, requestId }), {
    status,
    fields: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
      [requestIdHeader]: requestId,
    },
  });
}

/** A `Request` cannot be made with some methods. OPTIONS stands for them: no entrance takes it, so that the 405 with
 *  the methods that are allowed is the entrance's own. Source: Fetch Standard, forbidden methods. */
export function methodToAsk(method: string): string {
  return /^(?:connect|trace|track)$/i.test(method) ? 'OPTIONS' : method;
}

function requireMethod(method: string, { methods, methodHint }: Entrance): void {
  if (methods.includes(method)) return;
  throw new BadInput(`use ${methods.join(' or ')}${methodHint === undefined ? '' : `; ${methodHint}`}`, {
    status: 405,
  });
}

function note({ status, reason, about }: Reply, requestId: string, { logger, metrics }: Entrance): void {
  const failed = status >= 500;
  metrics.count(failed ? metricNames.requestsFailed : metricNames.requestsAnswered);
  logger[failed ? 'warn' : 'info']('request answered', { requestId, status, reason, ...about } satisfies LogFields);
}

function refuse(error: unknown, requestId: string, { methods, logger, metrics }: Entrance): Reply {
  if (error instanceof BadInput) {
    const { status, message: reason } = error;
    metrics.count(status === 401 ? metricNames.requestsUnauthorized : metricNames.requestsRefused);
    logger.warn('request refused', { requestId, status, reason } satisfies LogFields);
    return { status, reason, headers: headersOf(status, methods) };
  }
  const status = error instanceof Transient ? 503 : 500;
  metrics.count(metricNames.requestsFailed);
  logger.error('request failed', { requestId, status, error } satisfies LogFields);
  if (!(error instanceof Transient)) return { status, reason: 'internal error' };
  const retryAfterSeconds = Math.min(Math.ceil(error.retryAfterSeconds ?? 1), longestRetryAfterSeconds);
  return { status, reason: 'temporarily unavailable, try again', headers: { 'retry-after': `${retryAfterSeconds}` } };
}

function headersOf(status: number, methods: readonly string[]): Readonly<Record<string, string>> {
  if (status === 405) return { allow: methods.join(', ') };
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return {};
}

/** Set by us; a caller's value is used only if it looks like an id. */
export function requestIdOf(headers: RequestHeaders, newId: NewId): string {
  const given = headers.get(requestIdHeader) ?? '';
  return /^[\w.=-]{1,64}$/.test(given) ? given : newId();
}
