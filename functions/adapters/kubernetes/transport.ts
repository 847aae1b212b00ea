import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type PromiseHttpLibrary,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
} from '@kubernetes/client-node/dist/gen/http/http.js';
import type { Dispatcher } from 'undici';
import type { YieldToEventLoop } from '../../ports/time.ts';
import { readBytes } from './answer.ts';

export interface TransportOptions {
  readonly limitBytes: number;
  readonly yieldToEventLoop: YieldToEventLoop;
}

/** Sends client-node's requests by undici's own `request`. The library's transport uses `fetch`, which costs half a
 *  millisecond per call and follows redirects even for writes; this one returns a redirect as an answer. An answer is
 *  complete, decompressed and no larger than `limitBytes`: throws AnswerTooLarge, and whatever the connection
 *  throws. */
export function transportOver(
  dispatcher: Dispatcher,
  { limitBytes, yieldToEventLoop }: TransportOptions,
): PromiseHttpLibrary {
  return {
    async send(request) {
      const answer = await dispatcher.request(requestOf(request));
      const body =
        answer.headers['content-encoding'] === 'gzip'
          ? // Its callback gets failures too, but so does the reader.
            pipeline(answer.body, createGunzip(), () => undefined)
          : answer.body;
      const bytes = await readBytes(body, limitBytes);
      // The pool takes the connection back one turn after the body has ended. A call that follows at once would open
      // another.
      await yieldToEventLoop();
      return new ResponseContext(answer.statusCode, headersOf(answer), new SelfDecodingBody(Promise.resolve(bytes)));
    },
  };
}

function requestOf(request: RequestContext): Dispatcher.RequestOptions {
  const url = new URL(request.getUrl());
  const body = request.getBody();
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.getHttpMethod(),
    // The API server compresses answers of more than 128 KiB.
    headers: { ...request.getHeaders(), 'Accept-Encoding': 'gzip' },
    body: typeof body === 'string' ? body : null,
    signal: request.getSignal() ?? null,
  };
}

function headersOf({ headers }: Dispatcher.ResponseData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
