import { type Application, isRunning, isSyncing } from '../../argocd/application.ts';
import { isMachineConfig, renderedResources } from '../../impact/affected-pools.ts';
import { writtenBySync } from '../../impact/pools-affected-by-sync.ts';
import { poolsOfManaged } from '../../impact/pools-of-managed.ts';
import { syncHoldId } from '../../openshift/hold.ts';
import type { Pool } from '../../openshift/pool.ts';
import type { UnpausedSync } from '../../openshift/unpaused-sync.ts';
import { isEarlierSecond, isPast, latest, plusSeconds } from '../../text/instant.ts';
import type { Snapshot } from '../snapshot.ts';
import type { PushDisruption } from './disruption-forecast.ts';

/** The spared sync that now runs; undefined: it is another one, or it may write more of the pool than was thought
 *  of. Pure. */
export function runningUnpausedSync(
  application: Application,
  pool: Pool,
  snapshot: Snapshot,
): UnpausedSync | undefined {
  const { operation } = application;
  if (application.operationQueued || operation === undefined || !isRunning(operation)) return undefined;
  const spared = snapshot.disruption.spared.find(
    (each) =>
      each.hold === syncHoldId(application) &&
      each.uid === application.uid &&
      each.pool === pool.name &&
      each.rendered === pool.target.name &&
      operation.revisions.includes(each.revision) &&
      isItsOperation(each, operation.startedAt),
  );
  const written = writtenBySync(application);
  if (spared === undefined || written === undefined) return undefined;
  const reaching = renderedResources(written).filter((resource) =>
    poolsOfManaged(resource, snapshot).some((each) => each.pool === pool.name),
  );
  const isThoughtOf = reaching.every((each) => isMachineConfig(each) && spared.machineConfigs.includes(each.name));
  return isThoughtOf ? spared : undefined;
}

/** Argo CD with self-heal often begins the same sync a second time, a moment after the first, because it compared
 *  before it saw what it had applied: 13 to 154 ms later were measured, and instants of operations are whole
 *  seconds. */
const secondSyncSeconds = 3;

function isItsOperation({ startedAt, seenAt }: UnpausedSync, begunAt: string): boolean {
  if (startedAt === undefined || startedAt === begunAt) return true;
  return seenAt !== undefined && Date.parse(begunAt) - Date.parse(seenAt) <= secondSyncSeconds * 1000;
}

/** What was seen of a spared sync that has begun. */
export interface UnpausedQuestion {
  readonly pool: Pool | undefined;
  readonly startedAt: string;
  /** When each of its MachineConfigs was written last; undefined: not known. */
  readonly writtenAt: readonly (string | undefined)[];
  /** Whether what was rendered since does nothing to the nodes; only asked where the pool has another config than
   *  before. */
  readonly isHarmless: boolean;
}

/** The spared sync with what was rendered since; undefined where something speaks against it: somebody else wrote
 *  its MachineConfigs, or what is rendered now does more. */
export function stillUnpaused(
  spared: UnpausedSync,
  { pool, startedAt, writtenAt, isHarmless }: UnpausedQuestion,
): UnpausedSync | undefined {
  if (pool === undefined) return undefined;
  const isForeign = writtenAt.some(
    (at) => at === undefined || (!isEarlierSecond(at, spared.at) && isEarlierSecond(at, startedAt)),
  );
  if (isForeign) return undefined;
  if (pool.target.name === spared.rendered) return spared;
  return isHarmless ? { ...spared, rendered: pool.target.name } : undefined;
}

/** Most that are remembered of a cluster. */
const mostUnpaused = 20;

/** What is to be remembered of syncs that were spared, after a pass. Pure.
 *  @param isHeld whether the pool has this hold now */
export function unpausedNow(
  snapshot: Snapshot,
  isHeld: (pool: string, hold: string) => boolean,
  now: Date,
): readonly UnpausedSync[] {
  const { applications, disruption } = snapshot;
  const seen = new Map(
    applications.flatMap((observed) =>
      observed.kind === 'seen' ? [[syncHoldId(observed.application), observed.application] as const] : [],
    ),
  );
  const before = (disruption?.spared ?? []).map((each) => advanced(each, seen.get(each.hold), snapshot, now));
  const fresh = [...(disruption?.ofPush ?? [])].flatMap(([pool, each]) => freshly(pool, each, seen, snapshot));
  return [...fresh, ...before.filter((each) => !fresh.some((one) => one.hold === each.hold && one.pool === each.pool))]
    .filter((each) => !isHeld(each.pool, each.hold) && !isPast(each.until, now))
    .slice(0, mostUnpaused);
}

/** It is over a moment after its operation has ended. */
function advanced(
  spared: UnpausedSync,
  application: Application | undefined,
  snapshot: Snapshot,
  now: Date,
): UnpausedSync {
  if (application === undefined) return spared;
  const { operation } = application;
  const seenAt = now.toISOString();
  if (!isSyncing(application)) {
    if (spared.startedAt === undefined || operation === undefined) return spared;
    const until = plusSeconds(new Date(operation.finishedAt ?? seenAt), secondSyncSeconds);
    return { ...spared, seenAt: operation.finishedAt ?? seenAt, until };
  }
  const pool = snapshot.pools.find(({ name }) => name === spared.pool);
  const isIt = pool !== undefined && runningUnpausedSync(application, pool, snapshot) !== undefined;
  if (!isIt || operation === undefined) return spared;
  const { startedAt } = operation;
  const until = latest([spared.until, plusSeconds(new Date(startedAt), snapshot.settings.policy.syncAtMostSeconds)]);
  return { ...spared, startedAt: spared.startedAt ?? startedAt, seenAt, until: until ?? spared.until };
}

function freshly(
  pool: string,
  disruption: PushDisruption,
  seen: ReadonlyMap<string, Application>,
  { pushes, pools, settings }: Snapshot,
): readonly UnpausedSync[] {
  const rendered = pools.find(({ name }) => name === pool)?.target.name;
  if (disruption.kind !== 'none' || rendered === undefined) return [];
  return disruption.holds.flatMap((hold) => {
    const [push, application] = [pushes.get(hold), seen.get(hold)];
    if (push?.revision === undefined || application === undefined || !application.automated) return [];
    return {
      hold,
      uid: application.uid,
      pool,
      revision: push.revision,
      why: disruption.why,
      at: push.at,
      until: plusSeconds(new Date(push.at), settings.policy.expectSyncWithinSeconds),
      rendered,
      machineConfigs: [...disruption.machineConfigs],
    };
  });
}
