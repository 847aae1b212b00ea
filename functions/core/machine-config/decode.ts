import { gunzip } from './gunzip.ts';
import { isObject, textAt } from './json.ts';

/** Content of a file, unit or drop-in. */
export type Decoded =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly sizeBytes: number }
  /** Fetched by the node when it first boots; named, never fetched here. Without credentials and query. */
  | { readonly kind: 'remote'; readonly url: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Longest encoded content that is read. etcd limits an object to 1.5 MiB, and so does the MCO for a whole rendered
 *  config (facts: 1,572,864 bytes), so nothing longer can be rolled out. */
const longestSource = 2_000_000;

/** Limit for unpacked gzip: more than anyone reads, small enough to hold. */
const longestUnpackedBytes = 1_000_000;

/** Bytes that may be unpacked for each packed one, and besides: a thousand small files must not become a gigabyte.
 *  Texts of configuration shrink to a tenth. */
const unpackedPerByte = 32;
const unpackedBesides = 16_384;

/** Contents of an Ignition file: `{ source, compression }`. No source is an empty file. */
export function decodeContents(contents: unknown): Decoded {
  if (contents === undefined || contents === null) return { kind: 'text', text: '' };
  if (!isObject(contents)) return { kind: 'unreadable', why: 'its contents have an unknown form' };
  const source = contents['source'];
  if (source === undefined || source === null || source === '') return { kind: 'text', text: '' };
  if (typeof source !== 'string') return { kind: 'unreadable', why: 'its source is not text' };
  return decodeSource(source, textAt(contents, 'compression'));
}

function decodeSource(source: string, compression: string): Decoded {
  if (source.length > longestSource)
    return { kind: 'unreadable', why: `it is larger than the ${longestSource} characters that are read` };
  if (!/^data:/i.test(source)) return remote(source);

  const comma = source.indexOf(',');
  if (comma < 0) return { kind: 'unreadable', why: 'its data URL has no comma' };
  const bytes = bytesOf(source.slice(comma + 1), /;\s*base64\s*$/i.test(source.slice(0, comma)));
  if (bytes === undefined) return { kind: 'unreadable', why: 'its data URL is not valid' };
  switch (compression) {
    case '':
      return decodeBytes(bytes);
    case 'gzip': {
      const atMost = Math.min(longestUnpackedBytes, bytes.length * unpackedPerByte + unpackedBesides);
      const unpacked = gunzip(bytes, atMost);
      const why = `it is not gzip, or unpacks to more than ${atMost} bytes`;
      return unpacked === undefined ? { kind: 'unreadable', why } : decodeBytes(unpacked);
    }
    default:
      return { kind: 'unreadable', why: 'its compression is unknown' };
  }
}

/** Undefined if invalid: a broken escape, or a character that base64 does not have. */
function bytesOf(data: string, isBase64: boolean): Uint8Array | undefined {
  const bytes = percentDecoded(data);
  if (bytes === undefined || !isBase64) return bytes;
  const text = Buffer.from(bytes).toString('latin1').replace(/\s/g, '');
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function percentDecoded(data: string): Uint8Array | undefined {
  if (!data.includes('%')) return Buffer.from(data, 'utf8');
  if (/%(?![0-9A-Fa-f]{2})/.test(data)) return undefined;
  // Bytes, not characters: an escape may encode part of a character, or no text at all.
  const bytes = Buffer.from(data, 'utf8').toString('latin1');
  return Buffer.from(
    bytes.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeBytes(bytes: Uint8Array): Decoded {
  if (bytes.includes(0)) return { kind: 'binary', sizeBytes: bytes.length };
  try {
    return { kind: 'text', text: strict.decode(bytes) };
  } catch {
    return { kind: 'binary', sizeBytes: bytes.length };
  }
}

function remote(source: string): Decoded {
  if (!URL.canParse(source)) return { kind: 'unreadable', why: 'its source is not a URL' };
  const url = new URL(source);
  return { kind: 'remote', url: `${url.protocol}//${url.host}${url.pathname}` };
}
