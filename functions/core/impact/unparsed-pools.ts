import type { Application } from '../argocd/application.ts';
import type { ClusterSettings } from '../configuration/cluster.ts';
import { protectionOf } from '../configuration/protection.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { isRequiredForUpgrade } from '../openshift/pool.ts';
import { renderedResources } from './affected-pools.ts';

/** Pools that cannot be parsed, and so are not paused, which a sync may change: what they select is unknown. Those that
 *  Poolkeeper does not pause are left out, as far as their names say that. */
export function unparsedPools(
  application: Application,
  { settings, unreadablePools = [] }: UnparsedScene,
): readonly string[] {
  if (unreadablePools.length === 0) return [];
  const { named } = application;
  const renders = renderedResources(application).length > 0;
  const mayReach = (pool: string) => {
    const isNamed = named?.pools.includes(pool) === true;
    return (isNamed && named?.mayAdd === true) || (renders && (isNamed || named?.mayRemove !== true));
  };
  const isPaused = (name: string) => {
    const own = settingsOf(settings, name);
    return protectionOf(own).pauses && (own.manageRequired || !isRequiredForUpgrade({ name, labels: {} }));
  };
  return unreadablePools.filter((pool) => isPaused(pool) && mayReach(pool));
}

interface UnparsedScene {
  readonly settings: ClusterSettings;
  readonly unreadablePools?: readonly string[] | undefined;
}
