import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BadInput } from '../core/text/errors.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** Bytes for a message: compressed, in base64. JSON of a push shrinks to a fifth or less. */
export async function packBody(bytes: Uint8Array): Promise<string> {
  const packed = await compress(bytes, { level: 6 });
  return packed.toString('base64');
}

/** The very bytes that were packed, at most `limitBytes` of them. Throws BadInput for anything else. */
export async function unpackBody(packed: string, limitBytes: number): Promise<Uint8Array> {
  try {
    return await expand(Buffer.from(packed, 'base64'), { maxOutputLength: limitBytes });
  } catch (cause) {
    throw new BadInput('the body of the webhook cannot be unpacked', { cause });
  }
}
