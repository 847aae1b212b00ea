import { clipped, listed } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { applicationOfHold, type Hold, ownerOfHold } from './hold.ts';

/** In the order in which people are told of them: the newest of each owner, the newest of these first, then the next
 *  of each: messages name few, and whoever has many hides none of others.
 *  @param at what makes one of them new: an ISO instant; by default its beginning */
export function inTurns(holds: readonly Hold[], at = ({ since }: Hold): string => since): readonly Hold[] {
  return byTurns(newestFirst(holds, at), ownerOfHold);
}

function newestFirst(holds: readonly Hold[], at = ({ since }: Hold): string => since): readonly Hold[] {
  // Asked once of each: to find it may take a look at every Application.
  const dated = holds.map((hold) => ({ hold, at: Date.parse(at(hold)) }));
  return dated.toSorted((a, b) => b.at - a.at).map(({ hold }) => hold);
}

function isSync({ kind }: Hold): boolean {
  return kind === 'sync';
}

/** What is no sync first, which nobody can make up; then syncs, of each owner one after the other. */
function toldFirst(holds: readonly Hold[]): readonly Hold[] {
  return [...holds.filter((hold) => !isSync(hold)), ...inTurns(holds.filter(isSync))];
}

/** The same, of each owner the one that has held it longest: what comes and goes changes nothing of what is told of
 *  the others. */
export function heldLongest(holds: readonly Hold[]): readonly Hold[] {
  return [
    ...holds.filter((hold) => !isSync(hold)),
    ...byTurns(newestFirst(holds.filter(isSync)).toReversed(), ownerOfHold),
  ];
}

/** Names in a sentence, where more than one further is left out. */
const listedAtMost = 3;

/** Who holds it, in that order, for the middle of a sentence. */
export function holdersText(holds: readonly Hold[]): string {
  return textOf(holds, holds.length, holds);
}

/** The same of those but one, for each of them: hundreds may hold one pool.
 *  @param beside all holds of which people are told here
 *  @returns of the others than the one with that id; empty: there are none */
export function othersText(holds: readonly Hold[], beside = holds): (id: string) => string {
  const ids = new Set(holds.map(({ id }) => id));
  const shown = shownFirst(holds);
  const ofAll = textOf(shown, holds.length, beside);
  return (id) =>
    ids.has(id)
      ? textOf(
          shown.filter((hold) => hold.id !== id),
          holds.length - 1,
          beside,
        )
      : ofAll;
}

/** Those of which some are named, whichever one of them is left out: as many of as many owners as are named, and
 *  one more. In an order that tells those of one time apart as that of all does. */
function shownFirst(holds: readonly Hold[]): readonly Hold[] {
  const most = listedAtMost + 2;
  const syncs = newestFirst(holds.filter(isSync));
  const ofOwners = [...Map.groupBy(syncs, ownerOfHold).values()].slice(0, most);
  const first = new Set(ofOwners.flatMap((own) => own.slice(0, most)));
  return [...holds.filter((hold) => !isSync(hold)).slice(0, most), ...syncs.filter((hold) => first.has(hold))];
}

/** A holder as people are told of it beside others: of an Application also its Argo CD, where another one holds by an
 *  Application of that name. */
export function toldHolder(
  { id, kind, who }: Pick<Hold, 'id' | 'kind' | 'who'>,
  all: readonly Pick<Hold, 'id' | 'kind' | 'who'>[],
): string {
  const argocd = kind === 'sync' ? applicationOfHold(id)?.argocd : undefined;
  const hasNamesake = argocd !== undefined && all.some((each) => each.who === who && each.id !== id);
  return hasNamesake ? `${who} of Argo CD ${argocd}` : who;
}

function textOf(shown: readonly Hold[], count: number, beside: readonly Hold[]): string {
  const names = toldFirst(shown)
    .slice(0, listedAtMost + 1)
    .map((hold) => clipped(`the ${isSync(hold) ? 'sync' : 'hold'} of ${toldHolder(hold, beside)}`, 120));
  if (count <= names.length) return listed(names, listedAtMost);
  return `${names.slice(0, listedAtMost).join(', ')} and ${count - listedAtMost} more`;
}
