import type { Workload } from '../api-server/cluster-objects.ts';
import { pods, statefulSets } from '../api-server/resource-types.ts';
import { makePod, podsOwnedBy } from './pod-making.ts';
import { type ControllerParts, counts, setStatus } from './workload-status.ts';

/** Pods keep their names: one that goes is recreated under the same name once the old one is gone for good. */
export function reconcileStatefulSet(parts: ControllerParts, set: Workload): void {
  const { registry } = parts;
  const { name, namespace } = set.metadata;
  const wanted = set.spec.replicas ?? 1;
  for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
    const podName = `${name}-${ordinal}`;
    const labels = { 'statefulset.kubernetes.io/pod-name': podName };
    if (!registry.get(pods, podName, namespace)) makePod(registry, set, { name: podName, labels });
  }
  setStatus(parts, statefulSets, set, counts(podsOwnedBy(registry, set), wanted));
}
