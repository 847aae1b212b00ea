import type { Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { daemonSets, nodes } from '../api-server/resource-types.ts';
import { makePod, podsOwnedBy } from './pod-making.ts';
import { type ControllerParts, setStatus } from './workload-status.ts';

/** One pod on each selected node, cordoned or not. */
export function reconcileDaemonSet(parts: ControllerParts, set: Workload): void {
  const { registry } = parts;
  const owned = podsOwnedBy(registry, set);
  const selector = Object.entries(set.spec.template.spec.nodeSelector ?? {});
  const chosen = registry
    .list(nodes)
    .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value));
  const covered = new Set(owned.map(({ spec }) => spec.nodeName));
  for (const { metadata } of chosen) {
    if (!covered.has(metadata.name))
      makePod(registry, set, { spec: { nodeName: metadata.name, tolerations: [{ operator: 'Exists' }] } });
  }
  const ready = owned.filter(isReady).length;
  setStatus(parts, daemonSets, set, {
    desiredNumberScheduled: chosen.length,
    currentNumberScheduled: owned.length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: chosen.length - ready,
  });
}
