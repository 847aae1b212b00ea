import type { ClusterSettings, PoolSettings } from '../configuration/cluster.ts';
import { defaultPoolSettings } from '../configuration/cluster.ts';
import { protectionOf } from '../configuration/protection.ts';
import { isRequiredForUpgrade, type Pool } from './pool.ts';

export function settingsOf(cluster: ClusterSettings, pool: string): PoolSettings {
  return cluster.pools[pool] ?? defaultPoolSettings;
}

/** May Poolkeeper pause and resume this pool? Required pools only if opted in by name; never with an unreadable
 *  record. */
export function isManaged(cluster: ClusterSettings, pool: Pool): boolean {
  const settings = settingsOf(cluster, pool.name);
  if (!protectionOf(settings).pauses || pool.record.kind === 'unreadable') return false;
  return settings.manageRequired || !isRequiredForUpgrade(pool);
}
