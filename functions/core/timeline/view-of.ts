import type { ClusterSettings } from '../configuration/cluster.ts';
import type { GateView } from '../gates/gate-view.ts';
import { gitPauseOf } from '../openshift/git-pause.ts';
import type { Hold } from '../openshift/hold.ts';
import { heldLongest, toldHolder } from '../openshift/holders.ts';
import { whyKeptPaused } from '../openshift/kept-paused.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import {
  condition,
  hasPendingChange,
  hasPendingRollout,
  imageOf,
  isDegraded,
  isTrue,
  type Pool,
} from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { racesToShow } from '../races/choose-races.ts';
import { isConfirmed } from '../races/judge-race.ts';
import { pauseNow, type Race } from '../races/race.ts';
import { given } from '../text/given.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import type { HoldView, PoolView } from './view.ts';

/** Races of a pool in a view. */
const racesShown = 10;

export function viewOf(
  pool: Pool,
  context: {
    readonly settings: ClusterSettings;
    readonly gates: readonly GateView[];
    readonly gatesAhead?: readonly GateView[] | undefined;
    readonly races: readonly Race[];
    readonly now: Date;
  },
): PoolView {
  const record = pool.record.kind === 'record' ? pool.record.record : undefined;
  const inGit = gitPauseOf(pool);
  const keptPaused = whyKeptPaused(pool);
  const races = context.races.filter((race) => race.pool === pool.name);
  return {
    name: pool.name,
    createdAt: pool.createdAt,
    managed: isManaged(context.settings, pool),
    protection: settingsOf(context.settings, pool.name).protection,
    paused: pool.paused,
    pauseOf: pauseOf(pool, record),
    pausedSince: pool.paused ? (record?.pausedSince ?? pool.pausedBy?.at) : undefined,
    pausedBy: pool.paused ? (pool.pausedBy?.manager ?? '') : '',
    ...given({ inGit, keptPaused }),
    confirmed: isConfirmed(pool, generationOfPause(record, races)),
    currentConfig: pool.current.name,
    targetConfig: pool.target.name,
    pending: hasPendingRollout(pool),
    pendingSources: hasPendingChange(pool) ? pendingSources(pool) : undefined,
    ...pendingImage(pool),
    updated: isTrue(pool, 'Updated'),
    updating: isTrue(pool, 'Updating'),
    degraded: isDegraded(pool),
    counts: pool.counts,
    message: messageOf(pool),
    holds: heldLongest(holdsOf(pool)).map((hold, _, all) => ({
      ...holdView(hold, { ...context, record }),
      who: toldHolder(hold, all),
    })),
    ...(record?.emergency === undefined ? {} : { emergency: record.emergency }),
    closedGates: context.gates,
    ...(context.gatesAhead === undefined || context.gatesAhead.length === 0 ? {} : { gatesAhead: context.gatesAhead }),
    races: racesToShow(races, racesShown),
  };
}

/** Of the pause that the pool has now: races of earlier pauses of it say nothing. Undefined: not known. */
function generationOfPause(record: PoolRecord | undefined, races: readonly Race[]): number | undefined {
  const own = races.map(pauseNow).filter(({ pausedAt }) => pausedAt !== undefined && pausedAt === record?.pausedSince);
  const generations = own.flatMap(({ pauseGeneration }) => pauseGeneration ?? []);
  return generations.length === 0 ? undefined : Math.min(...generations);
}

function holdView(
  hold: Hold,
  context: { readonly settings: ClusterSettings; readonly record: PoolRecord | undefined; readonly now: Date },
): Omit<HoldView, 'who'> {
  const { id, kind, project, why, phase, since, until, overruled, canary } = hold;
  const timeout = timeoutOf(hold, context);
  return {
    id,
    kind,
    ...given({ project }),
    why,
    phase: phase ?? '',
    since,
    until,
    ...given({ timeout, canary }),
    ...(kind === 'freeze' && isInLane(context) ? { passed: true as const } : {}),
    ...(overruled === undefined ? {} : { overruled: { at: overruled.at, by: overruled.by } }),
  };
}

/** No pass may have seen yet that the lane is over. */
function isInLane({ record, now }: { readonly record: PoolRecord | undefined; readonly now: Date }): boolean {
  return record?.emergency !== undefined && !isPast(record.emergency.until, now);
}

/** A sync that runs is told by its age, and its hold is renewed before and after that. One that failed is told at once:
 *  nothing more happens to its hold, unless the policy has it end. */
function timeoutOf(
  { phase, startedAt, until }: Hold,
  { settings: { policy }, now }: { readonly settings: ClusterSettings; readonly now: Date },
): HoldView['timeout'] {
  if (phase === 'syncing' && startedAt !== undefined) {
    const at = plusSeconds(new Date(startedAt), policy.syncAtMostSeconds);
    return isPast(at, now) ? undefined : { at, action: 'alert' };
  }
  if (phase !== 'failed' || policy.onSyncFailure === 'keep') return undefined;
  return { at: until, action: policy.onSyncFailure === 'resume' ? 'resume' : 'alert' };
}

/** An image that comes with another config is told by that. */
function pendingImage(pool: Pool): Pick<PoolView, 'pendingImage'> {
  const image = hasPendingRollout(pool) && !hasPendingChange(pool) ? imageOf(pool) : undefined;
  return image === undefined ? {} : { pendingImage: image };
}

/** MachineConfigs of each side in a view. */
const sourcesShown = 20;

function pendingSources({ target, current }: Pool): NonNullable<PoolView['pendingSources']> {
  const without = (all: readonly string[], known: readonly string[]) =>
    all.filter((name) => !known.includes(name)).slice(0, sourcesShown);
  return { added: without(target.sources, current.sources), removed: without(current.sources, target.sources) };
}

function pauseOf(pool: Pool, record: PoolRecord | undefined): string {
  if (record?.pause !== undefined) return record.pause;
  return pool.paused ? 'foreign' : '';
}

/** The specific conditions say more than `Degraded`, whose message is empty after a render failure. */
function messageOf(pool: Pool): string {
  const telling = ['RenderDegraded', 'NodeDegraded', 'ImageBuildDegraded', 'Degraded'].find((type) =>
    isTrue(pool, type),
  );
  if (telling !== undefined) return condition(pool, telling)?.message ?? '';
  return condition(pool, 'Updating')?.message ?? '';
}
