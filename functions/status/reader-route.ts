import { BadInput, Transient } from '../core/text/errors.ts';
import { requestIdOf, respond, type WebHandler } from '../shell/answer.ts';
import type { PlainAnswer, WebRequest } from '../shell/exchange.ts';
import type { StatusPorts } from './read-status.ts';
import { requireReader } from './require-reader.ts';

/** On every answer, including refusals. */
export const safeHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept, authorization',
};

/** What a route for readers is made of. */
export type RouteForReaders = Pick<StatusPorts, 'token' | 'newId' | 'logger'>;

/** A route for readers: GET and HEAD, with the token of the page where there is one. Refusals say what works. */
export function readerRoute(ports: RouteForReaders, answer: (request: WebRequest) => Promise<Response>): WebHandler {
  return async (request) => {
    const requestId = requestIdOf(request.headers, ports.newId);
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new BadInput('use GET', { status: 405 });
      if (ports.token !== undefined) await requireReader(request.headers, ports.token);
      const response = await answer(request);
      return request.method === 'HEAD' ? new Response(null, response) : response;
    } catch (error) {
      return refuse(error, requestId, ports);
    }
  };
}

function refuse(error: unknown, requestId: string, { logger }: RouteForReaders): PlainAnswer {
  if (error instanceof BadInput) {
    const { status, message: reason } = error;
    logger?.warn('request refused', { requestId, status, reason });
    return respond({ status, reason, headers: { ...safeHeaders, ...hintsOf(status) } }, requestId);
  }
  const status = error instanceof Transient ? 503 : 500;
  logger?.error('request failed', { requestId, status, error });
  const reason = status === 503 ? 'temporarily unavailable, try again' : 'internal error';
  return respond({ status, reason, headers: safeHeaders }, requestId);
}

function hintsOf(status: number): Readonly<Record<string, string>> {
  if (status === 405) return { allow: 'GET, HEAD' };
  if (status === 401)
    return { 'www-authenticate': 'Basic realm="Poolkeeper", charset="UTF-8", Bearer realm="Poolkeeper"' };
  return {};
}
