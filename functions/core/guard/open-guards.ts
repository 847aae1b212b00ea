import type { AppProject } from './app-project.ts';
import type { Guard } from './guard-record.ts';

/** Guards of the projects that can be read. */
export function guardsOf(projects: readonly AppProject[]): readonly Guard[] {
  return projects.flatMap(({ record }) => (record.kind === 'guards' ? record.guards : []));
}

/** `<namespace>/<name>` of the Applications whose guard is open while this pool has to stay paused. A project whose
 *  record cannot be read is left as it is: nothing is opened there. */
export function openGuardsOf(
  projects: readonly AppProject[],
  { cluster, pool }: { readonly cluster: string; readonly pool: string },
): readonly string[] {
  return guardsOf(projects)
    .filter((guard) => guard.cluster === cluster && guard.open !== undefined && guard.pools.includes(pool))
    .map(({ application }) => application);
}
