import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type PromiseHttpLibrary,
  type RequestContext,
  ResponseContext,
  SelfDecodingBody,
} from '@kubernetes/client-node/dist/gen/http/http.js';
import type { YieldToEventLoop } from '../../ports/time.ts';
import { readBytes } from './answer.ts';
import type { Connections, PlainRequest } from './connections.ts';

export interface TransportOptions {
  readonly limitBytes: number;
  readonly yieldToEventLoop: YieldToEventLoop;
}

/** Sends client-node's requests over kept connections. The library's transport uses `fetch`, which costs half a
 *  millisecond per call and follows redirects even for writes; this one returns a redirect as an answer. An answer is
 *  complete, decompressed and no larger than `limitBytes`: throws AnswerTooLarge, and whatever the connection
 *  throws. */
export function transportOver(
  connections: Connections,
  { limitBytes, yieldToEventLoop }: TransportOptions,
): PromiseHttpLibrary {
  return {
    async send(request) {
      // A connection that the server has closed is noticed by the turn of the loop before it is taken.
      await yieldToEventLoop();
      const answer = await connections.request(requestOf(request));
      const body =
        answer.headers['content-encoding'] === 'gzip'
          ? // Its callback gets failures too, but so does the reader.
            pipeline(answer, createGunzip(), () => undefined)
          : answer;
      const bytes = await readBytes(body, limitBytes);
      // The pool takes the connection back one turn after the body has ended. A call that follows at once would open
      // another.
      await yieldToEventLoop();
      return new ResponseContext(
        answer.statusCode ?? 0,
        headersOf(answer.headers),
        new SelfDecodingBody(Promise.resolve(bytes)),
      );
    },
  };
}

function requestOf(request: RequestContext): PlainRequest {
  const body = request.getBody();
  return {
    url: new URL(request.getUrl()),
    method: request.getHttpMethod(),
    // The API server compresses answers of more than 128 KiB.
    headers: { ...request.getHeaders(), 'Accept-Encoding': 'gzip' },
    body: typeof body === 'string' ? body : undefined,
    signal: request.getSignal(),
  };
}

function headersOf(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
