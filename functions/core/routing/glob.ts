/** Patterns of Go's path/filepath `Match` (Go 1.25, match.go), which `manifest-generate-paths` may use: `*` and `?` do
 *  not cross a slash, there is no `**`, classes are `[a-z]` and `[^a-z]` (which may match a slash), a backslash
 *  escapes. Texts are bytes (`bytesOf`). */

/** Remaining effort, in characters of patterns: they come from strangers. Counts down. */
export interface Effort {
  left: number;
}

/** Whether the pattern matches the whole name. A malformed pattern matches nothing, as in Go; `undefined`: given up,
 *  the effort is spent. */
export function globMatches(pattern: string, name: string, effort: Effort): boolean | undefined {
  let rest = pattern;
  let at = 0;
  while (rest !== '') {
    const { star, chunk, after } = nextChunk(rest);
    if (star && chunk === '') return name.indexOf('/', at) < 0;
    const isLast = after === '';
    const found = matchFrom({ chunk, name, from: at, isLast, star }, effort);
    if (found === spent) return undefined;
    if (found < 0) return false;
    at = found;
    rest = after;
  }
  return at === name.length;
}

/** Contains a special character. */
export function isGlob(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}

/** Common prefix of all matches: up to the last slash before any special character. */
export function literalFolder(pattern: string): string {
  const special = pattern.search(/[*?[\\]/);
  const literal = special < 0 ? pattern : pattern.slice(0, special);
  return literal.slice(0, literal.lastIndexOf('/') + 1);
}

/** Returned in place of an index into the name. */
const failed = -1;
const malformed = -2;
const spent = -3;

/** Stars, and the chunk up to the next one. A star inside brackets is an ordinary character. */
function nextChunk(pattern: string): { readonly star: boolean; readonly chunk: string; readonly after: string } {
  let begin = 0;
  while (pattern[begin] === '*') begin += 1;
  let inClass = false;
  let at = begin;
  for (; at < pattern.length; at += 1) {
    const letter = pattern[at];
    if (letter === '*' && !inClass) break;
    if (letter === '\\') at += 1;
    else if (letter === '[') inClass = true;
    else if (letter === ']') inClass = false;
  }
  return { star: begin > 0, chunk: pattern.slice(begin, at), after: pattern.slice(at) };
}

interface Step {
  readonly chunk: string;
  readonly name: string;
  readonly from: number;
  /** It must reach the end of the name. */
  readonly isLast: boolean;
  /** It may skip part of the name, but no slash. */
  readonly star: boolean;
}

function matchFrom({ chunk, name, from, isLast, star }: Step, effort: Effort): number {
  for (let at = from; ; at += 1) {
    const end = matchChunk(chunk, name, at, effort);
    if (end === spent || end === malformed) return end;
    if (end >= 0 && (!isLast || end === name.length)) return end;
    if (!star || at >= name.length || name[at] === '/') return failed;
  }
}

/** Index after the match of the chunk. Parses the chunk to its end even after a mismatch: a malformed one must be
 *  found. */
function matchChunk(chunk: string, name: string, from: number, effort: Effort): number {
  let inName = from;
  let inChunk = 0;
  while (inChunk < chunk.length) {
    effort.left -= 1;
    if (effort.left < 0) return spent;
    const letter = readOne(chunk, inChunk, inName < 0 || inName >= name.length ? undefined : readLetter(name, inName));
    if (letter.end < 0) return letter.end;
    effort.left -= letter.end - inChunk;
    inName = letter.size === 0 || inName < 0 ? failed : inName + letter.size;
    inChunk = letter.end;
  }
  return inName;
}

/** One element of a chunk against one letter; `size`: how much of the name it takes, 0: no match. */
function readOne(
  chunk: string,
  at: number,
  letter: Letter | undefined,
): { readonly size: number; readonly end: number } {
  if (chunk[at] === '[') {
    const { end, holds } = readClass(chunk, at + 1, letter?.code ?? 0);
    return { end, size: holds ? (letter?.size ?? 0) : 0 };
  }
  if (chunk[at] === '?') return { end: at + 1, size: letter === undefined || letter.byte === slash ? 0 : letter.size };
  const literal = chunk[at] === '\\' ? at + 1 : at;
  if (literal >= chunk.length) return { end: malformed, size: 0 };
  return { end: literal + 1, size: letter?.byte === chunk.charCodeAt(literal) ? 1 : 0 };
}

/** From after the bracket. A class has at least one range. */
function readClass(chunk: string, from: number, code: number): { readonly holds: boolean; readonly end: number } {
  const isNegated = chunk[from] === '^';
  let at = isNegated ? from + 1 : from;
  let isIn = false;
  do {
    const low = readBound(chunk, at);
    const high = chunk[low.end] === '-' ? readBound(chunk, low.end + 1) : low;
    if (low.end < 0 || high.end < 0) return { holds: false, end: malformed };
    isIn ||= low.code <= code && code <= high.code;
    at = high.end;
  } while (chunk[at] !== ']');
  return { holds: isIn !== isNegated, end: at + 1 };
}

/** One end of a range; something must follow it. */
function readBound(chunk: string, from: number): { readonly code: number; readonly end: number } {
  const wrong = { code: 0, end: malformed };
  if (from >= chunk.length || chunk[from] === '-' || chunk[from] === ']') return wrong;
  const at = chunk[from] === '\\' ? from + 1 : from;
  if (at >= chunk.length) return wrong;
  const { code, size } = readLetter(chunk, at);
  const isReadable = code !== unreadable || size !== 1;
  return isReadable && at + size < chunk.length ? { code, end: at + size } : wrong;
}

interface Letter {
  readonly code: number;
  /** Bytes. */
  readonly size: number;
  /** The first one. */
  readonly byte: number;
}

const slash = '/'.charCodeAt(0);

/** What Go uses for invalid bytes, one at a time. */
const unreadable = 0xfffd;

/** The letter encoded in UTF-8 at this position. */
function readLetter(bytes: string, at: number): Letter {
  const byte = bytes.charCodeAt(at);
  if (byte < 0x80) return { code: byte, size: 1, byte };
  const size = sizeOf(byte);
  const code = decodedLetter(bytes.slice(at, at + size));
  return code === undefined ? { code: unreadable, size: 1, byte } : { code, size, byte };
}

function sizeOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodedLetter(bytes: string): number | undefined {
  try {
    const text = decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    const code = text.codePointAt(0);
    return code !== undefined && String.fromCodePoint(code) === text ? code : undefined;
  } catch {
    return undefined;
  }
}
