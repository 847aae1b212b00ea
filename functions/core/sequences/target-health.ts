import { type Application, isSyncing, waitsForRetry } from '../argocd/application.ts';
import { hasPendingChange, isDegraded, isUpdated, type Pool } from '../openshift/pool.ts';
import { clipped } from '../text/phrases.ts';
import type { StepHealth } from './operator-health.ts';

/** Seconds: half an hour. Later commits of an Application are no trouble of its sequence; most syncs and the rollouts
 *  of their Deployments take minutes. */
const ownSyncSeconds = 1800;
/** Seconds: a day. A pool of many nodes takes hours; that it is stuck has incidents of its own. */
const ownRolloutSeconds = 86_400;

/** Synced, Healthy, and no sync on its way. */
export function applicationHealth(application: Application | undefined): StepHealth {
  if (application === undefined) return { kind: 'unhealthy', value: 'the Application is not there' };
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

/** Updated, not degraded, and nothing waits to be rolled out. */
export function poolHealth(pool: Pool | undefined): StepHealth {
  if (pool === undefined) return { kind: 'unhealthy', value: 'the pool is not there' };
  const { updated, machines } = pool.counts;
  if (isDegraded(pool)) return { kind: 'unhealthy', value: 'the pool is degraded' };
  if (hasPendingChange(pool))
    return {
      kind: 'unhealthy',
      value: pool.paused ? 'paused, with a change waiting' : `${updated} of ${machines} nodes are updated`,
      patienceSeconds: ownRolloutSeconds,
    };
  if (!isUpdated(pool))
    return {
      kind: 'unhealthy',
      value: `${updated} of ${machines} nodes are updated`,
      patienceSeconds: ownRolloutSeconds,
    };
  return { kind: 'healthy', value: 'updated' };
}
