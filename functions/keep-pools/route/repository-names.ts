import type { Route, SetRoute } from '../../core/routing/route.ts';
import { repositoriesOf } from '../../core/routing/repository.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { plusSeconds, secondsSince } from '../../core/text/instant.ts';
import { byTurns, roundsOf } from '../../core/text/rounds.ts';
import type { KnownName } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** How long an answer counts. A repository is renamed rarely, and each question takes one of 5,000 in an hour. */
const askAgainSeconds = 24 * 3600;
/** How long one that was not answered waits. */
const failedForSeconds = 3600;
/** Names that one list of Applications asks for, and that are kept. */
const [askedAtMost, keptAtMost] = [10, 2_000];

type Followed = Pick<SetRoute['generators'][number], 'repoURL' | 'now'>;

type AskingPorts = Pick<KeepPorts, 'repositoryNames' | 'clock' | 'logger'>;

/** What the repositories that are followed are called now: as it is known, and of a few of which it is not, or not
 *  lately, as the Git host says. Whoever renames one leaves the Applications as they are: they go on syncing through
 *  the redirect, and its pushes come under the new name. */
export async function askNames(
  { routes, sets }: { readonly routes: readonly Route[]; readonly sets: readonly SetRoute[] },
  known: readonly KnownName[],
  { repositoryNames, ...others }: AskingPorts,
): Promise<readonly KnownName[]> {
  if (repositoryNames === undefined) return known;
  const owners = ownersOf({ routes, sets }, repositoryNames.isAsked);
  const names = new Set(owners.keys());
  const ports = { repositoryNames, ...others };
  const now = ports.clock();
  const before = new Map(known.map((each) => [each.name, each]));
  const due = inTurns({ owners, before, now }).slice(0, askedAtMost);
  if (due.length === 0 && known.every(({ name }) => names.has(name))) return known;
  const asked = await Promise.all(due.map((name) => askName(name, before.get(name)?.now, ports)));
  const fresh = new Map(asked.map((each) => [each.name, each]));
  const kept = known.filter(({ name }) => names.has(name) && !fresh.has(name));
  const all = [...asked, ...kept].toSorted((a, b) => Number(b.now !== undefined) - Number(a.now !== undefined));
  return all.slice(0, keptAtMost);
}

/** The repositories that are followed, each with a namespace that follows it. */
function ownersOf(
  { routes, sets }: { readonly routes: readonly Route[]; readonly sets: readonly SetRoute[] },
  isAsked: (name: string) => boolean,
): ReadonlyMap<string, string> {
  const followed: readonly (readonly [SetRoute['ref'] | Route['ref'], readonly Followed[]])[] = [
    ...routes.map(({ ref, sources }) => [ref, sources] as const),
    ...sets.map(({ ref, generators }) => [ref, generators] as const),
  ];
  const owners = followed.flatMap(([{ namespace }, all]) =>
    all.flatMap(({ repoURL }) => repositoriesOf(repoURL).map((name) => [name, namespace] as const)),
  );
  // The first of them counts.
  return new Map(owners.filter(([name]) => isAsked(name)).toReversed());
}

/** Names that are due, the next ones first. The new ones, those that are known and those that were not answered take
 *  turns, and among each of these the namespaces: whoever brings many, or many that the Git host refuses, leaves some
 *  of each list to the others. */
function inTurns({
  owners,
  before,
  now,
}: {
  readonly owners: ReadonlyMap<string, string>;
  readonly before: ReadonlyMap<string, KnownName>;
  readonly now: Date;
}): readonly string[] {
  const ageOf = (name: string) => secondsSince(before.get(name)?.askedAt ?? '1970-01-01T00:00:00Z', now);
  const due = [...owners.keys()]
    .filter((name) => ageOf(name) >= askAgainSeconds)
    .toSorted((a, b) => ageOf(b) - ageOf(a));
  const kinds = Map.groupBy(due, (name) => {
    const last = before.get(name);
    if (last === undefined) return 'new';
    return last.isUnanswered ? 'unanswered' : 'known';
  });
  const inOrder = (['new', 'known', 'unanswered'] as const).map((kind) => kinds.get(kind) ?? []);
  return roundsOf(inOrder.map((names) => byTurns(names, (name) => owners.get(name) ?? ''))).flat();
}

async function askName(
  name: string,
  earlier: string | undefined,
  { repositoryNames, clock, logger }: Required<AskingPorts>,
): Promise<KnownName> {
  const askedAt = clock().toISOString();
  try {
    const found = await repositoryNames?.nameNow(name);
    // GitHub hides what may not be read, and what was learnt may still be so.
    if (found === undefined && earlier !== undefined)
      throw new Misconfigured(['the Git host has none of that name, or it may not be read']);
    if (found === undefined || found === name) return { name, askedAt };
    if (found !== earlier) logger.warn('Applications name a repository as it was called before', { name, found });
    return { name, now: found, askedAt };
  } catch (cause) {
    if (!(cause instanceof Transient) && !(cause instanceof Misconfigured)) throw cause;
    logger.info('it is not known what a repository is called now', { name, why: cause.message });
    const asIfAskedAt = plusSeconds(new Date(askedAt), failedForSeconds - askAgainSeconds);
    return { name, ...(earlier === undefined ? {} : { now: earlier }), askedAt: asIfAskedAt, isUnanswered: true };
  }
}

/** With what the repositories of their sources are called now. */
export function routesWithNames(routes: readonly Route[], names: readonly KnownName[]): readonly Route[] {
  const moved = movedIn(names);
  return routes.map((route) => {
    const sources = withNames(route.sources, moved);
    return sources === route.sources ? route : { ...route, sources };
  });
}

export function setsWithNames(sets: readonly SetRoute[], names: readonly KnownName[]): readonly SetRoute[] {
  const moved = movedIn(names);
  return sets.map((set) => {
    const generators = withNames(set.generators, moved);
    return generators === set.generators ? set : { ...set, generators };
  });
}

type Moved = ReadonlyMap<string, string>;

function movedIn(names: readonly KnownName[]): Moved {
  return new Map(names.flatMap(({ name, now }) => (now === undefined ? [] : [[name, now]])));
}

/** The same array if nothing changes. */
function withNames<T extends Followed>(followed: readonly T[], moved: Moved): readonly T[] {
  const named = followed.map((each) => withName(each, moved));
  return named.some((each, at) => each !== followed[at]) ? named : followed;
}

function withName<T extends Followed>(followed: T, moved: Moved): T {
  const now =
    moved.size === 0 ? undefined : repositoriesOf(followed.repoURL).flatMap((each) => moved.get(each) ?? [])[0];
  if (now === followed.now) return followed;
  return { ...followed, now };
}
