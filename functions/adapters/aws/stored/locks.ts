import * as z from 'zod';
import type { Locks } from '../../../core/fleet-lock/locks.ts';

export const StoredLocks = z.looseObject({
  version: z.number(),
  held: z.array(z.looseObject({ group: z.string(), id: z.string(), since: z.string() })),
}) satisfies z.ZodType<Locks>;
