import type * as z from 'zod';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** Reads a request as a person typed it, by the schema that every surface has in common. Throws Misconfigured with
 *  everything that is wrong, by flag: a field is the flag of its name, `forSeconds` is `--for`.
 *  @param typedTime the value of `--for`
 *  @param longest how long it may be, as people type it */
export function typedRequest<Request>(
  schema: z.ZodType<Request>,
  fields: object,
  { typedTime, longest }: { readonly typedTime?: string | undefined; readonly longest?: string | undefined } = {},
): Request {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: [field], message }) => {
    if (field !== 'forSeconds') return `--${String(field)} ${message}`;
    const typed = typedTime === undefined ? ' is missing' : ` ${typedTime}`;
    return `--for${typed}: how long? 30m, 2h, 1h30m; 1m to ${longest}`;
  });
  throw new Misconfigured(problems);
}
