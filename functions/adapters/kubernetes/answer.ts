import { setImmediate } from 'node:timers/promises';
import type { ResponseContext } from '@kubernetes/client-node/dist/gen/http/http.js';

/** An answer of the API server, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; the text itself when it is none (proxies, `404 page not found`). */
  readonly body: unknown;
}

/** The answer was cut off. Lists are asked again in smaller pages. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}

/** Reads at most `limitBytes` of the body. Throws AnswerTooLarge beyond, and whatever the connection throws. */
export async function readAnswer(response: ResponseContext, limitBytes: number): Promise<RawAnswer> {
  const text = await readText(response, limitBytes);
  return { status: response.httpStatusCode, headers: response.headers, body: parse(text) };
}

async function readText(response: ResponseContext, limitBytes: number): Promise<string> {
  const stream = response.body.stream();
  if (stream === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, so the rest is not received.
    if (size > limitBytes) throw new AnswerTooLarge(limitBytes);
    chunks.push(chunk);
  }
  // The pool takes the connection back one turn after the body has ended. A call that follows at once would open another.
  await setImmediate();
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
