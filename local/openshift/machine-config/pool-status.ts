import type {
  MachineConfigNode,
  MachineConfigPool,
  MachineConfigPoolStatus,
  Node,
} from '../api-server/cluster-objects.ts';
import type { Condition } from '../api-server/kubernetes-object.ts';
import { annotationOf } from './node-annotations.ts';
import { isDegraded, isDone, isUnavailable, unreadiness } from './node-condition.ts';
import { isTrue, withCondition } from './pool-conditions.ts';

interface Seen {
  readonly pool: MachineConfigPool;
  readonly nodes: readonly Node[];
  readonly machineConfigNodes: readonly MachineConfigNode[];
  readonly time: string;
}

/** The status that the node controller gives a pool. Source: MCO pkg/controller/node/status.go, release-4.21. */
export function poolStatus({ pool, nodes, machineConfigNodes, time }: Seen): MachineConfigPoolStatus {
  const target = pool.spec.configuration?.name ?? '';
  const updated = nodes.filter((node) => isDone(node) && annotationOf(node, 'desiredConfig') === target);
  const counts = {
    machineCount: nodes.length,
    updatedMachineCount: updated.length,
    readyMachineCount: updated.filter((node) => unreadiness(node) === undefined).length,
    unavailableMachineCount: nodes.filter(isUnavailable).length,
    degradedMachineCount: nodes.filter(isDegraded).length,
  };
  const allUpdated =
    counts.updatedMachineCount === nodes.length &&
    counts.readyMachineCount === nodes.length &&
    counts.unavailableMachineCount === 0;
  const wanted = [
    ...progress({ target, paused: pool.spec.paused ?? false, allUpdated }),
    ...health({ pool, nodes, machineConfigNodes }),
  ];
  return {
    ...(pool.status?.configuration && { configuration: pool.status.configuration }),
    ...(allUpdated && pool.spec.configuration && { configuration: pool.spec.configuration }),
    conditions: wanted.reduce(
      (conditions, condition) => withCondition(conditions, condition, time),
      pool.status?.conditions ?? [],
    ),
    ...counts,
    observedGeneration: pool.metadata.generation ?? 0,
  };
}

function progress({
  target,
  paused,
  allUpdated,
}: {
  target: string;
  paused: boolean;
  allUpdated: boolean;
}): Condition[] {
  if (allUpdated)
    return [
      { type: 'Updated', status: 'True', message: `All nodes are updated with MachineConfig ${target}` },
      { type: 'Updating', status: 'False' },
    ];
  const updated: Condition = { type: 'Updated', status: 'False' };
  if (paused)
    return [
      updated,
      { type: 'Updating', status: 'False', message: `Pool is paused; will not update to MachineConfig ${target}` },
    ];
  return [updated, { type: 'Updating', status: 'True', message: `All nodes are updating to MachineConfig ${target}` }];
}

/** Only degraded nodes add a message: when the render has failed, `Degraded` has none. */
function health({ pool, nodes, machineConfigNodes }: Omit<Seen, 'time'>): Condition[] {
  const degraded = nodes.filter(isDegraded);
  const message = complaints(nodes, machineConfigNodes).join(', ');
  const renderDegraded = isTrue(pool.status?.conditions, 'RenderDegraded');
  if (degraded.length === 0)
    return [
      { type: 'NodeDegraded', status: 'False' },
      { type: 'Degraded', status: renderDegraded ? 'True' : 'False' },
    ];
  const reason = `${degraded.length} nodes are reporting degraded status on sync`;
  return [
    { type: 'NodeDegraded', status: 'True', reason, message },
    { type: 'Degraded', status: 'True', message },
  ];
}

/** A degraded node is reported twice: from its MachineConfigNode and from its annotation. */
function complaints(nodes: readonly Node[], machineConfigNodes: readonly MachineConfigNode[]): string[] {
  const says = (node: string, text: string) => `Node ${node} is reporting: ${JSON.stringify(text)}`;
  const byConfigNode = machineConfigNodes.flatMap(({ metadata, status }) => {
    const condition = status?.conditions?.find(({ type, status: is }) => type === 'NodeDegraded' && is === 'True');
    return condition ? [says(metadata.name, condition.message ?? '')] : [];
  });
  const byNode = nodes
    .filter((node) => isDegraded(node) && annotationOf(node, 'reason') !== '')
    .map((node) => says(node.metadata.name, annotationOf(node, 'reason')));
  return [...byConfigNode, ...byNode];
}
