import type { MachineConfigPool, Node, Taint } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigNodes, machineConfigPools, nodes } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { candidatesOf } from './candidates.ts';
import { createDelayQueue } from './delay-queue.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotate, annotationOf, annotations } from './node-annotations.ts';
import { isDone, isManaged, unreadiness } from './node-condition.ts';
import { nodesOfPool, poolsOfNode } from './pool-membership.ts';
import { poolStatus } from './pool-status.ts';
import { createRequestBudget } from './request-budget.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
}

const manager = 'machine-config-controller';

/** Keeps pods from being scheduled to nodes that are about to be updated anyway. */
const updateTaint: Taint = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' };

/**
 * Gives nodes their pool's configuration, at most maxUnavailable at a time, and keeps the pool's status.
 * A sync reads the pool once, at its start: a pause that comes while it works does not stop it.
 */
export function startNodeController({ registry, pace, timings }: Parts): void {
  const record = createEventRecorder({
    registry,
    pace,
    component: 'machineconfigcontroller-nodecontroller',
    namespace: mcoNamespace,
  });
  const queue = createDelayQueue({ pace, workers: 2, sync });
  const limit = { perSecond: timings.requestsPerSecond, burst: timings.requestBurst };
  const nodeRequests = createRequestBudget(pace, limit);
  const poolRequests = createRequestBudget(pace, limit);
  registry.subscribe((change) => {
    for (const pool of concerned(change, registry)) queue.addAfter(pool, timings.updateDelayMs);
  });

  async function sync(name: string): Promise<void> {
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    if (!pool.spec.configuration?.name) return pace.sleep(timings.updateDelayMs);
    if (!pool.spec.paused) await target(pool);
    await writeStatus(name);
  }

  /** All nodes that differ from the pool get the taint, and as many as may be away get the configuration. */
  async function target(pool: MachineConfigPool): Promise<void> {
    const configuration = pool.spec.configuration?.name ?? '';
    const members = nodesOfPool(pool, registry.list(machineConfigPools), registry.list(nodes));
    for (const node of members) await setTaint(node, annotationOf(node, 'desiredConfig') !== configuration);
    const chosen = candidatesOf(pool, members);
    for (const node of chosen) await request(node, (draft) => annotate(draft, { desiredConfig: configuration }));
    if (chosen.length > 0)
      record({ object: pool, reason: 'SetDesiredConfig', message: targeted(chosen, configuration) });
  }

  async function setTaint(node: Node, wanted: boolean): Promise<void> {
    const tainted = node.spec.taints?.some(({ key }) => key === updateTaint.key) ?? false;
    if (tainted === wanted) return;
    await request(node, ({ spec }) => {
      const others = (spec.taints ?? []).filter(({ key }) => key !== updateTaint.key);
      spec.taints = wanted ? [...others, updateTaint] : others;
      if (spec.taints.length === 0) delete spec.taints;
    });
  }

  /** Reads the node and patches it: two requests. A node that is gone by then is left out. */
  async function request(node: Node, change: (draft: Node) => void): Promise<void> {
    await nodeRequests.take();
    await nodeRequests.take();
    if (registry.get(nodes, node.metadata.name)) registry.modify(nodes, keyOf(node), change, { manager });
  }

  /** Reads each node's MachineConfigNode, then the pool afresh, and writes what follows from them. */
  async function writeStatus(name: string): Promise<void> {
    const stale = registry.get(machineConfigPools, name);
    if (!stale) return;
    for (const _ of nodesOfPool(stale, registry.list(machineConfigPools), registry.list(nodes)))
      await poolRequests.take();
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    const members = nodesOfPool(pool, registry.list(machineConfigPools), registry.list(nodes));
    const names = new Set(members.map(({ metadata }) => metadata.name));
    const progress = registry.list(machineConfigNodes).filter(({ metadata }) => names.has(metadata.name));
    const status = poolStatus({ pool, nodes: members, machineConfigNodes: progress, time: pace.timestamp() });
    if (sameJson(pool.status, status)) return;
    await poolRequests.take();
    registry.update(machineConfigPools, { ...pool, status }, { manager, subresource: 'status' });
    const completed = status.configuration?.name;
    if (completed && completed !== pool.status?.configuration?.name)
      record({
        object: pool,
        reason: 'Completed',
        message: `Pool ${name} has completed update to MachineConfig ${completed}`,
      });
  }
}

function targeted(chosen: readonly Node[], configuration: string): string {
  const [first] = chosen;
  return first && chosen.length === 1
    ? `Targeted node ${first.metadata.name} to MachineConfig: ${configuration}`
    : `Set target for ${chosen.length} nodes to MachineConfig: ${configuration}`;
}

/** The pools that have to be looked at again after this change. */
function concerned({ kind, type, object, previous }: ObjectChange, registry: Registry): string[] {
  if (type === machineConfigPools) return kind === 'DELETED' ? [] : [object.metadata.name];
  if (type !== nodes) return [];
  const node = object as Node;
  const before = previous as Node | undefined;
  const names = (of: Node) => poolsOfNode(registry.list(machineConfigPools), of).map(({ metadata }) => metadata.name);
  if (kind !== 'MODIFIED' || !before) return names(node);
  if (!isManaged(node)) return [];
  const [oldPool] = names(before);
  const moved = oldPool !== undefined && oldPool !== names(node)[0] ? [oldPool] : [];
  return matters(before, node) ? [...moved, ...names(node)] : moved;
}

/** Only changes that can make a difference to a rollout wake the controller. */
function matters(before: Node, node: Node): boolean {
  if (unreadiness(before) !== unreadiness(node)) return true;
  if (annotationOf(before, 'currentConfig') !== annotationOf(before, 'desiredConfig') && isDone(node)) return true;
  const watched = [annotations.currentConfig, annotations.desiredConfig, annotations.state, annotations.reason];
  return (
    watched.some((key) => before.metadata.annotations?.[key] !== node.metadata.annotations?.[key]) ||
    !sameJson(before.metadata.labels, node.metadata.labels) ||
    !sameJson(before.spec.taints, node.spec.taints)
  );
}
