import { type Application, isSyncing, waitsForRetry } from '../argocd/application.ts';
import { hasPendingChange, isDegraded, isUpdated, type Pool } from '../openshift/pool.ts';
import { clipped } from '../text/phrases.ts';
import type { StepHealth } from './operator-health.ts';

/** Synced, Healthy, and no sync on its way. */
export function applicationHealth(application: Application | undefined): StepHealth {
  if (application === undefined) return { kind: 'unhealthy', value: 'the Application is not there' };
  const { sync, health, operation } = application;
  if (isSyncing(application)) {
    const retries = operation !== undefined && waitsForRetry(operation);
    return {
      kind: 'unhealthy',
      value: retries ? 'its sync failed and waits for the next attempt' : 'a sync is running',
    };
  }
  if (sync.status !== 'Synced')
    return { kind: 'unhealthy', value: sync.status === '' ? 'not compared yet' : sync.status };
  if (health !== 'Healthy')
    return { kind: 'unhealthy', value: health === '' ? 'its health is unknown' : clipped(health, 60) };
  return { kind: 'healthy', value: 'Synced and Healthy' };
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
    };
  if (!isUpdated(pool)) return { kind: 'unhealthy', value: `${updated} of ${machines} nodes are updated` };
  return { kind: 'healthy', value: 'updated' };
}
