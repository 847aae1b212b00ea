import { valueAt } from '../api-server/json.ts';
import type { Registry } from '../api-server/registry.ts';
import { clusterVersions } from '../api-server/resource-types.ts';

/** The cluster's release as its ClusterVersion says it, `4.21.0`; empty where there is none. */
export function clusterRelease(registry: Registry): string {
  const version = valueAt(registry.get(clusterVersions, 'version') ?? {}, ['status', 'desired', 'version']);
  return typeof version === 'string' ? version : '';
}

/** 21 for 4.21. Every minor of a later major version is later than all of these. */
export function minorRelease(registry: Registry): number {
  const [major = 0, minor = 0] = clusterRelease(registry).split('.').map(Number);
  return major > 4 ? Number.POSITIVE_INFINITY : minor;
}
