import { gunzipSync } from 'node:zlib';

/** Unpacks gzip; undefined if it is not gzip, is damaged, or would exceed `atMostBytes`: a bomb of a kilobyte unpacks
 *  to gigabytes. The one file of the core that uses a library of Node: bytes in, bytes out, nothing else. */
export function gunzip(packed: Uint8Array, atMostBytes: number): Uint8Array | undefined {
  try {
    return gunzipSync(packed, { maxOutputLength: atMostBytes });
  } catch {
    return undefined;
  }
}
