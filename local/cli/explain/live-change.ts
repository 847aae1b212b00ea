import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { managedBy } from '../../../functions/core/impact/managed-by.ts';
import type { Managed } from '../../../functions/core/machine-config/cause-of-render.ts';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { otherConfigs } from '../../../functions/core/openshift/other-configs.ts';
import { hasPendingChange, type Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { readRenderedChange } from '../../../functions/keep-pools/read/read-rendered-change.ts';

/** The change that is pending or rolling out on a live cluster, and its cause; derived from scratch, without a history.
 *  Undefined if there is none or MachineConfigs cannot be read.
 *  @param applications those of the Argo CD in the cluster */
export function liveChange(
  { pools, renderings }: Pick<ClusterConnection, 'pools' | 'renderings'>,
  applications: () => Promise<readonly Application[]>,
) {
  return async (pool: Pool, members: readonly Node[]): Promise<PendingChange | undefined> => {
    if (!hasPendingChange(pool) || pool.current.name === '') return undefined;
    try {
      const [own, circumstances] = await Promise.all([managed(applications), renderings.readCircumstances()]);
      const { names, mayBeMore } = otherConfigs(pool, members);
      const others = { names, mayBeMore: mayBeMore || members.length < pool.counts.machines };
      return await readRenderedChange(pool, { managed: own, circumstances, others }, { pools, renderings });
    } catch (cause) {
      if (cause instanceof Transient) return undefined;
      throw cause;
    }
  };
}

async function managed(applications: () => Promise<readonly Application[]>): Promise<readonly Managed[]> {
  return (await applications()).map((each) => managedBy(each));
}
