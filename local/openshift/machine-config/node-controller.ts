import type { MachineConfigPool, Node, Taint } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigNodes, machineConfigPools, nodes } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { candidatesOf } from './candidates.ts';
import { createDelayQueue, type DelayQueue } from './delay-queue.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotate, annotationOf, annotations } from './node-annotations.ts';
import { isDone, isManaged, unreadiness } from './node-condition.ts';
import { nodesOfPool, poolsOfNode } from './pool-membership.ts';
import { poolStatus } from './pool-status.ts';
import { createRequestBudget, type RequestBudget } from './request-budget.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
}

const manager = 'machine-config-controller';

/** Keeps new pods away from nodes that are about to be updated. */
const updateTaint: Taint = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' };

/** Gives nodes their pool's configuration, at most maxUnavailable at a time, and keeps the pool's status up to date. A
 *  sync reads the pool once, at its start: a pause that comes during a sync does not stop it. */
export function startNodeController(parts: Parts): void {
  new NodeController(parts).start();
}

class NodeController {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  private readonly queue: DelayQueue;
  private readonly nodeRequests: RequestBudget;
  private readonly poolRequests: RequestBudget;

  constructor(parts: Parts) {
    const { registry, pace, timings } = parts;
    this.parts = parts;
    this.record = createEventRecorder({
      registry,
      pace,
      component: 'machineconfigcontroller-nodecontroller',
      namespace: mcoNamespace,
    });
    this.queue = createDelayQueue({ pace, workers: 2, sync: (name) => this.sync(name) });
    const limit = { perSecond: timings.requestsPerSecond, burst: timings.requestBurst };
    this.nodeRequests = createRequestBudget(pace, limit);
    this.poolRequests = createRequestBudget(pace, limit);
  }

  start(): void {
    const { registry, timings } = this.parts;
    registry.subscribe((change) => {
      for (const pool of affectedPools(change, registry)) this.queue.addAfter(pool, timings.updateDelayMs);
    });
  }

  private async sync(name: string): Promise<void> {
    const { registry, pace, timings } = this.parts;
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    if (!pool.spec.configuration?.name) return pace.sleep(timings.updateDelayMs);
    if (!pool.spec.paused) await this.setTargets(pool);
    await this.writeStatus(name);
  }

  /** Taints all nodes that differ from the pool, and targets as many as may be unavailable. */
  private async setTargets(pool: MachineConfigPool): Promise<void> {
    const configuration = pool.spec.configuration?.name ?? '';
    const members = this.membersOf(pool);
    for (const node of members) await this.setTaint(node, annotationOf(node, 'desiredConfig') !== configuration);
    const chosen = candidatesOf(pool, members);
    for (const node of chosen) await this.patch(node, (draft) => annotate(draft, { desiredConfig: configuration }));
    if (chosen.length > 0)
      this.record({ object: pool, reason: 'SetDesiredConfig', message: targeted(chosen, configuration) });
  }

  private async setTaint(node: Node, wanted: boolean): Promise<void> {
    const tainted = node.spec.taints?.some(({ key }) => key === updateTaint.key) ?? false;
    if (tainted === wanted) return;
    await this.patch(node, ({ spec }) => {
      const others = (spec.taints ?? []).filter(({ key }) => key !== updateTaint.key);
      spec.taints = wanted ? [...others, updateTaint] : others;
      if (spec.taints.length === 0) delete spec.taints;
    });
  }

  /** Reads the node and patches it: two requests. A node that is gone by then is skipped. */
  private async patch(node: Node, change: (draft: Node) => void): Promise<void> {
    const { registry } = this.parts;
    await this.nodeRequests.take();
    await this.nodeRequests.take();
    if (registry.get(nodes, node.metadata.name)) registry.modify(nodes, keyOf(node), change, { manager });
  }

  /** Reads each node's MachineConfigNode, then the pool again, and writes the status that follows from them. */
  private async writeStatus(name: string): Promise<void> {
    const { registry, pace } = this.parts;
    const stale = registry.get(machineConfigPools, name);
    if (!stale) return;
    for (const _ of this.membersOf(stale)) await this.poolRequests.take();
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    const members = this.membersOf(pool);
    const names = new Set(members.map(({ metadata }) => metadata.name));
    const progress = registry.list(machineConfigNodes).filter(({ metadata }) => names.has(metadata.name));
    const status = poolStatus({ pool, nodes: members, machineConfigNodes: progress, time: pace.timestamp() });
    if (sameJson(pool.status, status)) return;
    await this.poolRequests.take();
    registry.update(machineConfigPools, { ...pool, status }, { manager, subresource: 'status' });
    const completed = status.configuration?.name;
    if (completed && completed !== pool.status?.configuration?.name)
      this.record({
        object: pool,
        reason: 'Completed',
        message: `Pool ${name} has completed update to MachineConfig ${completed}`,
      });
  }

  private membersOf(pool: MachineConfigPool): Node[] {
    const { registry } = this.parts;
    return nodesOfPool(pool, registry.list(machineConfigPools), registry.list(nodes));
  }
}

function targeted(chosen: readonly Node[], configuration: string): string {
  const [first] = chosen;
  return first && chosen.length === 1
    ? `Targeted node ${first.metadata.name} to MachineConfig: ${configuration}`
    : `Set target for ${chosen.length} nodes to MachineConfig: ${configuration}`;
}

/** The pools to sync after this change. */
function affectedPools({ kind, type, object, previous }: ObjectChange, registry: Registry): string[] {
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

/** Only changes that can affect a rollout wake the controller. */
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
