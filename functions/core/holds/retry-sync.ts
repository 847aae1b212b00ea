import type { Application, ObservedApplication } from '../argocd/application.ts';
import { refusedSync } from '../argocd/refused-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { refusingPools } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../openshift/pool-record.ts';
import { byName } from '../text/by-name.ts';
import type { Snapshot } from './snapshot.ts';

/** Name under which Poolkeeper starts an operation in Argo CD. If that one is refused too, it is not retried again. */
export const starter = 'poolkeeper';

/** Syncs that the admission level refused, that Argo CD does not retry by itself, and whose pools are now confirmed
 *  paused. Each is retried once: the new operation names its starter. Policy onRefusedSync. */
export function syncsToRetry(
  { settings, pools, applications }: Pick<Snapshot, 'settings' | 'pools' | 'applications'>,
  now: Date,
): readonly Application[] {
  if (settings.policy.onRefusedSync !== 'restart') return [];
  const refusing = refusingPools(settings);
  return applications.flatMap((observed: ObservedApplication) => {
    if (observed.kind !== 'seen' || observed.application.operation?.startedBy === starter) return [];
    const refused = refusedSync(observed.application, refusing, settings.policy, now);
    if (refused === undefined) return [];
    const id = syncHoldId(observed.application);
    const held = pools.filter((pool) => holdsOf(pool).some((hold) => hold.id === id));
    const named = refused.pools.map((name) => byName(pools, name));
    const isOverruled = held.some((pool) => !standingHoldsOf(pool).some((hold) => hold.id === id));
    const isReady =
      held.length > 0 &&
      !isOverruled &&
      [...held, ...named].every((pool) => pool !== undefined && isConfirmedPaused(pool));
    return isReady ? [observed.application] : [];
  });
}

/** The MCO has observed the pool as it is now. */
function isConfirmedPaused({ paused, generation, observedGeneration }: Pool): boolean {
  return paused && observedGeneration >= generation;
}
