import { type ApplicationRef, isSameApplication } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Concerned } from './concerned.ts';
import { descendants } from './descendants.ts';
import {
  type Answer,
  isConcerned,
  type PreparedPush,
  type PreparedSource,
  preparePush,
  prepareSources,
  whyAny,
  whyChanged,
} from './is-concerned.ts';
import { type PathIndex, pathIndex } from './path-index.ts';
import type { RoutedPush } from './push.ts';
import { effortAtMost } from './pushed-paths.ts';
import { type Following, follows, type Pushed } from './revision.ts';
import type { Route, SetRoute } from './route.ts';
import { isSetConcerned } from './set-concerned.ts';

/** Finds what a push concerns without checking every Application. */
export interface RoutingTable {
  /** Number of Applications. */
  readonly size: number;
  /** Each Application once, in the order of the routes; those concerned through others come last. */
  concernedBy(push: RoutedPush): readonly Concerned[];
  /** ApplicationSets whose Git generators read what was pushed. */
  setsConcernedBy(push: RoutedPush): readonly SetRoute[];
  /** Applications of this table that parents of other tables write, or through which they do.
   *  @param homes as in `Surroundings` */
  writtenFrom(parents: readonly Concerned[], homes: ReadonlyMap<string, string>): readonly Concerned[];
  /** Why that Application is concerned or not; undefined if it is not in the table. */
  explain(ref: ApplicationRef, push: RoutedPush): Answer | undefined;
}

/** Context that the routes do not contain. */
export interface Surroundings {
  readonly sets?: readonly SetRoute[];
  /** By Argo CD instance: the cluster it runs in. An Application that another one deploys to that cluster belongs to
   *  it. Without it, children are looked up in their parent's instance. */
  readonly homes?: ReadonlyMap<string, string>;
}

/** Builds the index, once for many pushes: about 10 µs per Application. */
export function routingTable(stored: readonly Route[], surroundings: Surroundings = {}): RoutingTable {
  const routes = withSets(stored, surroundings.sets ?? []);
  const repositories = indexOf(routes);
  const follow = descendants(routes, surroundings.homes ?? new Map());

  function concernedBy(push: RoutedPush): readonly Concerned[] {
    const prepared = preparePush(push);
    const direct = concernedDirectly(prepared, repositories).flatMap(([position, why]) => {
      const route = routes[position];
      return route === undefined ? [] : [{ route, why, through: [] }];
    });
    const listed = new Map(follow(direct, setsRead(prepared)).map((each) => [each.route, each]));
    const rewritten = direct.map((each) => {
      const writers = listed.get(each.route)?.through;
      listed.delete(each.route);
      return writers === undefined ? each : { ...each, writers };
    });
    return [...rewritten, ...listed.values()];
  }

  function setsRead(push: PreparedPush): readonly SetRoute[] {
    return (surroundings.sets ?? []).filter((set) => isSetConcerned(set, push));
  }

  return {
    size: routes.length,
    concernedBy,
    setsConcernedBy: (push) => setsRead(preparePush(push)),
    writtenFrom(parents, homes) {
      const above = new Set(parents.map(({ route }) => route));
      const found = descendants([...above, ...routes], homes)(parents, []);
      return found.filter(({ route }) => !above.has(route));
    },
    explain(ref, push) {
      const route = routes.find((each) => isSameApplication(each.ref, ref));
      if (route === undefined) return undefined;
      const found = concernedBy(push).find((each) => each.route === route);
      return found === undefined ? isConcerned(route, push) : { concerned: true, why: found.why };
    },
  };
}

/** The routes, with what only the ApplicationSets say. */
function withSets(routes: readonly Route[], sets: readonly SetRoute[]): readonly Route[] {
  const rolling = new Set(sets.filter(({ rolls }) => rolls === true).map(({ ref }) => syncHoldId(ref)));
  if (rolling.size === 0) return routes;
  return routes.map((route) =>
    route.generatedBy !== undefined && rolling.has(syncHoldId({ ...route.ref, name: route.generatedBy }))
      ? { ...route, automated: true, rollsWithSet: true }
      : route,
  );
}

/** By repository, the sources and what they follow. */
type Repositories = ReadonlyMap<string, Followers>;

interface Followers {
  /** Of the default branch. */
  readonly head: PathIndex<Candidate>;
  /** By the followed revision, see `keyOf`: a branch, a tag, or a range, because there are branches called `1.x`. */
  readonly named: Map<string, Followed>;
  /** Those of `named` that any version may concern. */
  readonly ranges: Followed[];
}

interface Followed {
  readonly following: Exclude<Following, { readonly kind: 'head' }>;
  readonly sources: PathIndex<Candidate>;
}

interface Candidate {
  /** Of its route. */
  readonly position: number;
  readonly source: PreparedSource;
}

function indexOf(routes: readonly Route[]): Repositories {
  const repositories = new Map<string, Followers>();
  const effort = { left: effortAtMost };
  routes.forEach((route, position) => {
    for (const source of prepareSources(route, effort)) {
      for (const repository of source.repositories) addTo(followersOf(repository, repositories), { position, source });
    }
  });
  return repositories;
}

function followersOf(repository: string, repositories: Map<string, Followers>): Followers {
  const there = repositories.get(repository) ?? { head: pathIndex(), named: new Map(), ranges: [] };
  repositories.set(repository, there);
  return there;
}

function addTo({ head, named, ranges }: Followers, candidate: Candidate): void {
  const { following, rule } = candidate.source;
  if (following.kind === 'head') {
    head.add(candidate, rule);
    return;
  }
  const key = keyOf(following.name, following.kind === 'name' ? following.only : undefined);
  let followed = named.get(key);
  if (followed === undefined) {
    followed = { following, sources: pathIndex() };
    named.set(key, followed);
    if (following.kind !== 'name') ranges.push(followed);
  }
  followed.sources.add(candidate, rule);
}

/** No name of a branch or tag has a space. */
function keyOf(name: string, only: Pushed['kind'] | undefined): string {
  return only === undefined ? name : `${only} ${name}`;
}

/** Positions of routes, ascending, and why. */
function concernedDirectly(push: PreparedPush, repositories: Repositories): readonly (readonly [number, string])[] {
  const followers = push.repositories.flatMap((each) => repositories.get(each) ?? []);
  const why = new Map<number, string>();
  for (const sources of followers.flatMap((each) => pushedTo(push.pushed, each))) {
    sources.changed(push.paths, ({ position, source }, by) => {
      if (!why.has(position)) why.set(position, by === undefined ? whyAny(source, push) : whyChanged(source, by, push));
    });
  }
  return [...why].sort(([a], [b]) => a - b);
}

function pushedTo(pushed: Pushed, { head, named, ranges }: Followers): readonly PathIndex<Candidate>[] {
  const keys = [keyOf(pushed.revision, undefined), keyOf(pushed.revision, pushed.kind)];
  const byRange = pushed.version === undefined ? [] : ranges;
  const followed = new Set([...keys.flatMap((key) => named.get(key) ?? []), ...byRange]);
  return [
    ...(follows({ kind: 'head' }, pushed) ? [head] : []),
    ...[...followed].filter(({ following }) => follows(following, pushed)).map(({ sources }) => sources),
  ];
}
