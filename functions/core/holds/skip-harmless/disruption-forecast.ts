import type { UnpausedSync } from '../../openshift/unpaused-sync.ts';

/** What a push does to the nodes of a pool with `pauseFor: disruptive`. */
export type PushDisruption =
  /** Certainly nothing. `holds`: sync hold ids of the Applications that bring it; `machineConfigs`: everything of the
   *  pool that their syncs write. */
  | {
      readonly kind: 'none';
      readonly why: string;
      readonly holds: readonly string[];
      readonly machineConfigs: readonly string[];
      /** By what of the cluster it was judged (`circumstancesMark`). */
      readonly circumstances: string;
    }
  /** Something, or it is unknown: the pool is paused. */
  | { readonly kind: 'possible'; readonly why: string };

/** What a pass knows about disruption. */
export interface DisruptionForecast {
  /** What the push does, by pool; only pools with `pauseFor: disruptive` that it affects. */
  readonly ofPush: ReadonlyMap<string, PushDisruption>;
  /** Syncs that may still go ahead without a pause, decided by earlier passes. */
  readonly unpaused: readonly UnpausedSync[];
}

export const noForecast: DisruptionForecast = { ofPush: new Map(), unpaused: [] };
