import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { managedBy } from '../../../functions/core/impact/managed-by.ts';
import type { Managed } from '../../../functions/core/machine-config/cause-of-render.ts';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import { hasPendingChange, type Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { readRenderedChange } from '../../../functions/keep-pools/read/read-rendered-change.ts';
import { liveApplications } from './live-applications.ts';

/** The change that is pending or rolling out on a live cluster, and its cause; derived from scratch, without a history.
 *  Undefined if there is none or MachineConfigs cannot be read. */
export function liveChange({ pools, renderings, client }: ClusterConnection) {
  return async (pool: Pool): Promise<PendingChange | undefined> => {
    if (!hasPendingChange(pool) || pool.current.name === '') return undefined;
    try {
      const [managed, circumstances] = await Promise.all([managedIn(client), renderings.readCircumstances()]);
      return await readRenderedChange(pool, { managed, circumstances }, { pools, renderings });
    } catch (cause) {
      if (cause instanceof Transient) return undefined;
      throw cause;
    }
  };
}

async function managedIn(client: ClusterConnection['client']): Promise<readonly Managed[]> {
  return (await liveApplications(client)).map(managedBy);
}
