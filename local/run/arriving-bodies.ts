import type { Readable } from 'node:stream';

const mebibyte = 1024 * 1024;

/** One byte more than any function takes, so that a caller whose body is larger meets the function's own limit, with
 *  its explanation. What comes after is thrown away. */
const keptForFunctions = 4 * mebibyte + 1;

/** How much of a body is read: an answer to a caller that is still sending would be lost with the connection. */
const readAtMostBytes = 64 * mebibyte;

/** Of all requests whose bodies are not whole yet, whose callers are not known. A pod has 1 GiB (`local/manifests`). */
const arrivingAtMostBytes = 64 * mebibyte;

/** What a request takes besides its body, which need never come: a connection and up to 16 KiB of headers. Measured:
 *  57 KiB. */
const requestBytes = 64 * 1024;

/** Reads bodies of requests. */
export interface ArrivingBodies {
  /** What is kept of it; undefined: it was given up. Rejects when the caller leaves. */
  read(incoming: Readable): Promise<Buffer | undefined>;
}

interface ArrivingLimits {
  readonly atMostBytes?: number | undefined;
  readonly keptAtMostBytes?: number | undefined;
}

/** Where too much is on its way, what has been so for longest is given up: whoever sends slowly, or nothing after the
 *  headers, to fill the memory loses what he holds, and those who send at once are served.
 *  @param atMostBytes that all requests together may have before their bodies are whole
 *  @param keptAtMostBytes of each */
export function arrivingBodies({
  atMostBytes = arrivingAtMostBytes,
  keptAtMostBytes = keptForFunctions,
}: ArrivingLimits = {}): ArrivingBodies {
  /** The oldest first. */
  const arriving = new Map<Body, () => void>();
  let heldBytes = 0;

  function leave(body: Body): void {
    if (arriving.delete(body)) heldBytes -= requestBytes + body.keptBytes;
  }

  function take(body: Body, chunk: Buffer): void {
    const before = body.keptBytes;
    body.add(chunk);
    if (!arriving.has(body)) return;
    hold(body.keptBytes - before);
  }

  function hold(bytes: number): void {
    heldBytes += bytes;
    while (heldBytes > atMostBytes) {
      const [oldest] = arriving;
      if (oldest === undefined) return;
      const [slowest, giveUp] = oldest;
      leave(slowest);
      giveUp();
    }
  }

  return {
    read: (incoming) =>
      new Promise((resolve, reject) => {
        const body = new Body(keptAtMostBytes);
        arriving.set(body, () => {
          body.forget();
          resolve(undefined);
        });
        hold(requestBytes);
        incoming.on('data', (chunk: Buffer) => {
          take(body, chunk);
          if (body.readBytes <= readAtMostBytes) return;
          incoming.pause();
          leave(body);
          resolve(body.bytes());
        });
        incoming.on('end', () => {
          leave(body);
          resolve(body.bytes());
        });
        incoming.on('close', () => leave(body));
        incoming.on('error', reject);
      }),
  };
}

/** What has come of one body. Chunks are copied into one buffer: as objects, those of one byte take hundreds. */
class Body {
  #bytes: Buffer = Buffer.alloc(0);
  #atMostBytes: number;
  keptBytes = 0;
  readBytes = 0;

  constructor(atMostBytes: number) {
    this.#atMostBytes = atMostBytes;
  }

  add(chunk: Buffer): void {
    this.readBytes += chunk.length;
    const kept = chunk.subarray(0, this.#atMostBytes - this.keptBytes);
    // Most bodies are one chunk, which needs no copy.
    if (this.keptBytes === 0) this.#bytes = kept;
    else this.#append(kept);
    this.keptBytes += kept.length;
  }

  #append(chunk: Buffer): void {
    const needed = this.keptBytes + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#atMostBytes, Math.max(2 * needed, 4096)));
      this.#bytes.copy(larger, 0, 0, this.keptBytes);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.keptBytes);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.keptBytes);
  }

  forget(): void {
    this.#atMostBytes = 0;
    this.keptBytes = 0;
    this.#bytes = Buffer.alloc(0);
  }
}
