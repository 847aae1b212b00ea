import { isRunning, isSyncing } from '../argocd/application.ts';
import { protectionOf } from '../configuration/protection.ts';
import type { UnclearSync } from '../gates/gate.ts';
import { comparedAtSync } from '../impact/pools-affected-by-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

/** The Applications that are syncing, and of which Argo CD does not say yet what the sync
 *  changes: it was begun before what was compared for it is shown. What waits for a pool at rest may be its work. Other
 *  pools are paused because of what such syncs are known to change, and for them this is empty. */
export function unclearSyncs(
  { holds }: PoolRecord,
  { name }: Pool,
  { settings, applications }: Snapshot,
): readonly UnclearSync[] {
  if (!protectionOf(settingsOf(settings, name)).rests) return [];
  const known = new Set(holds.map(({ id }) => id));
  return applications.flatMap((observed) => {
    if (observed.kind !== 'seen' || !isSyncing(observed.application)) return [];
    const { application } = observed;
    if (known.has(syncHoldId(application))) return [];
    const isClear = isRunning(application.operation) && comparedAtSync(application);
    if (isClear) return [];
    const begunAt = isRunning(application.operation) ? application.operation?.startedAt : undefined;
    return [{ name: `${application.namespace}/${application.name}`, begunAt }];
  });
}
