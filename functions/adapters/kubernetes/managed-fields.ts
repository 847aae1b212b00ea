import * as z from 'zod';
import { foreignName } from '../../core/text/foreign-text.ts';

const Name = z.string().transform(foreignName);

/** Who wrote which fields, as recorded by the API server. Source: apimachinery meta/v1 ManagedFieldsEntry. */
export const ManagedFields = z.array(
  z.object({
    manager: Name.catch(''),
    /** `Apply` by server-side apply, else `Update`. */
    operation: Name.optional().catch(undefined),
    /** Absent in entries of very old API servers. */
    time: Name.optional().catch(undefined),
    /** `status` for writes to the status subresource. */
    subresource: Name.optional().catch(undefined),
    fieldsV1: z.unknown().optional(),
  }),
);
export type ManagedFields = z.infer<typeof ManagedFields>;

/** The newest writer of the field at `path` (`['f:spec', 'f:paused']`), ignoring writes to the status. `at` is the time
 *  of that manager's last write to any field of the object. Of equal times the later entry counts. */
export function newestOwner(
  entries: ManagedFields,
  path: readonly string[],
): { readonly manager: string; readonly at: string | undefined } | undefined {
  const owners = entries.filter((entry) => entry.subresource !== 'status' && has(entry.fieldsV1, path));
  const newest = owners.reduce<ManagedFields[number] | undefined>(
    (best, entry) => (best === undefined || instant(entry.time) >= instant(best.time) ? entry : best),
    undefined,
  );
  return newest && { manager: newest.manager, at: newest.time };
}

function has(fields: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof fields !== 'object' || fields === null) return false;
  const inner = Object.entries(fields).find(([name]) => name === key);
  return inner !== undefined && has(inner[1], rest);
}

function instant(time: string | undefined): number {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}
