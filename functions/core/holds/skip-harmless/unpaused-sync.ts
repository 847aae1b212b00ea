import { type Application, isRunning, isSyncing, projectOf } from '../../argocd/application.ts';
import { isMachineConfig, renderedResources } from '../../impact/affected-pools.ts';
import { writtenBySync } from '../../impact/pools-affected-by-sync.ts';
import { poolsOfManaged } from '../../impact/pools-of-managed.ts';
import { ownerOfHold, syncHoldId } from '../../openshift/hold.ts';
import type { Pool } from '../../openshift/pool.ts';
import type { UnpausedSync } from '../../openshift/unpaused-sync.ts';
import { byName } from '../../text/by-name.ts';
import { isEarlierSecond, isPast, latest, plusSeconds } from '../../text/instant.ts';
import { byTurns } from '../../text/rounds.ts';
import type { Snapshot } from '../snapshot.ts';
import type { PushDisruption } from './disruption-forecast.ts';

/** The sync that goes ahead without a pause and runs now; undefined: this is another sync, or it may write more of
 *  the pool than was predicted. Pure. */
export function runningUnpausedSync(
  application: Application,
  pool: Pool,
  snapshot: Snapshot,
): UnpausedSync | undefined {
  const { operation } = application;
  // `.operation` is that of the running sync: Argo CD queues no other behind it. Source: argo-cd, SetAppOperation.
  if (operation === undefined || !isRunning(operation)) return undefined;
  const unpaused = snapshot.disruption.unpaused.find(
    (each) =>
      each.hold === syncHoldId(application) &&
      each.uid === application.uid &&
      each.pool === pool.name &&
      each.rendered === pool.target.name &&
      operation.revisions.includes(each.revision) &&
      isItsOperation(each, operation.startedAt),
  );
  const written = writtenBySync(application, snapshot);
  if (unpaused === undefined || written === undefined) return undefined;
  const reaching = renderedResources(written).filter((resource) =>
    poolsOfManaged(resource, snapshot).some((each) => each.pool === pool.name),
  );
  const isAsPredicted = reaching.every((each) => isMachineConfig(each) && unpaused.machineConfigs.includes(each.name));
  return isAsPredicted ? unpaused : undefined;
}

/** With self-heal, Argo CD often starts the same sync again a moment after the first, because it compared before it
 *  saw what it had applied. Measured: 13 to 154 ms later; timestamps of operations are whole seconds. */
const secondSyncSeconds = 3;

function isItsOperation({ startedAt, seenAt }: UnpausedSync, begunAt: string): boolean {
  if (startedAt === undefined || startedAt === begunAt) return true;
  return seenAt !== undefined && Date.parse(begunAt) - Date.parse(seenAt) <= secondSyncSeconds * 1000;
}

/** What was observed of a sync that began without a pause. */
export interface UnpausedQuestion {
  readonly pool: Pool | undefined;
  readonly startedAt: string;
  /** When each of its MachineConfigs was last written; undefined: unknown. */
  readonly writtenAt: readonly (string | undefined)[];
  /** Whether the configs rendered since do nothing to the nodes; only used where the pool's config has changed. */
  readonly isHarmless: boolean;
  /** By what of the cluster it would be judged now (`circumstancesMark`). */
  readonly circumstances: string;
}

/** The unpaused sync with the config rendered since; undefined where it now needs a pause: somebody else wrote its
 *  MachineConfigs, the new config disrupts nodes, or the cluster would do something else for what was judged. */
export function stillUnpaused(
  unpaused: UnpausedSync,
  { pool, startedAt, writtenAt, isHarmless, circumstances }: UnpausedQuestion,
): UnpausedSync | undefined {
  if (pool === undefined || circumstances !== unpaused.circumstances) return undefined;
  const isForeign = writtenAt.some(
    (at) => at === undefined || (!isEarlierSecond(at, unpaused.at) && isEarlierSecond(at, startedAt)),
  );
  if (isForeign) return undefined;
  if (pool.target.name === unpaused.rendered) return unpaused;
  return isHarmless ? { ...unpaused, rendered: pool.target.name } : undefined;
}

/** Unpaused syncs stored per cluster, at most. */
const mostUnpaused = 20;

/** The unpaused syncs to store after a pass, of each owner one after the other: whoever has many takes no place of
 *  others. Pure.
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
  const before = (disruption?.unpaused ?? []).map((each) => advanced(each, seen.get(each.hold), snapshot, now));
  const fresh = [...(disruption?.ofPush ?? [])].flatMap(([pool, each]) => freshly(pool, each, seen, snapshot));
  const known = before.filter((each) => !fresh.some((one) => one.hold === each.hold && one.pool === each.pool));
  const valid = [...fresh, ...known].filter((each) => !isHeld(each.pool, each.hold) && !isPast(each.until, now));
  const projectBy = (id: string) => {
    const application = seen.get(id);
    return application && projectOf(application);
  };
  return byTurns(valid, ({ hold }) => ownerOfHold({ id: hold, project: projectBy(hold) })).slice(0, mostUnpaused);
}

/** It ends a moment after its operation. */
function advanced(
  unpaused: UnpausedSync,
  application: Application | undefined,
  snapshot: Snapshot,
  now: Date,
): UnpausedSync {
  if (application === undefined) return unpaused;
  const { operation } = application;
  const seenAt = now.toISOString();
  if (!isSyncing(application)) {
    if (unpaused.startedAt === undefined || operation === undefined) return unpaused;
    const until = plusSeconds(new Date(operation.finishedAt ?? seenAt), secondSyncSeconds);
    return { ...unpaused, seenAt: operation.finishedAt ?? seenAt, until };
  }
  const pool = byName(snapshot.pools, unpaused.pool);
  const isIt = pool !== undefined && runningUnpausedSync(application, pool, snapshot) !== undefined;
  if (!isIt || operation === undefined) return unpaused;
  const { startedAt } = operation;
  const until = latest([unpaused.until, plusSeconds(new Date(startedAt), snapshot.settings.policy.syncAtMostSeconds)]);
  return { ...unpaused, startedAt: unpaused.startedAt ?? startedAt, seenAt, until: until ?? unpaused.until };
}

function freshly(
  pool: string,
  disruption: PushDisruption,
  seen: ReadonlyMap<string, Application>,
  { pushes, pools, settings }: Snapshot,
): readonly UnpausedSync[] {
  const rendered = byName(pools, pool)?.target.name;
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
      circumstances: disruption.circumstances,
    };
  });
}
