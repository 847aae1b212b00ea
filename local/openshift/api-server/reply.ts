import type { ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import type { Fault } from './faults.ts';
import { jsonText } from './json.ts';

/** A response. */
export type Reply =
  /** `contentType`: default `application/json`. */
  | { readonly code: number; readonly body: unknown; readonly contentType?: string }
  | { readonly code: number; readonly text: string };

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

export function sendReply(response: ServerResponse, reply: Reply): void {
  if ('text' in reply) {
    response.writeHead(reply.code, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    response.end(reply.text);
    return;
  }
  const { code, body, contentType = jsonHeaders['content-type'] } = reply;
  response.writeHead(code, { ...jsonHeaders, 'content-type': contentType });
  response.end(`${jsonText(body)}\n`);
}

export function sendRefusal(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status } =
    error instanceof ApiError
      ? error
      : new ApiError(500, `Internal error occurred: ${String(error)}`, { reason: 'InternalError' });
  const retryAfter = status.details?.retryAfterSeconds;
  response.writeHead(status.code, { ...jsonHeaders, ...(retryAfter && { 'retry-after': String(retryAfter) }) });
  response.end(`${JSON.stringify(status)}\n`);
}

export function sendFault(response: ServerResponse, fault: Fault): void {
  switch (fault.kind) {
    case 'status':
      sendRefusal(response, refusalOf(fault));
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'timeout':
      return;
    default:
      fault satisfies never;
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function refusalOf({
  code,
  message = 'a fault was injected',
  retryAfterSeconds,
}: Fault & { readonly kind: 'status' }): ApiError {
  const reason = reasons[code];
  return new ApiError(code, message, {
    ...(reason && { reason }),
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  });
}
