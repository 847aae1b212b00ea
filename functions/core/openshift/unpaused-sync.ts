import * as z from 'zod';

const instant = z.iso.datetime({ offset: true });

/** A sync that may go ahead without a pause, because the push that asks for it does nothing to the nodes. It covers
 *  one operation, of this commit. Losing it costs a needless pause. */
export const UnpausedSync = z.object({
  /** Id of the hold that there would be. */
  hold: z.string(),
  /** UID of the Application. */
  uid: z.string(),
  pool: z.string(),
  revision: z.string(),
  why: z.string(),
  at: instant,
  /** Not covered any longer after this. */
  until: instant,
  /** The rendered config from which on nothing that disturbs nodes was rendered. */
  rendered: z.string(),
  machineConfigs: z.array(z.string()),
  /** `startedAt` of the one operation, once it was seen. */
  startedAt: instant.optional(),
  /** When it was seen last. */
  seenAt: instant.optional(),
});

export type UnpausedSync = z.infer<typeof UnpausedSync>;
