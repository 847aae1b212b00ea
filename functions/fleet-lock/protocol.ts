import { BadInput, Transient } from '../core/text/errors.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import { requestIdHeader, requestIdOf, type WebHandler } from '../shell/answer.ts';
import { PlainAnswer, type WebRequest } from '../shell/exchange.ts';
import type { LogFields } from '../shell/log-fields.ts';
import { metricNames } from '../shell/metric-names.ts';

/** What a machine is told. Only 200 means yes: a client takes any 2xx for it. */
export type LockReply =
  | { readonly status: 200; readonly about: LogFields }
  | {
      readonly status: 423;
      /** Of few values: clients make a metric's label of it. */
      readonly kind: string;
      readonly value: string;
      readonly about: LogFields;
    };

/** A request that cannot be answered, with the kind that the client counts it by. */
export class BadLockRequest extends BadInput {
  readonly kind: string;

  constructor(kind: string, value: string, status = 400) {
    super(value, { status });
    this.kind = kind;
  }
}

export interface LockEntrance {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** Answers in the words of the protocol: `{}` with 200, and `kind` and `value` with everything else. Source: the
 *  FleetLock protocol in Zincati's documentation for developers. */
export function inProtocol(entrance: LockEntrance, handle: (request: WebRequest) => Promise<LockReply>): WebHandler {
  const { logger, metrics, newId } = entrance;
  return async (request) => {
    const requestId = requestIdOf(request.headers, newId);
    try {
      const reply = await handle(request);
      metrics.count(metricNames.requestsAnswered);
      const { status, about } = reply;
      logger.info('request answered', { requestId, status, ...about } satisfies LogFields);
      return answer(status, reply.status === 200 ? {} : { kind: reply.kind, value: reply.value }, requestId);
    } catch (error) {
      const { status, kind, value } = refused(error, requestId, entrance);
      return answer(status, { kind, value }, requestId);
    }
  };
}

interface Refused {
  readonly status: number;
  readonly kind: string;
  readonly value: string;
}

function refused(error: unknown, requestId: string, { logger, metrics }: LockEntrance): Refused {
  if (error instanceof BadInput) {
    const { status, message: value } = error;
    const kind = error instanceof BadLockRequest ? error.kind : status === 413 ? 'body_too_large' : 'decode_error';
    metrics.count(status === 401 ? metricNames.requestsUnauthorized : metricNames.requestsRefused);
    logger.warn('request refused', { requestId, status, reason: value } satisfies LogFields);
    return { status, kind, value };
  }
  metrics.count(metricNames.requestsFailed);
  const status = error instanceof Transient ? 503 : 500;
  logger.error('request failed', { requestId, status, error } satisfies LogFields);
  return status === 503
    ? { status, kind: 'temporarily_unavailable', value: 'the slots cannot be read now; ask again' }
    : { status, kind: 'internal_error', value: 'internal error' };
}

function answer(status: number, body: Readonly<Record<string, string>>, requestId: string): PlainAnswer {
  return new PlainAnswer(JSON.stringify(body), {
    status,
    fields: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 405 && { allow: 'POST' }),
      [requestIdHeader]: requestId,
    },
  });
}
