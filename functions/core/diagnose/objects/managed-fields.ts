import * as z from 'zod';
import { listOf, maybeText, text } from './metadata.ts';

/** Who wrote a field last, from `metadata.managedFields`; entries may be stripped, and a manager is a program, never
 *  a person. */
export const ManagedBy = z.object({
  metadata: z
    .object({
      managedFields: listOf(
        z.object({ manager: text, operation: text, time: maybeText, fieldsV1: z.unknown().optional() }),
      ),
    })
    .catch({ managedFields: [] }),
});
export type ManagedBy = z.infer<typeof ManagedBy>;

export interface Author {
  readonly manager: string;
  /** ISO instant of that manager's last write of any field, which is not strictly when it wrote this one. */
  readonly at: string | undefined;
}

/** @param path keys of fieldsV1, e.g. `['f:spec', 'f:unschedulable']` */
export function authorOf(object: ManagedBy, path: readonly string[]): Author | undefined {
  const owners = object.metadata.managedFields.filter((entry) => reaches(entry.fieldsV1, path));
  const newest = owners.toSorted((a, b) => Date.parse(b.time ?? '') - Date.parse(a.time ?? ''))[0];
  return newest === undefined ? undefined : { manager: newest.manager, at: newest.time };
}

const Fields = z.record(z.string(), z.unknown());

function reaches(fields: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  const parsed = Fields.safeParse(fields);
  return parsed.success && key in parsed.data && reaches(parsed.data[key], rest);
}
