import type { AppProject } from './app-project.ts';
import { applicationOfGuard, type Guard } from './guard-record.ts';
import { namesHeldBack } from './sync-windows.ts';

/** Guards of the projects that can be read. */
export function guardsOf(projects: readonly AppProject[]): readonly Guard[] {
  return projects.flatMap(({ record }) => (record.kind === 'guards' ? record.guards : []));
}

/** `<namespace>/<name>` of the Applications whose guard is open while this pool has to stay paused: by the record, or
 *  because their window is missing. A project whose record cannot be read is left as it is: nothing is opened there. */
export function openGuardsOf(
  projects: readonly AppProject[],
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
): readonly string[] {
  return projects.flatMap((project) => {
    const held = namesHeldBack(project.windows);
    const isOpen = (guard: Guard) => guard.open !== undefined || !held.has(applicationOfGuard(guard).name);
    return guardsOf([project])
      .filter((guard) => guard.cluster === cluster && guard.pools.includes(pool) && isOpen(guard))
      .map(({ application }) => application);
  });
}
