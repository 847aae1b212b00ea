import { clustersServedBy } from '../../core/argocd/destination.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { protectionOf } from '../../core/configuration/protection.ts';
import type { UnreadableItem } from '../../core/findings/listed.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { mayServe } from '../route/may-serve.ts';

/** The AppProjects in which Applications of one cluster may be. */
export interface ObservedProjects {
  readonly projects: readonly AppProject[];
  /** Projects that are there and cannot be parsed. */
  readonly unreadable: readonly UnreadableItem[];
  /** Why those of an instance could not be listed; absent: all were. */
  readonly failure?: string | undefined;
  /** The right to list them is missing; absent: it is not known to be. */
  readonly isForbidden?: boolean | undefined;
}

/** Some pool has the level, or guards were left when the last one lost it. */
export function usesGuards({ pools }: ClusterSettings, checkpoint: Pick<Checkpoint, 'guards'>): boolean {
  return checkpoint.guards === true || Object.values(pools).some((pool) => protectionOf(pool).guardsSyncs);
}

/** One list for each Argo CD instance that serves the cluster. Never throws Transient. */
export async function readProjects(
  cluster: string,
  ports: Pick<KeepPorts, 'configuration' | 'argocd' | 'routes' | 'logger'>,
): Promise<ObservedProjects> {
  const { configuration, argocd, logger } = ports;
  const serving = configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster));
  const lists = await Promise.all(
    serving.map(async (settings): Promise<ObservedProjects> => {
      const { name } = settings;
      try {
        const { items, unreadable } = await (await argocd(name)).listProjects();
        return { projects: items, unreadable };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        logger.warn('AppProjects could not be listed', { argocd: name, why: cause.message });
        if (!(await mayServe(settings, cluster, ports))) return { projects: [], unreadable: [] };
        return {
          projects: [],
          unreadable: [],
          failure: `${name}: ${cause.message}`,
          isForbidden: cause.kind === 'forbidden',
        };
      }
    }),
  );
  const failed = lists.find((each) => each.failure !== undefined);
  return {
    projects: lists.flatMap(({ projects }) => projects),
    unreadable: lists.flatMap(({ unreadable }) => unreadable),
    ...(failed === undefined ? {} : { failure: failed.failure, isForbidden: failed.isForbidden }),
  };
}
