import * as z from 'zod';
import { instant, syncHoldId } from '../openshift/hold.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { clipped } from '../text/phrases.ts';
import { problems } from '../text/problems.ts';
import { stable } from '../text/stable.ts';

/** The AppProject annotation that says which Applications are guarded and which of their windows are open. It
 *  changes in the same patch as the windows. */
export const guardsAnnotation = 'poolkeeper.dev/guards';

/** One guarded Application. Its deny window stands in the AppProject unless `open` is there. */
export const Guard = z.object({
  /** `<namespace>/<name>`. */
  application: z.string().min(1),
  /** The cluster it deploys to, by its name in the configuration. */
  cluster: z.string().min(1),
  /** Tells its cluster from others of that name; absent: an earlier version has written it, or it is not known. */
  clusterId: z.string().optional(),
  /** Pools that were required to be paused when it was opened; for one that is closed, those that it affects. Of
   *  many, for which the record has no room: `*`, any pool of the cluster. */
  pools: z.array(z.string()),
  /** The window has been taken away. */
  open: z
    .object({
      since: instant,
      why: z.string(),
      /** Opened without a pause, because this commit affects no pool; until then at most. */
      harmless: z.object({ revision: z.string(), until: instant }).optional(),
    })
    .optional(),
  /** It was open for an automated sync that never came. For the commits of these marks it stays closed until then. */
  tried: z.object({ revisions: z.array(z.string()), until: instant }).optional(),
  /** How often in a row it was open for a sync that Argo CD would make by itself, and none came, and since when. */
  unanswered: z.object({ times: z.number(), since: instant }).optional(),
  /** When its Application was first seen to deploy to another cluster, which guards syncs and did not guard it yet. */
  leavingSince: instant.optional(),
  /** That cluster. Absent: it leaves for none, or a version wrote it that did not note it. */
  leavingFor: z.string().optional(),
});
export type Guard = z.infer<typeof Guard>;

const GuardRecord = z.object({ v: z.literal(1), guards: z.array(Guard) });

export type GuardsRead =
  | { readonly kind: 'guards'; readonly guards: readonly Guard[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Characters. Annotations of one object may have 256 KiB: what was written can be read. */
const longest = 256 * 1024;
/** Characters of the record that is written: other annotations need some of that room, too. */
const longestWritten = 192 * 1024;

/** Parses the annotation. An unreadable one is never overwritten: its AppProject is left alone and reported. */
export function readGuards(text: string | undefined): GuardsRead {
  if (text === undefined || text === '') return { kind: 'guards', guards: [] };
  if (text.length > longest) {
    const why = `annotation ${guardsAnnotation}: has ${text.length} characters, more than an object may have in all`;
    return { kind: 'unreadable', why };
  }
  const parsed = GuardRecord.safeParse(parseJson(text));
  if (parsed.success) return { kind: 'guards', guards: parsed.data.guards };
  const found = problems();
  found.add(parsed.error.issues);
  return { kind: 'unreadable', why: `annotation ${guardsAnnotation}: ${found.words()}` };
}

/** Null: nothing is guarded, the annotation goes. */
export function guardsText(guards: readonly Guard[]): string | null {
  return guards.length === 0 ? null : JSON.stringify({ v: 1, guards });
}

/** Characters of the record that guards may fill; of those for Applications in other namespaces than that of their
 *  AppProject, half of it: who may write there can make up any number. */
const room = { all: 128 * 1024, ofOthers: 64 * 1024 };
/** Characters that a guard takes besides while it is open. Most never are at once, and where they are, reasons are cut;
 *  but whoever can make up any number can open them all, for the longest of reasons. */
const roomToOpen = { own: 100, ofOthers: 700 };

const anyPool = '*';
/** Pools whose names are always kept: they take no more than the rest of a guard. */
const alwaysNamed = 3;

export function concernsPool({ pools }: Pick<Guard, 'pools'>, pool: string): boolean {
  return pools.includes(pool) || namesNoPool({ pools });
}

/** It concerns more pools than the record has room for. */
export function namesNoPool({ pools }: { readonly pools: readonly string[] }): boolean {
  return pools.includes(anyPool);
}

/** Guards that stand, with those of other namespaces within their share: they are never left out, but they may affect
 *  more pools than when they were added. Those with the most do not name them any more, and once it is so, it stays so,
 *  or two clusters would write the record by turns. */
export function guardsInShare(guards: readonly Guard[], before: readonly Guard[], home: string): readonly Guard[] {
  const isOther = (guard: Guard) => namespaceOf(guard) !== home;
  const unnamed = before.filter(namesNoPool);
  const known = guards.map((guard) =>
    namesMany(guard) && unnamed.some((each) => isSameGuard(each, guard)) ? { ...guard, pools: [anyPool] } : guard,
  );
  return withFewerPools(known, isOther, roomOf(known.filter(isOther), home) - room.ofOthers);
}

/** Of those that may be shortened, the ones with the most pools do not name them any more.
 *  @param over characters to be saved */
function withFewerPools(guards: readonly Guard[], mayBe: (guard: Guard) => boolean, over: number): readonly Guard[] {
  let left = over;
  const shortened = new Set<Guard>();
  const long = guards.filter((guard) => mayBe(guard) && namesMany(guard));
  for (const guard of long.toSorted((a, b) => b.pools.join().length - a.pools.join().length)) {
    if (left <= 0) break;
    shortened.add(guard);
    left -= JSON.stringify(guard.pools).length - JSON.stringify([anyPool]).length;
  }
  return guards.map((guard) => (shortened.has(guard) ? { ...guard, pools: [anyPool] } : guard));
}

function namesMany({ pools }: Guard): boolean {
  return pools.length > alwaysNamed;
}

/** Characters of a reason where there is no room for whole ones, and what says that something is left out. */
const shortReason = { words: 20, all: 25 };

/** The guards as their record has room for them when many are open at once, or have gained pools: reasons in short, and
 *  if that is not enough, no names of pools where they are many. What is short stays short. */
export function guardsWithRoom(guards: readonly Guard[]): readonly Guard[] {
  if (over(guards) <= 0) return guards;
  const short = guards.map((guard) => (guard.open === undefined ? guard : { ...guard, open: inShort(guard.open) }));
  return withFewerPools(short, () => true, over(short));
}

function over(guards: readonly Guard[]): number {
  return (guardsText(guards)?.length ?? 0) - longestWritten;
}

function inShort(open: NonNullable<Guard['open']>): NonNullable<Guard['open']> {
  const { why } = open;
  return why.length > shortReason.all ? { ...open, why: clipped(why, shortReason.words) } : open;
}

function namespaceOf(guard: Guard): string {
  return applicationOfGuard(guard).namespace;
}

/** Characters that they take when all of them are open. */
function roomOf(guards: readonly Guard[], home: string): number {
  return guards.reduce((size, guard) => size + sizeOf(guard, home), 0);
}

function sizeOf(guard: Guard, home: string): number {
  return JSON.stringify(guard).length + (namespaceOf(guard) === home ? roomToOpen.own : roomToOpen.ofOthers);
}

/** Which further guards there is room for. Those that stand are never left out. */
export function guardsThatFit(
  standing: readonly Guard[],
  added: readonly Guard[],
  home: string,
): { readonly fit: readonly Guard[]; readonly leftOut: readonly Guard[] } {
  const isOther = (guard: Guard) => namespaceOf(guard) !== home;
  let [left, leftForOthers] = [
    room.all - roomOf(standing, home),
    room.ofOthers - roomOf(standing.filter(isOther), home),
  ];
  const fit = new Set<Guard>();
  for (const guard of added) {
    const size = sizeOf(guard, home);
    if (size > left || (isOther(guard) && size > leftForOthers)) continue;
    fit.add(guard);
    left -= size;
    if (isOther(guard)) leftForOthers -= size;
  }
  return { fit: [...fit], leftOut: added.filter((guard) => !fit.has(guard)) };
}

/** Stands for the commits that an Application compares with, however many and long: its status says what whoever may
 *  write it wants. */
export function commitsMark(revisions: readonly string[]): string {
  return fingerprint(JSON.stringify(revisions.toSorted()));
}

/** Whatever the order of their fields: what is read has that of the schema, and what is decided its own. */
export function sameGuards(a: readonly Guard[], b: readonly Guard[]): boolean {
  return stable(a) === stable(b);
}

function isSameGuard(a: Pick<Guard, 'application' | 'cluster'>, b: Pick<Guard, 'application' | 'cluster'>) {
  return a.application === b.application && a.cluster === b.cluster;
}

/** Namespace and name of its Application. */
export function applicationOfGuard({ application }: Pick<Guard, 'application'>): {
  readonly namespace: string;
  readonly name: string;
} {
  const slash = application.indexOf('/');
  return { namespace: application.slice(0, slash), name: application.slice(slash + 1) };
}

/** Id of the sync hold that its Application has, or would have: another instance may have an Application of the same
 *  namespace and name. */
export function holdOfGuard(argocd: string, guard: Pick<Guard, 'application'>): string {
  return syncHoldId({ argocd, ...applicationOfGuard(guard) });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
