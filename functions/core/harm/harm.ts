import * as z from 'zod';

/** What a push does to the nodes of a pool that is to be paused for disruptive changes only (`pauseFor: disruptive`). */
export type Harm =
  /** Certainly nothing. `holds`: the Applications by which it comes, `machineConfigs`: all that their syncs write of the pool. */
  | {
      readonly kind: 'none';
      readonly why: string;
      readonly holds: readonly string[];
      readonly machineConfigs: readonly string[];
    }
  /** Something, or nobody knows: it is paused for. */
  | { readonly kind: 'feared'; readonly why: string };

const instant = z.iso.datetime({ offset: true });

/** A sync that may go ahead without a pause, because the push that asks for it does nothing to the nodes. It covers one operation, of this
 *  commit. Losing it costs a needless pause. */
export const SparedSync = z.object({
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
export type SparedSync = z.infer<typeof SparedSync>;

/** What a pass knows of harm. */
export interface HarmSight {
  /** What the push does, by pool; only pools that it touches and that are to be paused for disruptive changes only. */
  readonly ofPush: ReadonlyMap<string, Harm>;
  /** Syncs that were spared before, as far as nothing was seen that speaks against it. */
  readonly spared: readonly SparedSync[];
}

export const noHarmSeen: HarmSight = { ofPush: new Map(), spared: [] };
