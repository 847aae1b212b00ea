import type { Application, ObservedApplication } from '../argocd/application.ts';
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

/** The Application that a hold is for, if it could be read. */
export function heldApplication(hold: Hold, { applications }: JudgeInput): Application | undefined {
  const observed = observedOf(hold, applications);
  return observed?.kind === 'seen' ? observed.application : undefined;
}
