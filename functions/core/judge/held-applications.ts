import type { Application, ObservedApplication } from '../argocd/application.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { type Hold, ownerOfHold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../openshift/pool-record.ts';
import { clipped, listed } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import type { JudgeInput } from './input.ts';

/** The sync holds on a pool. */
export function syncHoldsOf({ pool }: { readonly pool: Pool }): readonly Hold[] {
  return holdsOf(pool).filter(({ kind }) => kind === 'sync');
}

/** Those that no person has overruled: they keep it paused. */
export function standingSyncHoldsOf({ pool }: { readonly pool: Pool }): readonly Hold[] {
  return standingHoldsOf(pool).filter(({ kind }) => kind === 'sync');
}

/** In the order in which people are told of them: the newest of each namespace, the newest of these first, then the
 *  next of each: messages name few, and whoever has many hides none of others.
 *  @param at what makes one of them new: an ISO instant; by default its beginning */
export function inTurns(holds: readonly Hold[], at = ({ since }: Hold): string => since): readonly Hold[] {
  // Asked once of each: to find it may take a look at every Application.
  const dated = holds.map((hold) => ({ hold, at: Date.parse(at(hold)) }));
  const newestFirst = dated.toSorted((a, b) => b.at - a.at).map(({ hold }) => hold);
  return byTurns(newestFirst, ({ id }) => ownerOfHold(id));
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

/** Who holds it, of each namespace one after the other, for the middle of a sentence. */
export function holdersText(holds: readonly Hold[]): string {
  const people = holds.filter(({ kind }) => kind !== 'sync');
  const syncs = inTurns(holds.filter(({ kind }) => kind === 'sync'));
  const names = [...people.map(({ who }) => `the hold of ${who}`), ...syncs.map(({ who }) => `the sync of ${who}`)];
  return listed(
    names.map((name) => clipped(name, 120)),
    3,
  );
}
