import type { ResponseContext } from '@kubernetes/client-node/dist/gen/http/http.js';

/** An answer of the API server, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON (proxies, `404 page not found`). */
  readonly body: unknown;
}

/** The answer was cut off. Lists are requested again in smaller pages. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}

/** A response of client-node in our form. */
export async function answerOf({ httpStatusCode, headers, body }: ResponseContext): Promise<RawAnswer> {
  return { status: httpStatusCode, headers, body: parse(await body.text()) };
}

/** Reads at most `limitBytes`. Throws AnswerTooLarge beyond, and whatever the connection throws. */
export async function readBytes(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    // Leaving the loop ends the stream, so the rest is not received.
    if (size > limitBytes) throw new AnswerTooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
