import { type Application, isSyncing, type ObservedApplication } from '../../core/argocd/application.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { appliedMachineConfigs, unplacedMachineConfigs } from '../../core/impact/affected-pools.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { Race } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import type { MachineConfigHead } from '../../ports/cluster.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';

/** What a pass has read before it reads MachineConfigs. */
export interface ReadSoFar {
  readonly scope: Scope;
  readonly pushes: Snapshot['pushes'];
  readonly pools: readonly Pool[];
  /** Ids of the holds on the pools. */
  readonly held: readonly string[];
  readonly applications: readonly ObservedApplication[];
  readonly races: () => Promise<readonly Race[]>;
}

/** Metadata of the MachineConfigs that no render lists yet, and of those whose write time a race still needs. */
export async function readMachineConfigs(
  readSoFar: ReadSoFar,
  ports: KeepPorts,
): Promise<readonly MachineConfigHead[]> {
  const { pools, applications } = readSoFar;
  const seen = applications.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
  const relevant = seen.filter(
    (application) => isSyncing(application) || readSoFar.pushes.has(syncHoldId(application)),
  );
  const unplaced = relevant.flatMap((application) => unplacedMachineConfigs(application, pools));
  const raced = await racedMachineConfigs(seen, readSoFar);
  const awaited = pools.flatMap((pool) => awaitedMachineConfigs(pool, seen));
  const names = [...new Set([...unplaced, ...raced, ...awaited])];
  if (names.length === 0) return [];
  const cluster = await ports.cluster(readSoFar.scope.cluster.name);
  return cluster.pools.readMachineConfigs(names);
}

/** Those that a sync with a hold has applied, if its race does not know yet when. */
async function racedMachineConfigs(seen: readonly Application[], readSoFar: ReadSoFar): Promise<readonly string[]> {
  const held = new Set(readSoFar.held);
  const applied = seen
    .filter((application) => held.has(syncHoldId(application)))
    .map((application) => ({
      hold: syncHoldId(application),
      names: appliedMachineConfigs(application.operation?.results ?? []),
    }))
    .filter(({ names }) => names.length > 0);
  if (applied.length === 0) return [];
  const races = await readSoFar.races().catch(noRaces);
  if (races === undefined) return [];
  return applied.flatMap(({ hold, names }) => (lacksApplyTime(hold, races) ? names : []));
}

/** A pause must not fail because the statistics of races cannot be read. */
function noRaces(cause: unknown): undefined {
  if (cause instanceof Transient) return undefined;
  throw cause;
}

function lacksApplyTime(hold: string, races: readonly Race[]): boolean {
  const own = races.filter((each) => each.hold === hold);
  return own.length === 0 || own.some((each) => each.appliedAt === undefined && each.verdict === undefined);
}

/** Those that were applied before the pool's last hold ended, or that a sync has applied which no longer runs, so that
 *  its hold may end now, and that the pool's rendered config does not contain yet. One that is not read passes for one
 *  that was deleted. */
export function awaitedMachineConfigs(pool: Pool, seen: readonly Application[]): readonly string[] {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  const held = new Set(holdsOf(pool).map(({ id }) => id));
  const ended =
    held.size === 0 ? [] : seen.filter((application) => !isSyncing(application) && held.has(syncHoldId(application)));
  const applied = ended.flatMap(({ operation }) => appliedMachineConfigs(operation?.results ?? []));
  const rendered = new Set(pool.target.sources);
  return [...(release?.machineConfigs ?? []), ...applied].filter((name) => !rendered.has(name));
}
