import type { MachineConfigPool, Node } from '../api-server/cluster-objects.ts';
import { annotationOf } from './node-annotations.ts';
import { isFailing, isUnavailable, unreadiness } from './node-condition.ts';

/** How many nodes of the pool may be unavailable at once: at least one; percentages are rounded down. */
function maxUnavailableOf({ spec }: MachineConfigPool, nodeCount: number): number {
  const { maxUnavailable = 1 } = spec;
  const percent = /^(\d+)%$/.exec(String(maxUnavailable));
  const count = percent ? Math.floor((Number(percent[1]) * nodeCount) / 100) : Number(maxUnavailable);
  return Math.max(1, Number.isFinite(count) ? count : 1);
}

/** The nodes that get the pool's configuration next. One that is not ready or cordoned counts as unavailable and is
 *  passed over. Source: MCO pkg/controller/node getAllCandidateMachines,
 *  updateCandidateMachines. */
export function candidatesOf(pool: MachineConfigPool, nodes: readonly Node[]): Node[] {
  const target = pool.spec.configuration?.name ?? '';
  const free = maxUnavailableOf(pool, nodes.length) - nodes.filter(isUnavailable).length;
  const outdated = nodes.filter((node) => annotationOf(node, 'desiredConfig') !== target);
  const failing = nodes.filter((node) => annotationOf(node, 'desiredConfig') === target && isFailing(node));
  const ready = outdated.filter((node) => unreadiness(node) === undefined);
  const capacity = free - failing.length;
  if (capacity <= 0) return [];
  return capacity < ready.length ? inOrderOfZones(ready).slice(0, capacity) : ready;
}

const zoneLabel = 'topology.kubernetes.io/zone';

/** By zone, oldest first within a zone; nodes without a zone last. */
function inOrderOfZones(nodes: readonly Node[]): Node[] {
  const zoneOf = (node: Node) => node.metadata.labels?.[zoneLabel] ?? '\uffff';
  const rank = (node: Node) => `${zoneOf(node)}\u0000${node.metadata.creationTimestamp}\u0000${node.metadata.name}`;
  return [...nodes].sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}
