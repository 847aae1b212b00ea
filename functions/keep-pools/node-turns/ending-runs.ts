import { planKept, planOfPools, type Removed } from '../../core/node-turns/kept-plan.ts';
import type { runsHolding } from '../../core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import { parseRunRecord, withoutConfiguration } from '../../core/node-turns/run-record.ts';
import { runOfHold } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { hasRecord } from './load-run-record.ts';
import { type KeptRunPorts, type LoadedRun, loadFrom } from './loaded-run.ts';

interface EndingRun {
  readonly plan: RunPlan;
  readonly loaded: LoadedRun;
}

/** Runs that hold pools and are configured no longer: they end as if they were aborted. */
export async function endRemoved(
  removed: ReturnType<typeof runsHolding>,
  { cluster, pools }: { readonly cluster: string; readonly pools: readonly Pool[] },
  ports: Pick<KeepPorts, 'configuration' | 'cluster' | 'clock'>,
): Promise<readonly EndingRun[]> {
  if (removed.length === 0) return [];
  const { nodeTurns } = await ports.cluster(cluster);
  const { jobs: allowed, recordNamespace: place = 'poolkeeper' } = ports.configuration.nodeTurns ?? {};
  return Promise.all(
    removed.map(async ({ run: name, recordIn: recordNamespace = place }): Promise<EndingRun> => {
      const held = pools.filter((pool) => holdsOf(pool).some(({ id }) => runOfHold(id) === name));
      const about = { name, cluster, recordNamespace, pools: held.map((pool) => pool.name), allowed };
      const loaded = await loadRemoved(about, nodeTurns);
      if (loaded.kind === 'unseen') return neverEnding(about, loaded.why, loaded.isLasting);
      const kept = planKept(loaded.record, about);
      if (kept.kind === 'refused') return neverEnding(about, kept.why, true);
      return { plan: kept.plan, loaded: aborted(loaded, ports.clock()) };
    }),
  );
}

function neverEnding(removed: Removed, why: string, isLasting: boolean): EndingRun {
  const told = `it was taken out of the configuration, and cannot be ended: ${why}. Put it back and abort it, or resume its pools by hand`;
  return { plan: planOfPools(removed), loaded: { kind: 'unseen', why: told, isLasting } };
}

function aborted(loaded: Extract<LoadedRun, { readonly kind: 'record' }>, now: Date): LoadedRun {
  const { record } = loaded;
  return { ...loaded, record: withoutConfiguration(record, now), before: record };
}

async function loadRemoved(
  { name, recordNamespace }: { readonly name: string; readonly recordNamespace: string },
  ports: KeptRunPorts,
): Promise<LoadedRun> {
  return loadFrom(ports, async (records) => {
    const stored = await records.load(recordNamespace, name);
    if (!hasRecord(stored)) return undefined;
    return { record: parseRunRecord(stored.text), stored };
  });
}
