import * as z from 'zod';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import type { GuardsRead } from '../../../functions/core/guard/guard-record.ts';
import { isPoolkeepers } from '../../../functions/core/guard/sync-windows.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { clipped, listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { divided, type Shares } from './whose.ts';

export interface GuardedProject {
  /** Its name; with its namespace where several have AppProjects. */
  readonly said: string;
  /** Takes our windows, of guards and of sequences, and our record out of it. */
  readonly open: () => Promise<unknown>;
}

/** The AppProjects of every Argo CD in the cluster in which something of ours stands, so that nothing waits for
 *  Poolkeeper any more. Which Argo CD was guarded is in no file that is here for certain. Of an Argo CD that another
 *  installation may guard, too, they stay: their records name clusters, and both may call this one by one name. */
export async function guardedProjects(
  connection: ClusterConnection,
  { shares, name: cluster }: { readonly shares: Shares; readonly name: string },
) {
  const homes = await homesOfProjects(connection);
  const found = await Promise.all(
    homes.map(async (home) => {
      const argocd = connection.argocd({ name: home, namespaces: [home], controllerNamespace: home });
      const { items, unreadable } = await argocd.listProjects();
      const saidOf = (name: string) => (homes.length > 1 ? `${home}/${name}` : name);
      const guarding = items.filter(
        ({ windows, record }) =>
          windows.some(isPoolkeepers) || record.kind === 'unreadable' || record.guards.length > 0,
      );
      const whose = shares.inNamespace(home, ['guards', 'sequences']);
      const { ours, stays, theirs } = divided(guarding, {
        whoseIs: () => whose,
        said: ({ name }) => `guards of AppProject ${saidOf(name)}`,
        shares,
      });
      return {
        guarding: ours.map((project): GuardedProject => {
          const windows = project.windows.filter((each) => !isPoolkeepers(each));
          const said = `${saidOf(project.name)}${alsoFor(project.record, cluster)}`;
          return { said, open: () => argocd.writeGuards(project, { windows, guards: [] }) };
        }),
        stays: [
          ...unreadable
            .filter(() => whose !== 'theirs')
            .map(({ name, why }) => `AppProject ${saidOf(name)} cannot be read, and its guards stay: ${why}`),
          ...stays.map((each) => `${each}; by hand: docs/guard.md`),
        ],
        theirs,
      };
    }),
  );
  return {
    guarding: found.flatMap((each) => each.guarding),
    stays: found.flatMap((each) => each.stays),
    theirs: found.flatMap((each) => each.theirs),
  };
}

/** Other clusters whose syncs it holds back: one Argo CD may deploy to many. */
function alsoFor(record: GuardsRead, cluster: string): string {
  const guards = record.kind === 'guards' ? record.guards : [];
  const others = unique(guards.map((guard) => clipped(guard.cluster, 63))).filter((each) => each !== cluster);
  if (others.length === 0) return '';
  return ` (also for ${others.length === 1 ? 'cluster' : 'clusters'} ${listed(others.toSorted(), 5)})`;
}

const Projects = z.array(z.object({ metadata: z.object({ namespace: z.string() }) }));

async function homesOfProjects({ client }: ClusterConnection): Promise<readonly string[]> {
  const path = '/apis/argoproj.io/v1alpha1/appprojects';
  const listing = client.list(path, { pageSize: 250, form: 'metadata' }).catch((cause: unknown) => {
    if (cause instanceof Transient && isUnserved(cause)) return [];
    throw cause;
  });
  return unique(Projects.parse(await listing).map(({ metadata }) => metadata.namespace)).toSorted();
}
