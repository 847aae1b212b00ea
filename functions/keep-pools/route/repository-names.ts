import { createHash } from 'node:crypto';
import { repositoriesOf } from '../../core/routing/repository.ts';
import type { Route, SetRoute } from '../../core/routing/route.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { oncePer } from '../../core/text/once-per.ts';
import { roundsOf } from '../../core/text/rounds.ts';
import { unique } from '../../core/text/unique.ts';
import type { KnownName } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** How long an answer counts. A repository is renamed rarely, and each question takes one of 5,000 in an hour. */
const askAgainSeconds = 24 * 3600;
/** How long one that was not answered waits. */
const failedForSeconds = 3600;
/** How long nobody is asked again, whoever has the Applications listed: pushes may, many times a minute. */
const restSeconds = 60;
/** Names that one list of Applications asks for, and that are kept: the first of those that were learnt, and some that
 *  say nothing at least, or these were asked for each time. */
const [askedAtMost, keptAtMost, movedAtMost] = [10, 2_000, 1_500];

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
  const followers = followersOf({ routes, sets }, repositoryNames.isAsked);
  const ports = { repositoryNames, ...others };
  const now = ports.clock();
  const before = new Map(known.map((each) => [each.name, each]));
  const isResting = known.some(({ askedAt }) => Math.abs(secondsSince(askedAt, now)) < restSeconds);
  const due = isResting ? [] : inTurns({ followers, before, now }).slice(0, askedAtMost);
  if (due.length === 0 && known.every(({ name }) => followers.has(name))) return known;
  const asked = await Promise.all(due.map((name) => askName(name, before.get(name)?.now, ports)));
  const all = new Map([...asked, ...known.filter(({ name }) => !due.includes(name))].map((each) => [each.name, each]));
  return keptOf(all, followers).flatMap((name) => all.get(name) ?? []);
}

/** What is kept, in turns: mostly what was learnt. */
function keptOf(all: ReadonlyMap<string, KnownName>, followers: Followers): readonly string[] {
  const inTurn = (isMoved: boolean) => {
    const some = [...all].filter(([, { now }]) => (now !== undefined) === isMoved);
    return turnsOf(
      some.map(([name]) => name),
      followers,
    );
  };
  const moved = inTurn(true);
  return [...moved.slice(0, movedAtMost), ...inTurn(false), ...moved.slice(movedAtMost)].slice(0, keptAtMost);
}

/** The repositories that are followed, each with the Applications and ApplicationSets that follow it. */
type Followers = ReadonlyMap<string, ReadonlySet<string>>;

function followersOf(
  { routes, sets }: { readonly routes: readonly Route[]; readonly sets: readonly SetRoute[] },
  isAsked: (name: string) => boolean,
): Followers {
  const followed: readonly (readonly [string, readonly Followed[]])[] = [
    ...routes.map(({ ref, sources }) => [`${ref.namespace}/${ref.name}`, sources] as const),
    ...sets.map(
      ({ ref, generators, template }) =>
        [`${ref.namespace}/set/${ref.name}`, [...generators, ...(template?.sources ?? [])]] as const,
    ),
  ];
  const followers = new Map<string, Set<string>>();
  for (const [follower, all] of followed)
    for (const name of all.flatMap(({ repoURL }) => repositoriesOf(repoURL)))
      if (isAsked(name)) followers.set(name, (followers.get(name) ?? new Set()).add(follower));
  return followers;
}

/** Each has a turn in every namespace that follows it, and there in every Application: whoever brings many, and names
 *  those of others among them, takes no turn of theirs. Without those that nobody follows. Lots decide which namespaces
 *  and Applications come first; without, they come as they are listed. */
function turnsOf(names: readonly string[], followers: Followers, lotOf?: LotOf): readonly string[] {
  const turns = names.flatMap((name) => [...(followers.get(name) ?? [])].map((follower) => ({ name, follower })));
  const byNamespace = Map.groupBy(turns, ({ follower }) => follower.split('/')[0] ?? '');
  const inNamespaces = inLots(byNamespace, lotOf).map((own) => {
    const byFollower = Map.groupBy(own, ({ follower }) => follower);
    return roundsOf(inLots(byFollower, lotOf)).flat();
  });
  const all = roundsOf(inNamespaces).flat();
  return unique(all.map(({ name }) => name));
}

type LotOf = (key: string) => string;

/** What was asked before says nothing of who has waited: whoever follows other names each time has never had a turn. */
function lotsAt(now: Date): LotOf {
  return oncePer((key) => createHash('sha256').update(`${now.toISOString()} ${key}`).digest('hex'));
}

function inLots<T>(groups: ReadonlyMap<string, readonly T[]>, lotOf: LotOf | undefined): readonly (readonly T[])[] {
  const all = [...groups];
  const drawn = lotOf === undefined ? all : all.toSorted(([a], [b]) => (lotOf(a) < lotOf(b) ? -1 : 1));
  return drawn.map(([, each]) => each);
}

/** Names that are due, the next ones first. The new ones, those that are known and those that were not answered take
 *  turns, and among each of these the namespaces and their Applications, by lot, as names of one age do: whoever brings
 *  many, or many that the Git host refuses, or others each time, leaves some of each list to the others. */
function inTurns({
  followers,
  before,
  now,
}: {
  readonly followers: Followers;
  readonly before: ReadonlyMap<string, KnownName>;
  readonly now: Date;
}): readonly string[] {
  const ageOf = (name: string) => {
    const age = secondsSince(before.get(name)?.askedAt ?? '1970-01-01T00:00:00Z', now);
    // Asked by a clock that was ahead: nobody knows when.
    return age < 0 ? askAgainSeconds : age;
  };
  const lotOf = lotsAt(now);
  // Before the sort: there may be hundreds of thousands.
  const due = [...followers.keys()]
    .map((name) => ({ name, age: ageOf(name), last: before.get(name) }))
    .filter(({ age, last }) => age >= (last?.isUnanswered ? failedForSeconds : askAgainSeconds))
    .map((each) => ({ ...each, lot: lotOf(each.name) }))
    .toSorted((a, b) => b.age - a.age || (a.lot < b.lot ? -1 : 1));
  const kinds = Map.groupBy(due, ({ last }) => {
    if (last === undefined) return 'new';
    return last.isUnanswered ? 'unanswered' : 'known';
  });
  const inOrder = (['new', 'known', 'unanswered'] as const).map((kind) => kinds.get(kind) ?? []);
  const named = inOrder.map((all) => all.map(({ name }) => name));
  return roundsOf(named.map((names) => turnsOf(names, followers, lotOf))).flat();
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
    const isRefused = cause instanceof Misconfigured || undefined;
    return { name, askedAt, isUnanswered: true, ...given({ now: earlier, isRefused }) };
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
    const { template } = set;
    const sources = withNames(template?.sources ?? [], moved);
    const isSame = generators === set.generators && (template === undefined || sources === template.sources);
    return isSame ? set : { ...set, generators, template: template && { ...template, sources } };
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
