import { isAscii } from 'node:buffer';
import type * as z from 'zod';
import { BadInput } from '../core/text/errors.ts';
import type { RequestHeaders, WebRequest } from './exchange.ts';

/** Problems listed in one refusal. More would only repeat the same mistake. */
const problemsAtMost = 3;

/** Type and subtype without parameters, lower case; empty if there is none. */
export function mediaType(headers: RequestHeaders): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The body as the text its bytes spell, at most `limitBytes` of them: no more is ever held or parsed.
 *  Throws BadInput 413, or 400 when the bytes are not UTF-8. A text that came through is the bytes exactly, also with a
 *  byte order mark, so that a signature over one is a signature over the other.
 *  @param tooLargeHint what a 413 says beside the limit: what happens now, and what the caller can do */
export async function readText(
  request: Pick<WebRequest, 'headers' | 'body'>,
  limitBytes: number,
  tooLargeHint?: string,
): Promise<string> {
  if (Number(request.headers.get('content-length')) > limitBytes) throw tooLarge(limitBytes, tooLargeHint);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes, tooLargeHint);
    chunks.push(chunk);
  }
  const [first, ...more] = chunks;
  return textOf(first === undefined || more.length > 0 ? Buffer.concat(chunks) : first);
}

function textOf(bytes: Uint8Array): string {
  // Most bodies: to copy a byte into each character takes a third of the decoder's time.
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new BadInput('the body is not UTF-8 text', { cause });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Any JSON value. Throws BadInput; the parser's own message is left out because it quotes the body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadInput('the body is not JSON');
  }
}

/** `value` validated by a schema. Throws BadInput with the names of invalid fields, never their content. */
export function parseAs<T extends z.ZodType>(shape: T, value: unknown): z.infer<T> {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw new BadInput(
    read.error.issues
      .slice(0, problemsAtMost)
      .map(({ path, message }) => `${nameOf(path)}: ${message}`)
      .join('; '),
  );
}

/** Items of a list that may be invalid before the rest is left unread: a schema takes 20 to 40 microseconds to refuse
 *  one, and a body of 2 MiB has room for a million. In one process everything else would wait for them. */
const invalidAtMost = 100;

/** The items of a list, parsed one by one: an invalid one, which throws BadInput, costs the others nothing; after too
 *  many of them the rest counts as invalid unread. Throws BadInput if none that was read is valid. */
export function eachValid<T>(
  items: readonly unknown[],
  parse: (item: unknown) => T,
): { readonly valid: readonly T[]; readonly invalid: number } {
  const valid: T[] = [];
  const problems: BadInput[] = [];
  for (const item of items) {
    if (problems.length === invalidAtMost) break;
    try {
      valid.push(parse(item));
    } catch (cause) {
      if (!(cause instanceof BadInput)) throw cause;
      problems.push(cause);
    }
  }
  const [first] = problems;
  if (first !== undefined && valid.length === 0) throw first;
  return { valid, invalid: items.length - valid.length };
}

/** `commits[0].added`; `body` for the whole. */
function nameOf(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return steps.join('').replace(/^\./, '') || 'body';
}

function tooLarge(limitBytes: number, hint: string | undefined): BadInput {
  const what = `the body is larger than ${limitBytes / 1024} KiB`;
  return new BadInput(hint === undefined ? what : `${what}; ${hint}`, { status: 413 });
}
