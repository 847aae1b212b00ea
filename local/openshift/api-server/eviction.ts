import { badRequest, evictionRefused, internalError, notFound } from './api-error.ts';
import type { Pod, PodDisruptionBudget } from './cluster-objects.ts';
import { keyOf, type ObjectKey } from './kubernetes-object.ts';
import { selects } from './label-selector.ts';
import type { Registry } from './registry.ts';
import { podDisruptionBudgets, pods } from './resource-types.ts';

export interface Eviction {
  readonly manager: string;
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
}

/** The eviction API: deletes the pod, unless a disruption budget forbids it. Source: kubernetes
 *  pkg/registry/core/pod/storage/eviction.go. */
export function evict(registry: Registry, key: ObjectKey, eviction: Eviction): void {
  const pod = registry.get(pods, key.name, key.namespace);
  if (!pod) throw notFound(pods, key.name);
  if (!isDisrupted(pod)) spendBudget(registry, pod, eviction);
  if (eviction.dryRun) return;
  registry.modify(pods, key, markDisrupted, { manager: eviction.manager, subresource: 'status' });
  registry.delete(pods, key, eviction);
}

/** Pods that are pending, finished or being deleted need no budget. */
function isDisrupted({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(status?.phase ?? '');
}

function spendBudget(registry: Registry, pod: Pod, eviction: Eviction): void {
  const [budget, second] = budgetsOf(registry, pod);
  if (second)
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  if (!budget || mayGoUnhealthy(pod, budget)) return;
  const { name } = budget.metadata;
  const status = budget.status;
  if (!status || (status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
    throw evictionRefused(`The disruption budget ${name} is still being processed by the server.`, 10);
  if (status.disruptionsAllowed === 0)
    throw evictionRefused(
      `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
    );
  if (eviction.dryRun) return;
  registry.modify(podDisruptionBudgets, keyOf(budget), spendOne, { manager: 'kube-apiserver', subresource: 'status' });
}

function spendOne(budget: PodDisruptionBudget): void {
  if (budget.status) budget.status.disruptionsAllowed -= 1;
}

/** The budgets that cover a pod; in policy/v1 an empty selector covers the whole namespace and a missing one
 *  nothing. */
function budgetsOf(registry: Registry, pod: Pod): PodDisruptionBudget[] {
  return registry
    .list(podDisruptionBudgets, pod.metadata.namespace)
    .filter(({ spec }) => spec.selector !== undefined && selects(spec.selector, pod.metadata.labels, true));
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** A pod that is not ready does not count as healthy, so its eviction may be free. */
function mayGoUnhealthy(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return status !== undefined && status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
}

function markDisrupted(pod: Pod): void {
  pod.status ??= {};
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  pod.status.conditions = [
    ...others,
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastTransitionTime: null,
    },
  ];
}

/** Throws when the body names another pod than the path. */
export function refuseOtherPod(name: string, nameInBody: unknown): void {
  if (nameInBody !== name) throw badRequest('name in URL does not match name in Eviction object');
}
