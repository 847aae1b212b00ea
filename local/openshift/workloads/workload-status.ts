import type { Pod, Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { sameJson } from '../api-server/json.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import type { ResourceType } from '../api-server/resource-types.ts';
import type { RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';

export const manager = 'kube-controller-manager';

/** What the controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets share. */
export interface ControllerParts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly record: RecordEvent;
}

/** Writes a workload's status if it differs. A condition keeps its transition time while its status is the same. */
export function setStatus(
  { registry, pace }: ControllerParts,
  type: ResourceType<Workload>,
  workload: Workload,
  status: Record<string, unknown>,
): void {
  const { conditions, ...rest } = status;
  const next = {
    ...rest,
    observedGeneration: workload.metadata.generation ?? 0,
    ...(Array.isArray(conditions) && {
      conditions: conditions.map((condition) => dated(condition, workload, pace.timestamp())),
    }),
  };
  if (sameJson(workload.status ?? {}, next)) return;
  registry.modify(type, keyOf(workload), (draft) => Object.assign(draft, { status: next }), {
    manager,
    subresource: 'status',
  });
}

function dated(condition: { type: string; status: string }, { status }: Workload, time: string): unknown {
  const before = status?.conditions?.find(({ type }) => type === condition.type);
  return { ...condition, lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : time };
}

/** The counts in the status of a workload with replicas. */
export function counts(owned: readonly Pod[], wanted: number): Record<string, number> {
  const ready = owned.filter(isReady).length;
  return {
    replicas: owned.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
  };
}
