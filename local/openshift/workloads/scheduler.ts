import type { Node, Pod } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes, pods } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { reconcileOn } from './reconcile-on.ts';
import { isScarcity, obstacle } from './scheduling-filters.ts';

const manager = 'kube-scheduler';

/** Gives pods a node, or says of every node why not. */
export function startScheduler({ registry, pace }: { readonly registry: Registry; readonly pace: Pace }): void {
  const record = createEventRecorder({ registry, pace, component: 'default-scheduler' });
  reconcileOn({ registry, pace, types: [pods, nodes], afterMs: 50, run });

  function run(): void {
    const waiting = registry.list(pods).filter(({ spec, metadata }) => !spec.nodeName && !metadata.deletionTimestamp);
    for (const pod of waiting) schedule(pod);
  }

  function schedule(pod: Pod): void {
    const all = registry.list(nodes);
    const judged = all.map((node) => ({ node, why: obstacle(pod, node, podsOn(node)) }));
    const fitting = judged.filter(({ why }) => why === undefined).map(({ node }) => node);
    const [best] = fitting.sort((left, right) => burden(left) - burden(right));
    if (best) bind(pod, best);
    else giveUp(pod, refusal(judged.map(({ why = '' }) => why)));
  }

  function podsOn(node: Node): Pod[] {
    return registry.list(pods).filter(({ spec }) => spec.nodeName === node.metadata.name);
  }

  /** The emptiest node is best, and one that is about to be updated comes last. */
  function burden(node: Node): number {
    const shunned = node.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule') ?? false;
    return podsOn(node).length + (shunned ? 1_000 : 0);
  }

  function bind(pod: Pod, node: Node): void {
    const { name, namespace } = pod.metadata;
    registry.modify(pods, keyOf(pod), ({ spec }) => Object.assign(spec, { nodeName: node.metadata.name }), { manager });
    setScheduled(pod, { status: 'True' });
    record({
      object: pod,
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    });
  }

  function giveUp(pod: Pod, message: string): void {
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.message === message) return;
    setScheduled(pod, { status: 'False', reason: 'Unschedulable', message });
    record({ object: pod, type: 'Warning', reason: 'FailedScheduling', message });
  }

  function setScheduled(pod: Pod, condition: { status: 'True' | 'False'; reason?: string; message?: string }): void {
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

/** The sentence of the scheduler of Kubernetes 1.34, which is that of OpenShift 4.21. */
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
