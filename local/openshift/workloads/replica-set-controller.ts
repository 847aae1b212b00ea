import type { Pod, Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import { pods, replicaSets } from '../api-server/resource-types.ts';
import { makePod, podsOwnedBy } from './pod-making.ts';
import { type ControllerParts, counts, manager, setStatus } from './workload-status.ts';

/** Creates missing pods and deletes surplus ones, unready ones first. */
export function reconcileReplicaSet(parts: ControllerParts, set: Workload): void {
  const { registry, record } = parts;
  const wanted = set.spec.replicas ?? 1;
  const owned = podsOwnedBy(registry, set);
  for (let missing = wanted - owned.length; missing > 0; missing -= 1) {
    const pod = makePod(registry, set);
    record({ object: set, reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
  }
  for (const pod of unreadyFirst(owned).slice(0, Math.max(0, owned.length - wanted)))
    registry.delete(pods, keyOf(pod), { manager });
  setStatus(parts, replicaSets, set, counts(podsOwnedBy(registry, set), wanted));
}

function unreadyFirst(owned: readonly Pod[]): Pod[] {
  return [...owned].sort((left, right) => Number(isReady(left)) - Number(isReady(right)));
}
