import { type Application, isSyncing, type ObservedApplication } from '../../core/argocd/application.ts';
import { everyName, type UnreadableItem } from '../../core/findings/listed.ts';
import { machineConfigsOfMissed } from '../../core/holds/missed-sync.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { appliedMachineConfigs, unplacedMachineConfigs } from '../../core/impact/affected-pools.ts';
import { machineConfigsOfRetried } from '../../core/impact/pools-affected-by-sync.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { UnreadMachineConfigs } from '../../core/openshift/pool-chooser.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { Race } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { MachineConfigHead } from '../../ports/cluster.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';

/** What a pass has read before it reads MachineConfigs. */
export interface ReadSoFar {
  readonly scope: Scope;
  readonly pushes: Snapshot['pushes'];
  readonly pools: readonly Pool[];
  /** Ids of the holds on the pools. */
  readonly held: readonly string[];
  readonly applications: readonly ObservedApplication[];
  readonly sequenceSteps?: Snapshot['sequenceSteps'];
  readonly races: () => Promise<readonly Race[]>;
}

/** What is known of the MachineConfigs that were asked for. */
export interface ReadMachineConfigs {
  readonly heads: readonly MachineConfigHead[];
  readonly unread: UnreadMachineConfigs;
  /** The same for people: those that cannot be parsed, or that none could be read. */
  readonly unreadable: readonly UnreadableItem[];
}

const noneAsked: ReadMachineConfigs = { heads: [], unread: new Map(), unreadable: [] };

/** Metadata of the MachineConfigs that no render lists yet, and of those whose write time a race still needs, a sync
 *  that is tried again, or what follows one that may have been missed. More than a few are one list. Never throws
 *  Transient: one that is not read may affect any pool, and a pool that may have to wait for it does. */
export async function readMachineConfigs(readSoFar: ReadSoFar, ports: KeepPorts): Promise<ReadMachineConfigs> {
  const { pools, applications } = readSoFar;
  const seen = applications.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
  const relevant = seen.filter(
    (application) => isSyncing(application) || readSoFar.pushes.has(syncHoldId(application)),
  );
  const unplaced = relevant.flatMap((application) => unplacedMachineConfigs(application, pools));
  const retried = seen.flatMap(machineConfigsOfRetried);
  const raced = await racedMachineConfigs(seen, readSoFar);
  const awaited = pools.flatMap((pool) => awaitedMachineConfigs(pool, seen));
  const cluster = { settings: readSoFar.scope.cluster, sequenceSteps: readSoFar.sequenceSteps };
  const missed = machineConfigsOfMissed(seen, pools, cluster, ports.clock());
  const names = unique([...unplaced, ...retried, ...raced, ...awaited, ...missed]);
  return readHeads(names, readSoFar.scope.cluster.name, ports);
}

/** These, as far as they can be read. Never throws Transient. */
export async function readHeads(
  names: readonly string[],
  cluster: string,
  ports: Pick<KeepPorts, 'logger'> & {
    readonly cluster: (name: string) => Promise<Pick<ClusterPorts, 'pools'>>;
  },
): Promise<ReadMachineConfigs> {
  if (names.length === 0) return noneAsked;
  try {
    const { pools } = await ports.cluster(cluster);
    const { items, unreadable } = await pools.readMachineConfigs(names);
    return { heads: items, unread: new Map(unreadable.map(({ name, why }) => [name, why])), unreadable };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const why = cause.message;
    ports.logger.warn('MachineConfigs could not be read', { cluster, why });
    return {
      heads: [],
      unread: new Map(names.map((name) => [name, why])),
      unreadable: [{ kind: 'MachineConfig', namespace: '', name: everyName, why }],
    };
  }
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
