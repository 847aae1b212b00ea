import { type ObservedApplication, refOf } from '../argocd/application.ts';
import { syncHoldId } from './hold.ts';

const indexes = new WeakMap<readonly ObservedApplication[], ReadonlyMap<string, ObservedApplication>>();

/** What was read of the Application that a sync hold is for, by the id of the hold; undefined: nothing. A pool may have
 *  hundreds of holds, and a pass asks for each of them several times. */
export function applicationHeldBy(
  holdId: string,
  applications: readonly ObservedApplication[],
): ObservedApplication | undefined {
  const index = indexes.get(applications) ?? indexOf(applications);
  indexes.set(applications, index);
  return index.get(holdId);
}

function indexOf(applications: readonly ObservedApplication[]): ReadonlyMap<string, ObservedApplication> {
  // Of two by one name the first counts.
  return new Map(applications.toReversed().map((each) => [syncHoldId(refOf(each)), each]));
}
