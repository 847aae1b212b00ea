import { listed } from '../text/phrases.ts';
import type { Concerned, Writer } from './concerned.ts';
import type { ChildRef, Route, SetRoute } from './route.ts';
import { shown } from './words.ts';

/** Levels of Applications below the one that a push concerns. Three are many; more are a mistake not worth waiting
 *  for. */
const levelsAtMost = 10;

/** Of several that list one Application, how many a text names. */
const writersNamed = 3;

/** Finds Applications whose spec is written by an Application or ApplicationSet that a push concerns: the push may
 *  change what they follow, which Argo CD's webhook handler cannot see. Each Application once, also in a circle, with
 *  all that list it; those that the push concerns directly as well, if any lists them. */
export type FindDescendants = (concerned: readonly Concerned[], sets: readonly SetRoute[]) => readonly Concerned[];

/** `homes`: the cluster in which each Argo CD instance runs, by name. */
export function descendants(routes: readonly Route[], homes: ReadonlyMap<string, string>): FindDescendants {
  const byName = Map.groupBy(routes, ({ ref }) => nameOf(ref));
  const generated = Map.groupBy(
    routes.filter(({ generatedBy }) => generatedBy !== undefined),
    ({ ref, generatedBy = '' }) => nameOf({ namespace: ref.namespace, name: generatedBy }),
  );

  function writtenBy(parent: Route): ReadonlySet<Route> {
    const below = parent.children.flatMap((child) => byName.get(nameOf(child)) ?? []);
    const belowSets = (parent.childSets ?? []).flatMap((set) => generated.get(nameOf(set)) ?? []);
    return new Set([...below, ...belowSets].filter((child) => child !== parent && isWithinReach(child, parent, homes)));
  }

  function generatedBy({ ref }: SetRoute): readonly Route[] {
    return (generated.get(nameOf(ref)) ?? []).filter((route) => route.ref.argocd === ref.argocd);
  }

  return (concerned, sets) => {
    const directly = new Set(concerned.map(({ route }) => route));
    const found = new Map<Route, Writer[]>();
    /** Those that were not known yet. */
    const add = (all: Iterable<Route>, writer: Writer): readonly Route[] =>
      [...all].filter((route) => {
        const writers = found.get(route);
        if (writers === undefined) found.set(route, [writer]);
        else writers.push(writer);
        return writers === undefined && !directly.has(route);
      });
    let level = [...directly, ...sets.flatMap((set) => add(generatedBy(set), { ...set.ref, set }))];
    for (let depth = 0; depth < levelsAtMost && level.length > 0; depth += 1) {
      level = level.flatMap((parent) => add(writtenBy(parent), parent.ref));
    }
    return [...found].map(([route, through]) => ({ route, why: whyThrough(through), through }));
  };
}

function whyThrough(writers: readonly Writer[]): string {
  const [first] = writers;
  if (first?.set !== undefined) return `the push may change what ApplicationSet ${shown(first.name)} generates`;
  const names = listed(
    writers.slice(0, writersNamed + 2).map(({ name }) => shown(name)),
    writersNamed,
  );
  return writers.length === 1
    ? `the push concerns ${names}, which writes this Application`
    : `the push concerns ${names}, which all list this Application among what they manage`;
}

function nameOf({ namespace, name }: ChildRef): string {
  return `${namespace}/${name}`;
}

/** A child is in the cluster that its parent deploys to, and belongs to an Argo CD that runs there. */
function isWithinReach(child: Route, parent: Route, homes: ReadonlyMap<string, string>): boolean {
  const home = homes.get(child.ref.argocd);
  if (home === undefined || parent.cluster === '') return child.ref.argocd === parent.ref.argocd;
  return home === parent.cluster;
}
