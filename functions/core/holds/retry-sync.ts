import type { Application, ObservedApplication } from '../argocd/application.ts';
import { refusedSync } from '../argocd/refused-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

/** Who started an operation, as Argo CD shows it. One of ours that is refused again is not started a third time. */
export const starter = 'poolkeeper';

/** Syncs that the admission level refused, that Argo CD does not try again by itself, and whose pools are paused by
 *  now, confirmed. Once for each of them: the operation that is started says who started it. Policy onRefusedSync. */
export function syncsToRetry(
  { settings, pools, applications }: Pick<Snapshot, 'settings' | 'pools' | 'applications'>,
  now: Date,
): readonly Application[] {
  if (settings.policy.onRefusedSync !== 'restart') return [];
  return applications.flatMap((observed: ObservedApplication) => {
    if (observed.kind !== 'seen' || observed.application.operation?.startedBy === starter) return [];
    const refused = refusedSync(observed.application, settings.policy, now);
    if (refused === undefined) return [];
    const id = syncHoldId(observed.application);
    const held = pools.filter((pool) => holdsOf(pool).some((hold) => hold.id === id));
    const named = refused.pools.map((name) => pools.find((pool) => pool.name === name));
    const isReady = held.length > 0 && [...held, ...named].every((pool) => pool !== undefined && isPausedForSure(pool));
    return isReady ? [observed.application] : [];
  });
}

/** The MCO has seen the pool as it is now. */
function isPausedForSure({ paused, generation, observedGeneration }: Pool): boolean {
  return paused && observedGeneration >= generation;
}
