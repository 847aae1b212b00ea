import * as z from 'zod';

const instant = z.iso.datetime({ offset: true });

/** A sync that may run without a pause, because its push does not disrupt the nodes. It covers one operation, of this
 *  commit. Losing it costs a needless pause. */
export const UnpausedSync = z.object({
  /** Id of the hold that would have been added. */
  hold: z.string(),
  /** UID of the Application. */
  uid: z.string(),
  pool: z.string(),
  revision: z.string(),
  why: z.string(),
  at: instant,
  /** Not valid after this. */
  until: instant,
  /** The rendered config since which nothing disruptive was rendered. */
  rendered: z.string(),
  machineConfigs: z.array(z.string()),
  /** By what it was judged besides (`circumstancesMark`). Empty: an earlier version stored it, and it is not known. */
  circumstances: z.string().default(''),
  /** `startedAt` of the one operation, once it was observed. */
  startedAt: instant.optional(),
  /** When it was last observed. */
  seenAt: instant.optional(),
});

export type UnpausedSync = z.infer<typeof UnpausedSync>;
