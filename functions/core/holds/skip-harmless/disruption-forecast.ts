import type { UnpausedSync } from '../../openshift/unpaused-sync.ts';

/** What a push does to the nodes of a pool that is to be paused for disruptive changes only (`pauseFor:
 *  disruptive`). */
export type PushDisruption =
  /** Certainly nothing. `holds`: the Applications by which it comes, `machineConfigs`: all that their syncs write of
   *  the pool. */
  | {
      readonly kind: 'none';
      readonly why: string;
      readonly holds: readonly string[];
      readonly machineConfigs: readonly string[];
    }
  /** Something, or nobody knows: it is paused for. */
  | { readonly kind: 'possible'; readonly why: string };

/** What a pass knows of harm. */
export interface DisruptionForecast {
  /** What the push does, by pool; only pools that it touches and that are to be paused for disruptive changes only. */
  readonly ofPush: ReadonlyMap<string, PushDisruption>;
  /** Syncs that were spared before, as far as nothing was seen that speaks against it. */
  readonly spared: readonly UnpausedSync[];
}

export const noForecast: DisruptionForecast = { ofPush: new Map(), spared: [] };
