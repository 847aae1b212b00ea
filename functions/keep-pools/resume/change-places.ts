import type { Places } from '../../core/budget/place.ts';
import { Transient } from '../../core/text/errors.ts';
import type { BudgetPlaces } from '../../ports/tables.ts';

/** Passes that overlap on the places are those of clusters that resume in the same instant; more attempts mean that
 *  something is wrong. */
const mostTries = 10;

/** Changes the places that were read last, again if another pass was faster. Throws Transient when they can be neither
 *  read nor written. */
export async function changePlaces<T>(
  stored: BudgetPlaces,
  change: (places: Places) => { readonly places: Places; readonly outcome: T },
): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await stored.load();
    const { places, outcome } = change(before);
    if (isSame(before, places) || (await stored.save(places))) return outcome;
  }
  throw new Transient('the places of the budget are written by too many passes', { kind: 'busy' });
}

function isSame(a: Places, b: Places): boolean {
  return JSON.stringify([a.taken, a.nodes]) === JSON.stringify([b.taken, b.nodes]);
}
