import type { Pool } from '../openshift/pool.ts';
import { roleLabel } from '../openshift/role-label.ts';
import { poolSelects } from '../openshift/selector.ts';
import { facetsOf } from './facet.ts';
import type { MachineConfigContent } from './machine-config.ts';
import { type FacetSource, type MergedFacet, mergeFacets } from './merge-facets.ts';

/** The properties of a pool that determine its rendered config. */
export type RenderingPool = Pick<Pool, 'name' | 'machineConfigSelector'>;

/** The MachineConfigs that a pool merges: those of role worker by name, then all others by name, so that the role of a
 *  custom pool wins. Names compare by byte, as in Go. Rendered configs are never merged again: the MCO gives them no
 *  labels. One that only looks rendered is merged. Source: MCO MergeMachineConfigs, generateRenderedMachineConfig. */
export function sourcesOf(
  pool: RenderingPool,
  machineConfigs: readonly MachineConfigContent[],
): readonly MachineConfigContent[] {
  const selector = pool.machineConfigSelector;
  return inMergeOrder(
    machineConfigs.filter(({ labels }) => Object.keys(labels).length > 0 && poolSelects(selector, labels)),
  );
}

function inMergeOrder(machineConfigs: readonly MachineConfigContent[]): readonly MachineConfigContent[] {
  return machineConfigs.toSorted(
    (left, right) => Number(isForWorkers(right)) - Number(isForWorkers(left)) || byName(left.name, right.name),
  );
}

/** The merged settings by key, from MachineConfigs in merge order. With `keys`, only those: a change of them does not
 *  affect the rest of a rendered config. */
export function merge(
  sources: readonly MachineConfigContent[],
  keys?: ReadonlySet<string>,
): ReadonlyMap<string, MergedFacet> {
  const settings = new Map<string, [FacetSource, ...FacetSource[]]>();
  for (const source of sources) {
    for (const [key, facet] of facetsOf(source)) {
      if (keys !== undefined && !keys.has(key)) continue;
      const before = settings.get(key);
      if (before === undefined) settings.set(key, [{ source: source.name, facet }]);
      else before.push({ source: source.name, facet });
    }
  }
  const merged = new Map<string, MergedFacet>();
  for (const [key, each] of settings) merged.set(key, mergeFacets(each));
  return merged;
}

function isForWorkers(config: MachineConfigContent): boolean {
  return config.labels[roleLabel] === 'worker';
}

/** By code unit; names of objects are plain ASCII, where this is Go's order by byte. */
function byName(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
