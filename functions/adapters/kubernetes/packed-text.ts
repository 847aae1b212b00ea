import { gunzipSync, gzipSync } from 'node:zlib';
import { plainAtMost } from '../../core/sequences/fit-record.ts';
import { Transient } from '../../core/text/errors.ts';

/** Bytes of a record that is unpacked: whoever may write the ConfigMap can pack more than any sequence has. */
const unpackedAtMost = 32 * 1024 * 1024;

const mark = 'gzip:';

/** The text as it is stored: packed where it would be too long for an object of the API server. */
export function packed(text: string): string {
  return Buffer.byteLength(text) <= plainAtMost ? text : `${mark}${gzipSync(text).toString('base64')}`;
}

/** The text as it was before. Throws Transient `invalid` for what cannot be unpacked. */
export function unpacked(stored: string): string {
  if (!stored.startsWith(mark)) return stored;
  try {
    return gunzipSync(Buffer.from(stored.slice(mark.length), 'base64'), { maxOutputLength: unpackedAtMost }).toString();
  } catch (cause) {
    throw new Transient('its record cannot be unpacked', { kind: 'invalid', cause });
  }
}
