import type { AppProject } from './app-project.ts';
import { applicationOfGuard, concernsPool, type Guard } from './guard-record.ts';
import { type GuardedCluster, isOfCluster, isOfNamesake } from './guarded-cluster.ts';
import { namesHeldBack } from './sync-windows.ts';

/** Guards of the projects that can be read. */
export function guardsOf(projects: readonly AppProject[]): readonly Guard[] {
  return projects.flatMap(({ record }) => (record.kind === 'guards' ? record.guards : []));
}

/** A guard, with the Argo CD instance that has its Application. */
export interface PlacedGuard {
  readonly argocd: string;
  readonly guard: Guard;
}

/** Guards of the projects that can be read, with whose they are. */
export function placedGuards(projects: readonly AppProject[]): readonly PlacedGuard[] {
  return projects.flatMap((project) => guardsOf([project]).map((guard) => ({ argocd: project.argocd, guard })));
}

/** Guards of the Applications that deploy to one cluster. */
export function guardsOfCluster(projects: readonly AppProject[], of: GuardedCluster): readonly PlacedGuard[] {
  return placedGuards(projects).filter(({ guard }) => isOfCluster(guard, of));
}

/** Guards of another cluster that is called by the same name. */
export function guardsOfNamesakes(projects: readonly AppProject[], of: GuardedCluster): readonly PlacedGuard[] {
  return placedGuards(projects).filter(({ guard }) => isOfNamesake(guard, of));
}

/** The Applications whose guard is open while this pool has to stay paused: by the record, or
 *  because their window is missing. Nothing is known of a project whose record cannot be read. */
export function openGuardsOf(
  projects: readonly AppProject[],
  { pool, ...of }: GuardedCluster & { readonly pool: string },
): readonly { readonly argocd: string; readonly application: string }[] {
  return projects.flatMap((project) => {
    const held = namesHeldBack(project.windows);
    const isOpen = (guard: Guard) => guard.open !== undefined || !held.has(applicationOfGuard(guard).name);
    return guardsOf([project])
      .filter((guard) => isOfCluster(guard, of) && concernsPool(guard, pool) && isOpen(guard))
      .map(({ application }) => ({ argocd: project.argocd, application }));
  });
}

/** Why it is not known which guards of these projects are open; undefined: it is. */
export function unreadableRecord(projects: readonly AppProject[]): string | undefined {
  const [why] = projects.flatMap(({ name, record }) =>
    record.kind === 'unreadable' ? [`AppProject ${name}, ${record.why}`] : [],
  );
  return why;
}
