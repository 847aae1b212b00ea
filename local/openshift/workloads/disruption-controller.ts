import type { Pod, PodDisruptionBudget, Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { sameJson } from '../api-server/json.ts';
import { controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import { selects } from '../api-server/label-selector.ts';
import type { Registry } from '../api-server/registry.ts';
import { podDisruptionBudgets, pods, replicaSets, statefulSets } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import { reconcileOn } from './reconcile-on.ts';
import { scaled } from './replica-count.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

/** Keeps each budget's status: how many pods it expects, how many are healthy and how many may go. */
export function startDisruptionController(parts: Parts): void {
  const { registry } = parts;
  reconcileOn({ ...parts, types: [pods, podDisruptionBudgets], afterMs: 50, run });

  function run(): void {
    for (const budget of registry.list(podDisruptionBudgets)) writeStatus(parts, budget);
  }
}

function writeStatus({ registry, pace }: Parts, budget: PodDisruptionBudget): void {
  const status = { ...statusOf(registry, budget), observedGeneration: budget.metadata.generation ?? 0 };
  const conditions = conditionsOf(budget, status.disruptionsAllowed > 0, pace.timestamp());
  if (sameJson(budget.status, { ...status, conditions })) return;
  const set = (draft: PodDisruptionBudget) => Object.assign(draft, { status: { ...status, conditions } });
  registry.modify(podDisruptionBudgets, keyOf(budget), set, {
    manager: 'kube-controller-manager',
    subresource: 'status',
  });
}

function statusOf(registry: Registry, { metadata, spec }: PodDisruptionBudget) {
  const covered = registry
    .list(pods, metadata.namespace)
    .filter(({ metadata: pod }) => spec.selector !== undefined && selects(spec.selector, pod.labels, true));
  const expectedPods = typeof spec.minAvailable === 'number' ? covered.length : wantedPods(registry, covered);
  const desiredHealthy =
    spec.minAvailable === undefined
      ? Math.max(0, expectedPods - scaled(spec.maxUnavailable ?? 0, expectedPods))
      : scaled(spec.minAvailable, expectedPods);
  const currentHealthy = covered.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  return { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods };
}

/** How many pods their owners ask for; a pod without an owner counts as one. */
function wantedPods(registry: Registry, covered: readonly Pod[]): number {
  const owners = new Map(covered.map((pod) => [controllerOf(pod)?.uid ?? pod.metadata.uid, pod]));
  return [...owners.values()].reduce((sum, pod) => sum + (ownerOf(registry, pod)?.spec.replicas ?? 1), 0);
}

function ownerOf(registry: Registry, pod: Pod): Workload | undefined {
  const owner = controllerOf(pod);
  if (!owner) return undefined;
  const type = owner.kind === 'StatefulSet' ? statefulSets : replicaSets;
  return registry.get(type, owner.name, pod.metadata.namespace);
}

function conditionsOf({ metadata, status }: PodDisruptionBudget, allowed: boolean, time: string) {
  const is = allowed ? ('True' as const) : ('False' as const);
  const before = status?.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const lastTransitionTime = before?.status === is ? before.lastTransitionTime : time;
  const reason = allowed ? 'SufficientPods' : 'InsufficientPods';
  return [
    {
      type: 'DisruptionAllowed',
      status: is,
      observedGeneration: metadata.generation ?? 0,
      lastTransitionTime,
      reason,
      message: '',
    },
  ];
}
