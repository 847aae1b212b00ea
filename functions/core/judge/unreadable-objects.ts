import { everyName, type UnreadableItem } from '../findings/listed.ts';
import { given } from '../text/given.ts';
import { byTurns } from '../text/rounds.ts';

/** An object that cannot be parsed, and since when. */
export interface UnreadableObject extends UnreadableItem {
  /** ISO instant. */
  readonly since: string;
}

/** What one pass saw of objects that cannot be parsed. */
export interface UnreadableSighting {
  /** Kinds of which every object was listed in this pass. What was unreadable of other kinds still is. */
  readonly complete: ReadonlySet<string>;
  readonly items: readonly UnreadableItem[];
}

/** Remembered between passes: a stranger's list of broken objects must not outgrow the table's item. */
export const keptAtMost = 50;

/** Of the reason, in UTF-16 units: it names up to five fields. */
const whyAtMost = 400;

/** The unreadable objects as known after this pass: pools first, then nodes and MachineConfigs, each the
 *  oldest first. A tenant writes none of them, so however many Applications are broken, these are remembered. Of each
 *  namespace the oldest come by turns: whoever has many broken ones hides none of others. */
export function unreadableNow(
  before: readonly UnreadableObject[],
  { complete, items }: UnreadableSighting,
  now: Date,
): readonly UnreadableObject[] {
  const known = new Map(before.map((each) => [unreadableKey(each), each]));
  const found = new Map(items.map((each) => [unreadableKey(each), each]));
  const kept = before.filter((each) => !complete.has(each.kind) && !found.has(unreadableKey(each)));
  const seen = [...found].map(([key, { kind, argocd, namespace, name, why }]) => ({
    kind,
    ...given({ argocd }),
    namespace,
    name,
    why: why.length > whyAtMost ? `${why.slice(0, whyAtMost).toWellFormed()} ...` : why,
    since: known.get(key)?.since ?? now.toISOString(),
  }));
  return firstUnreadable([...kept, ...seen]);
}

export function firstUnreadable(objects: readonly UnreadableObject[]): readonly UnreadableObject[] {
  const byRank = Map.groupBy(objects.toSorted(inOrder), rankOf);
  return [...byRank.values()].flatMap((same) => byTurns(same, placeOf)).slice(0, keptAtMost);
}

/** In the order in which people are told of them, by namespace: first what no tenant writes, then the namespace in
 *  which one has become unreadable last; in each, too, the newest first. */
export function byNamespaces(objects: readonly UnreadableObject[]): readonly (readonly UnreadableObject[])[] {
  const newestFirst = objects.toSorted((a, b) => rankOf(a) - rankOf(b) || compare(b.since, a.since));
  return [...Map.groupBy(newestFirst, placeOf).values()];
}

/** Its namespace: two Argo CDs may each have one of that name, in their own clusters. */
function placeOf({ argocd = '', namespace }: UnreadableItem): string {
  return `${argocd}/${namespace}`;
}

export function isPoolKind({ kind }: Pick<UnreadableItem, 'kind'>): boolean {
  return kind === 'MachineConfigPool';
}

/** Nothing of its namespace is seen, whose owner may have deleted it together with our rights. */
export function isUnlisted({ name }: Pick<UnreadableItem, 'name'>): boolean {
  return name === everyName;
}

/** Of a cluster-scoped kind, nothing that was asked for could be read. */
export function isUnreadKind({ namespace, name }: Pick<UnreadableItem, 'namespace' | 'name'>): boolean {
  return namespace === '' && name === everyName;
}

function inOrder(a: UnreadableObject, b: UnreadableObject): number {
  return rankOf(a) - rankOf(b) || compare(a.since, b.since) || compare(unreadableKey(a), unreadableKey(b));
}

function rankOf(object: UnreadableObject): number {
  if (isPoolKind(object)) return 0;
  return ['Node', 'MachineConfig'].includes(object.kind) || isUnlisted(object) ? 1 : 2;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function unreadableKey({ kind, argocd = '', namespace, name }: UnreadableItem): string {
  return [kind, argocd, namespace, name].join('/');
}
