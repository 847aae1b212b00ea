import { type Application, isSyncing, waitsForRetry } from '../argocd/application.ts';
import { isRolledOut, lacksNodesOnly } from '../openshift/canary-turns.ts';
import type { Hold } from '../openshift/hold.ts';
import { hasPendingChange, isDegraded, type Pool } from '../openshift/pool.ts';
import { isAboutToResume, standingHoldsOf } from '../openshift/pool-record.ts';
import { isLaterSecond, secondsSince } from '../text/instant.ts';
import { clipped } from '../text/phrases.ts';
import type { StepHealth } from './operator-health.ts';

/** Seconds: half an hour. Later commits of an Application are no trouble of its sequence; most syncs and the rollouts
 *  of their Deployments take minutes. */
const ownSyncSeconds = 1800;
/** Seconds: a day. A pool of many nodes takes hours; that it is stuck has incidents of its own. */
const ownRolloutSeconds = 86_400;

/** Seconds: Argo CD compares an Application every three minutes, unless it is configured otherwise. */
const comparedWithinSeconds = 600;

/** Of an Application that only seems to be healthy: Argo CD is asked to compare it. */
export const notComparedLately = 'Synced and Healthy when Argo CD last compared it with Git, which is too long ago';

/** When its turn came; undefined: it has not. And now. */
interface ComparedSince {
  readonly begunAt: string | undefined;
  readonly now: Date;
}

/** Synced, Healthy, no sync on its way, and compared by Argo CD lately, or since its turn came: while Argo CD is down
 *  it shows what was so before, and as soon as it is back, it would sync this step and the next ones together.
 *  @param compared undefined: whenever that was */
export function applicationHealth(application: Application | undefined, compared?: ComparedSince): StepHealth {
  const health = shownHealth(application);
  const { reconciledAt } = application ?? {};
  if (health.kind !== 'healthy' || reconciledAt === undefined || compared === undefined) return health;
  const { begunAt, now } = compared;
  const isSinceTurn = begunAt !== undefined && isLaterSecond(reconciledAt, begunAt);
  const isLately = secondsSince(reconciledAt, now) <= comparedWithinSeconds;
  return isSinceTurn || isLately
    ? health
    : { kind: 'unhealthy', value: notComparedLately, patienceSeconds: ownSyncSeconds };
}

function shownHealth(application: Application | undefined): StepHealth {
  if (application === undefined) return { kind: 'unhealthy', value: 'the Application is not there' };
  if (application.isBeingDeleted === true) return { kind: 'unhealthy', value: 'the Application is being deleted' };
  const { sync, health } = application;
  const moving = { patienceSeconds: ownSyncSeconds };
  if (isSyncing(application)) {
    return isRetrying(application)
      ? { kind: 'unhealthy', value: 'its sync failed and waits for the next attempt' }
      : { kind: 'unhealthy', value: 'a sync is running', ...moving };
  }
  if (sync.status !== 'Synced') {
    const value = sync.status === '' ? 'not compared yet' : sync.status;
    return hasFailed(application) ? { kind: 'unhealthy', value } : { kind: 'unhealthy', value, ...moving };
  }
  if (health === 'Progressing') return { kind: 'unhealthy', value: health, ...moving };
  if (health !== 'Healthy')
    return { kind: 'unhealthy', value: health === '' ? 'its health is unknown' : clipped(health, 60) };
  return { kind: 'healthy', value: 'Synced and Healthy' };
}

function isRetrying({ operation }: Application): boolean {
  return operation !== undefined && waitsForRetry(operation);
}

function hasFailed({ operation }: Application): boolean {
  return operation?.phase === 'Failed' || operation?.phase === 'Error';
}

/** Of a pool of which nothing else tells that it is missing. */
export const poolNotThere = 'the pool is not there';

/** Of a pool of which nothing rolls. A cordon alone is no trouble of a pool, but what waits for it waits on. */
export const poolLacksNodes = 'no change is left to roll out, and nodes of the pool are cordoned or not ready';

/** What is known of a pool. */
export interface PoolHealth extends StepHealth {
  /** It was let go for the change that it has now. */
  readonly underWay?: boolean;
}

/** Updated, not degraded, and nothing waits to be rolled out, or to be synced first.
 *  @param isOrdered whether the Application of that hold, or the one that writes it first, is a step itself: its own
 *  health speaks for it, and it may wait for this pool */
export function poolHealth(pool: Pool | undefined, isOrdered: (hold: Hold) => boolean = () => false): PoolHealth {
  if (pool === undefined) return { kind: 'unhealthy', value: poolNotThere };
  const { updated, machines } = pool.counts;
  if (isDegraded(pool)) return { kind: 'unhealthy', value: 'the pool is degraded', ...underWay(pool) };
  const moving = { patienceSeconds: ownRolloutSeconds, ...underWay(pool) };
  const rolls = `${updated} of ${machines} nodes are updated`;
  if (!isRolledOut(pool)) {
    const left = hasPendingChange(pool) && pool.paused ? 'paused, with a change waiting' : rolls;
    return { kind: 'unhealthy', value: lacksNodesOnly(pool) ? poolLacksNodes : left, ...moving };
  }
  const sync = standingHoldsOf(pool).find((hold) => hold.kind === 'sync' && !isOrdered(hold));
  if (sync !== undefined)
    return { kind: 'unhealthy', value: `held for the sync of ${clipped(sync.who, 120)}`, ...moving };
  // What its syncs changed may not be rendered yet.
  if (isAboutToResume(pool)) return { kind: 'unhealthy', value: 'about to resume', ...moving };
  return { kind: 'healthy', value: 'updated' };
}

/** By its turn, or the gates of its resume, or a person. */
function underWay(pool: Pool): Pick<PoolHealth, 'underWay'> {
  if (pool.paused || !hasPendingChange(pool) || pool.record.kind !== 'record') return {};
  const { last, letGo } = pool.record.record;
  return [last?.asked, letGo?.config].includes(pool.target.name) ? { underWay: true } : {};
}
