import { clustersServedBy } from '../../../functions/core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { usesGuards } from '../../../functions/keep-pools/read/read-projects.ts';

type Served = Pick<Configuration, 'clusters' | 'argocd'>;

/** Argo CD instances in a cluster whose AppProjects are written: some cluster that they deploy to has guarded pools, as
 *  one of a fleet behind a hub. */
export function guardedInstances(configuration: Served, cluster: string): readonly ArgoCdSettings[] {
  return instancesIn(configuration, cluster, (served) => usesGuards(served, {}));
}

/** Those whose refused syncs are started again. */
export function restartedInstances(configuration: Served, cluster: string): readonly ArgoCdSettings[] {
  return instancesIn(configuration, cluster, ({ policy }) => policy.onRefusedSync === 'restart');
}

function instancesIn(
  { clusters, argocd }: Served,
  cluster: string,
  isMeant: (served: ClusterSettings) => boolean,
): readonly ArgoCdSettings[] {
  return argocd.filter((each) => {
    const names = clustersServedBy(each);
    return each.cluster === cluster && clusters.some((served) => names.includes(served.name) && isMeant(served));
  });
}
