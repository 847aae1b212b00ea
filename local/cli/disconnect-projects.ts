import * as z from 'zod';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { isUnserved } from '../../functions/adapters/kubernetes/refusal.ts';
import { isPoolkeepers } from '../../functions/core/guard/sync-windows.ts';
import { Transient } from '../../functions/core/text/errors.ts';

export interface GuardedProject {
  /** Its name; with its namespace where several have AppProjects. */
  readonly said: string;
  /** Takes our windows, of guards and of sequences, and our record out of it. */
  readonly open: () => Promise<unknown>;
}

/** The AppProjects of every Argo CD in the cluster in which something of ours stands, so that nothing waits for
 *  Poolkeeper any more. Which Argo CD was guarded is in no file that is here for certain. */
export async function guardedProjects(connection: ClusterConnection) {
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
      return {
        guarding: guarding.map((project): GuardedProject => {
          const windows = project.windows.filter((each) => !isPoolkeepers(each));
          return { said: saidOf(project.name), open: () => argocd.writeGuards(project, { windows, guards: [] }) };
        }),
        unread: unreadable.map(
          ({ name, why }) => `AppProject ${saidOf(name)} cannot be read, and its guards stay: ${why}`,
        ),
      };
    }),
  );
  return { guarding: found.flatMap((each) => each.guarding), unread: found.flatMap((each) => each.unread) };
}

const Projects = z.array(z.object({ metadata: z.object({ namespace: z.string() }) }));

async function homesOfProjects({ client }: ClusterConnection): Promise<readonly string[]> {
  const path = '/apis/argoproj.io/v1alpha1/appprojects';
  const listing = client.list(path, { pageSize: 250, form: 'metadata' }).catch((cause: unknown) => {
    if (cause instanceof Transient && isUnserved(cause)) return [];
    throw cause;
  });
  return [...new Set(Projects.parse(await listing).map(({ metadata }) => metadata.namespace))].toSorted();
}
