import { type Application, isSyncing, type ObservedApplication } from '../argocd/application.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../openshift/pool-record.ts';
import type { JudgeInput } from './input.ts';

/** The sync holds on a pool. */
export function syncHoldsOf({ pool }: { readonly pool: Pool }): readonly Hold[] {
  return holdsOf(pool).filter(({ kind }) => kind === 'sync');
}

/** Those that no person has overruled: they keep it paused. */
export function standingSyncHoldsOf({ pool }: { readonly pool: Pool }): readonly Hold[] {
  return standingHoldsOf(pool).filter(({ kind }) => kind === 'sync');
}

/** What this pass read of the Application that a hold is for; undefined: nothing. */
export function observedOf(hold: Hold, observations: readonly ObservedApplication[]): ObservedApplication | undefined {
  return applicationHeldBy(hold.id, observations);
}

/** The Application that a hold is for, if it could be read. One that deploys to another cluster by now, only while a
 *  sync of it may have begun here: what stands still in it keeps the pool paused all the same, but for one that is kept
 *  for its failure anyway. */
export function heldApplication(
  hold: Hold,
  { applications, policy }: Pick<JudgeInput, 'applications' | 'policy'>,
): Application | undefined {
  const observed = observedOf(hold, applications);
  if (observed?.kind === 'gone') {
    const application = observed.elsewhere?.application;
    const isKept = hold.phase === 'failed' && policy.onSyncFailure === 'keep';
    const isMeant = hold.phase === 'syncing' || (!isKept && application !== undefined && isSyncing(application));
    return isMeant ? application : undefined;
  }
  return observed?.kind === 'seen' ? observed.application : undefined;
}
