import type { ApplicationSource } from '../argocd/application.ts';
import { unique } from '../text/unique.ts';
import { changedBy, ownPathRuleOf, type PathRule, pathRuleOf } from './generate-paths.ts';
import type { Effort } from './glob.ts';
import { namesOf, type RoutedPush } from './push.ts';
import { effortAtMost, type PushedPaths, pushedPaths } from './pushed-paths.ts';
import { followedAs } from './repository.ts';
import { type Following, followingOf, follows, type Pushed, pushedOf } from './revision.ts';
import type { Route } from './route.ts';
import { shown, shownFollowing, shownSource } from './words.ts';

/** Whether a push concerns an Application, and why or why not, for people. */
export interface Answer {
  readonly concerned: boolean;
  readonly why: string;
}

/** A push, prepared for comparison with many Applications. */
export interface PreparedPush {
  /** All names of the repository, as it is called now first. */
  readonly repositories: readonly string[];
  readonly pushed: Pushed;
  /** Undefined: the changed files are unknown. */
  readonly paths: PushedPaths | undefined;
  readonly whyUnknown: string;
  /** What its Applications share for their annotations. */
  readonly effort: Effort;
}

/** Once for each push: its Applications share what their patterns may cost. */
export function preparePush(push: RoutedPush): PreparedPush {
  const prepared = pushes.get(push) ?? prepare(push);
  pushes.set(push, prepared);
  return prepared;
}

const pushes = new WeakMap<RoutedPush, PreparedPush>();

function prepare(push: RoutedPush): PreparedPush {
  const { files } = push;
  const effort = { left: effortAtMost };
  return {
    repositories: namesOf(push),
    pushed: pushedOf(push),
    paths: pushedPaths(files, effort),
    effort,
    whyUnknown: files.kind === 'unknown' ? files.why : 'no changed file is listed',
  };
}

/** One source of a route, prepared for comparison with many pushes. */
export interface PreparedSource {
  readonly repositories: readonly string[];
  readonly renamedTo: string | undefined;
  readonly following: Following;
  readonly rule: PathRule;
  /** Its name for people. */
  readonly title: string;
}

/** Whether this push concerns that Application. A superset of what Argo CD's own webhook handler refreshes, of any
 *  version from 2.14 on, and as little more as possible: unknown is a match. Source: argo-cd util/webhook/webhook.go
 *  `HandleEvent`. */
export function isConcerned(route: Pick<Route, 'sources' | 'generatePaths'>, push: RoutedPush): Answer {
  if (route.sources.length === 0) return { concerned: false, why: 'it has no source' };
  const prepared = preparePush(push);
  const answers = prepareSources(route, prepared.effort).map((source) => answerOf(source, prepared));
  return (
    answers.find(({ concerned }) => concerned) ?? {
      concerned: false,
      why: unique(answers.map(({ why }) => why))
        .slice(0, 3)
        .join('; '),
    }
  );
}

/** The sources of a route that this push concerns, each by its own path alone. */
export function concernedSources(
  route: Pick<Route, 'sources' | 'generatePaths'>,
  push: RoutedPush,
): readonly ApplicationSource[] {
  const { paths, effort } = preparePush(push);
  return route.sources.filter((source) => {
    if (!isFollowing(source, push)) return false;
    const rule = paths === undefined ? undefined : ownPathRuleOf(source, route, effort);
    return paths === undefined || rule?.kind !== 'some' || changedBy(rule, paths) !== undefined;
  });
}

/** Whether the source is of this repository and revision, whatever files changed. */
export function isFollowing(source: ApplicationSource, push: RoutedPush): boolean {
  return isOfRepository(source, push) && follows(followingOf(source.targetRevision), preparePush(push).pushed);
}

/** Whether the source is of this repository, whatever revision it follows. */
export function isOfRepository(source: ApplicationSource, push: RoutedPush): boolean {
  const { repositories } = preparePush(push);
  return followedAs(source).some((each) => repositories.includes(each));
}

export function prepareSources(
  route: Pick<Route, 'sources' | 'generatePaths'>,
  effort: Effort,
): readonly PreparedSource[] {
  const { sources } = route;
  return sources.map((source, index) => ({
    repositories: followedAs(source),
    renamedTo: source.now,
    following: followingOf(source.targetRevision),
    rule: pathRuleOf(source, route, effort),
    title: shownSource(index + 1, sources.length, source.ref),
  }));
}

function answerOf(source: PreparedSource, push: PreparedPush): Answer {
  const { repositories, following, rule, title } = source;
  if (!repositories.some((each) => push.repositories.includes(each))) {
    const own = repositories[0] === undefined ? 'no repository' : shown(repositories[0]);
    return {
      concerned: false,
      why: `${title} is ${own}, the push is to ${shown(push.repositories[0] ?? 'no repository')}`,
    };
  }
  if (!follows(following, push.pushed)) {
    const { kind, revision, isDeleted } = push.pushed;
    const what = isDeleted
      ? `${kind} ${shown(revision)} was deleted, which no sync follows`
      : `the push is to ${kind === 'tag' ? 'tag ' : ''}${shown(revision)}`;
    return { concerned: false, why: `${title} follows ${shownFollowing(following)}, ${what}` };
  }
  if (rule.kind === 'any' || push.paths === undefined) return { concerned: true, why: whyAny(source, push) };
  const changed = changedBy(rule, push.paths);
  return changed === undefined
    ? {
        concerned: false,
        why: `${title}: ${rule.why} ${shownPlaces(rule.places)}, and none of ${push.paths.count} changed files is there`,
      }
    : { concerned: true, why: whyChanged(source, changed, push) };
}

/** Why a source of this repository and revision is concerned whatever changed. */
export function whyAny(source: PreparedSource, push: PreparedPush): string {
  const { rule } = source;
  const { paths, whyUnknown } = push;
  const followed = shownFollowed(source, push);
  if (rule.kind === 'some' && paths === undefined)
    return `${followed}, and which files changed is not known: ${whyUnknown}`;
  return rule.kind === 'any' ? `${followed}; ${rule.why}` : followed;
}

function shownFollowed({ title, following, repositories, renamedTo }: PreparedSource, push: PreparedPush): string {
  const [now = ''] = push.repositories;
  const [named = ''] = repositories.filter((each) => each !== now);
  const isSame = repositories.includes(now) && renamedTo !== now;
  const moved = isSame ? '' : ` of ${shown(named)}, now ${shown(now)}`;
  return `${title} follows ${shownFollowing(following)}${moved}${shownTag(push.pushed)}`;
}

/** What was pushed is a branch, unless it is said. */
function shownTag({ kind, revision, isDeleted }: Pushed): string {
  if (kind === 'branch') return '';
  return `, and tag ${shown(revision)} was ${isDeleted ? 'deleted' : 'pushed'}`;
}

/** Why a source is concerned because of this path or pattern. */
export function whyChanged(source: PreparedSource, changed: string, push: PreparedPush): string {
  const { why } = source.rule;
  return `${shownFollowed(source, push)}; ${why} ${shown(changed.replace(/^\//, ''))}, where files changed`;
}

function shownPlaces(places: readonly string[]): string {
  const names = places.slice(0, 2).map(shown).join(', ');
  return places.length > 2 ? `${names} and ${places.length - 2} more` : names;
}
