import type * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import type { Row } from './row.ts';

/** DynamoDB limits an item to 400 KiB with its names and keys; the rest is for those. */
export const largestBodyBytes = 390 * 1024;

/** The JSON text of a value, reduced to fit one item: while it is too large the next cut is applied. The last cut must
 *  always fit. */
export function fittingBody<T>(value: T, cuts: readonly ((value: T) => T)[] = []): string {
  const text = JSON.stringify(value);
  const [cut, ...rest] = cuts;
  if (cut === undefined || Buffer.byteLength(text) <= largestBodyBytes) return text;
  return fittingBody(cut(value), rest);
}

/** Throws Transient for a row that this version cannot parse: unreadable does not mean empty. */
export function readBody<T extends z.ZodType>(shape: T, row: Row): z.infer<T> {
  const parsed = shape.safeParse(parse(row.body));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 5);
  throw new Transient(`the stored ${row.pk} ${row.sk} cannot be parsed at ${fields.join(', ')}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
