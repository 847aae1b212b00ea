import type { Node, Pod } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes, pods } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { reconcileOn } from './reconcile-on.ts';
import { isScarcity, obstacle } from './scheduling-filters.ts';

const manager = 'kube-scheduler';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

/** Gives pods a node, or records why none of the nodes fits. */
export function startScheduler(parts: Parts): void {
  new Scheduler(parts).start();
}

class Scheduler {
  private readonly parts: Parts;
  private readonly record: RecordEvent;

  constructor(parts: Parts) {
    this.parts = parts;
    this.record = createEventRecorder({ ...parts, component: 'default-scheduler' });
  }

  start(): void {
    reconcileOn({ ...this.parts, types: [pods, nodes], afterMs: 50, run: () => this.scheduleAll() });
  }

  private scheduleAll(): void {
    const all = this.parts.registry.list(pods);
    const waiting = all.filter(({ spec, metadata }) => !spec.nodeName && !metadata.deletionTimestamp);
    if (waiting.length === 0) return;
    const placed = Map.groupBy(all, ({ spec }) => spec.nodeName ?? '');
    for (const pod of waiting) this.schedule(pod, placed);
  }

  private schedule(pod: Pod, placed: Map<string, Pod[]>): void {
    const podsOn = ({ metadata }: Node) => placed.get(metadata.name) ?? [];
    const judged = this.parts.registry.list(nodes).map((node) => ({ node, why: obstacle(pod, node, podsOn(node)) }));
    const fitting = judged.filter(({ why }) => why === undefined).map(({ node }) => node);
    const burden = (node: Node) => podsOn(node).length + (isShunned(node) ? 1_000 : 0);
    const [best] = fitting.sort((left, right) => burden(left) - burden(right));
    if (!best) {
      this.reportUnschedulable(pod, refusal(judged.map(({ why = '' }) => why)));
      return;
    }
    this.bind(pod, best);
    placed.set(best.metadata.name, [...podsOn(best), pod]);
  }

  private bind(pod: Pod, node: Node): void {
    const { name, namespace } = pod.metadata;
    const bound = ({ spec }: Pod) => Object.assign(spec, { nodeName: node.metadata.name });
    this.parts.registry.modify(pods, keyOf(pod), bound, { manager });
    this.setScheduled(pod, { status: 'True' });
    this.record({
      object: pod,
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    });
  }

  private reportUnschedulable(pod: Pod, message: string): void {
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.message === message) return;
    this.setScheduled(pod, { status: 'False', reason: 'Unschedulable', message });
    this.record({ object: pod, type: 'Warning', reason: 'FailedScheduling', message });
  }

  private setScheduled(pod: Pod, condition: { status: 'True' | 'False'; reason?: string; message?: string }): void {
    const { registry, pace } = this.parts;
    const set = ({ status = {} }: Pod) => {
      const before = status.conditions?.find(({ type }) => type === 'PodScheduled');
      const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : pace.timestamp();
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
      status.conditions = [
        ...others,
        { type: 'PodScheduled', ...condition, lastProbeTime: null, ...(lastTransitionTime && { lastTransitionTime }) },
      ];
    };
    registry.modify(pods, keyOf(pod), set, { manager, subresource: 'status' });
  }
}

/** Nodes that are about to be updated come last. */
function isShunned({ spec }: Node): boolean {
  return spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule') ?? false;
}

/** The message of the scheduler of Kubernetes 1.34, which is that of OpenShift 4.21. */
function refusal(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'no nodes available to schedule pods';
  const none = `0/${reasons.length} nodes are available`;
  const preemption = reasons.map((reason) =>
    isScarcity(reason) ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  return `${none}: ${tally(reasons)}. no new claims to deallocate, preemption: ${none}: ${tally(preemption)}.`;
}

function tally(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
