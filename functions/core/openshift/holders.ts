import { clipped, listed } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { type Hold, ownerOfHold } from './hold.ts';

/** In the order in which people are told of them: the newest of each namespace, the newest of these first, then the
 *  next of each: messages name few, and whoever has many hides none of others.
 *  @param at what makes one of them new: an ISO instant; by default its beginning */
export function inTurns(holds: readonly Hold[], at = ({ since }: Hold): string => since): readonly Hold[] {
  // Asked once of each: to find it may take a look at every Application.
  const dated = holds.map((hold) => ({ hold, at: Date.parse(at(hold)) }));
  const newestFirst = dated.toSorted((a, b) => b.at - a.at).map(({ hold }) => hold);
  return byTurns(newestFirst, ({ id }) => ownerOfHold(id));
}

/** What is no sync first, which nobody can make up; then syncs, of each namespace one after the other. */
export function toldFirst(holds: readonly Hold[]): readonly Hold[] {
  const isSync = ({ kind }: Hold) => kind === 'sync';
  return [...holds.filter((hold) => !isSync(hold)), ...inTurns(holds.filter(isSync))];
}

/** Who holds it, in that order, for the middle of a sentence. */
export function holdersText(holds: readonly Hold[]): string {
  const names = toldFirst(holds).map(({ kind, who }) => `the ${kind === 'sync' ? 'sync' : 'hold'} of ${who}`);
  return listed(
    names.map((name) => clipped(name, 120)),
    3,
  );
}
