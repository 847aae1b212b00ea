import type { Concerned, Writer } from './concerned.ts';
import type { ChildRef, Route, SetRoute } from './route.ts';
import { shown } from './words.ts';

/** Levels of Applications below the one that a push concerns. Three are many; more are a mistake not worth waiting
 *  for. */
const levelsAtMost = 10;

/** Finds Applications whose spec is written by an Application or ApplicationSet that a push concerns: the push may
 *  change what they follow, which Argo CD's webhook handler cannot see. Each Application once, also in a cycle. */
export type FindDescendants = (concerned: readonly Concerned[], sets: readonly SetRoute[]) => readonly Concerned[];

/** `homes`: the cluster in which each Argo CD instance runs, by name. */
export function descendants(routes: readonly Route[], homes: ReadonlyMap<string, string>): FindDescendants {
  const byName = Map.groupBy(routes, ({ ref }) => nameOf(ref));
  const generated = Map.groupBy(
    routes.filter(({ generatedBy }) => generatedBy !== undefined),
    ({ ref, generatedBy = '' }) => nameOf({ namespace: ref.namespace, name: generatedBy }),
  );

  function writtenBy(parent: Route): readonly Route[] {
    const below = parent.children.flatMap((child) => byName.get(nameOf(child)) ?? []);
    const belowSets = (parent.childSets ?? []).flatMap((set) => generated.get(nameOf(set)) ?? []);
    return [...below, ...belowSets].filter((child) => isWithinReach(child, parent, homes));
  }

  return (concerned, sets) => {
    const known = new Set(concerned.map(({ route }) => route));
    const found: Concerned[] = [];
    const add = (route: Route, through: Writer, why: string): readonly Concerned[] => {
      if (known.has(route)) return [];
      known.add(route);
      const entry = { route, why, through };
      found.push(entry);
      return [entry];
    };
    let level = [
      ...concerned,
      ...sets.flatMap((set) =>
        (generated.get(nameOf(set.ref)) ?? [])
          .filter((route) => route.ref.argocd === set.ref.argocd)
          .flatMap((route) =>
            add(route, { ...set.ref, set }, `the push may change what ApplicationSet ${shown(set.ref.name)} generates`),
          ),
      ),
    ];
    for (let depth = 0; depth < levelsAtMost && level.length > 0; depth += 1) {
      level = level.flatMap(({ route: parent }) =>
        writtenBy(parent).flatMap((child) =>
          add(child, parent.ref, `the push concerns ${shown(parent.ref.name)}, which writes this Application`),
        ),
      );
    }
    return found;
  };
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
