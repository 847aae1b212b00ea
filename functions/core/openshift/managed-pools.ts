import type { ClusterSettings, PoolSettings } from '../configuration/cluster.ts';
import { defaultPoolSettings } from '../configuration/cluster.ts';
import { protectionOf } from '../configuration/protection.ts';
import { isRequiredForUpgrade, type Pool } from './pool.ts';

/** Names of pools also come from Git and annotations, where there need be no such pool. */
export function settingsOf({ pools }: ClusterSettings, pool: string): PoolSettings {
  return (Object.hasOwn(pools, pool) ? pools[pool] : undefined) ?? defaultPoolSettings;
}

/** Names of the pools whose level lets the API server refuse changes while they are not paused. */
export function refusingPools({ pools }: Pick<ClusterSettings, 'pools'>): readonly string[] {
  return Object.entries(pools).flatMap(([name, pool]) => (protectionOf(pool).refusesUnpaused ? [name] : []));
}

/** May Poolkeeper pause and resume this pool? Required pools only if opted in by name; never with an unreadable
 *  record. */
export function isManaged(cluster: ClusterSettings, pool: Pool): boolean {
  const settings = settingsOf(cluster, pool.name);
  if (!protectionOf(settings).pauses || pool.record.kind === 'unreadable') return false;
  return isOptedIn(settings, pool);
}

/** Upgrades wait for a required pool that is paused: it is so only for who has said so by its name. */
export function isOptedIn({ manageRequired }: PoolSettings, pool: Pool): boolean {
  return manageRequired || !isRequiredForUpgrade(pool);
}
