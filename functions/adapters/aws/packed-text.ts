import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** Bytes after decompression: routes of several hundred thousand Applications. Larger data is not ours. */
const unpackedAtMost = 256 * 1024 * 1024;

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Text compressed into base64: rows of the table hold text. */
export async function packText(text: string): Promise<string> {
  return (await pack(text)).toString('base64');
}

/** Undefined if it was not packed this way. */
export async function unpackText(packed: string): Promise<string | undefined> {
  try {
    return (await unpack(Buffer.from(packed, 'base64'), { maxOutputLength: unpackedAtMost })).toString();
  } catch {
    return undefined;
  }
}
