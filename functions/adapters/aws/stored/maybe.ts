import * as z from 'zod';

/** A field that may be undefined. JSON leaves such fields out, our types still name them. */
export function maybe<T extends z.ZodType>(shape: T) {
  return shape.optional().transform((value) => value);
}

/** Plain text that may be undefined. */
export const maybeText = maybe(z.string());
