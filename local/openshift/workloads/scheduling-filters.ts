import type { Node, Pod, Taint, Toleration } from '../api-server/cluster-objects.ts';
import { meetsNodeAffinity } from './node-affinity.ts';

/** Why a pod cannot run on a node, in the scheduler's words: the reason of the first filter that refuses. */
export function obstacle(pod: Pod, node: Node, podsOnNode: readonly Pod[]): string | undefined {
  if (
    node.spec.unschedulable &&
    !toleratesAll(pod, [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }])
  )
    return 'node(s) were unschedulable';
  const repelling = (node.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (!toleratesAll(pod, repelling)) return 'node(s) had untolerated taint(s)';
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => node.metadata.labels?.[key] === value))
    return "node(s) didn't match Pod's node affinity/selector";
  if (!meetsNodeAffinity(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  return scarcity(pod, node, podsOnNode);
}

/** Whether evicting other pods could make room: only when a resource is short. */
export function isScarcity(reason: string): boolean {
  return reason.startsWith('Insufficient') || reason.startsWith('Too many');
}

function toleratesAll(pod: Pod, taints: readonly Taint[]): boolean {
  return taints.every((taint) => pod.spec.tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false);
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === undefined || key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}

function scarcity(pod: Pod, node: Node, podsOnNode: readonly Pod[]): string | undefined {
  const allocatable = node.status?.allocatable ?? {};
  if (podsOnNode.length + 1 > quantity(allocatable['pods'] ?? '110')) return 'Too many pods';
  for (const resource of ['cpu', 'memory']) {
    const limit = allocatable[resource];
    if (limit === undefined) continue;
    const used = [...podsOnNode, pod].reduce((sum, each) => sum + requested(each, resource), 0);
    if (used > quantity(limit)) return `Insufficient ${resource}`;
  }
  return undefined;
}

function requested({ spec }: Pod, resource: string): number {
  return spec.containers.reduce((sum, { resources }) => sum + quantity(resources?.requests?.[resource] ?? '0'), 0);
}

const units: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity as a number. */
function quantity(text: string): number {
  const [, number = '0', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? 1);
}
