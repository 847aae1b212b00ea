import { evidence, ref } from '../../findings/make-finding.ts';
import { clipped } from '../../text/phrases.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isTerminating, type Pod } from '../objects/pod.ts';
import type { NodeSubject } from '../subject.ts';

/** A pod that should stand in for the evicted ones, has no node, and what surrounds it. */
export interface UnschedulablePod {
  readonly pod: Pod;
  readonly siblings: readonly Pod[];
  readonly subject: NodeSubject;
  /** When the pod was read. */
  readonly readAt: string;
}

export function schedulerEvidence(pod: Pod, readAt: string) {
  const scheduled = conditionOf(pod.status.conditions, 'PodScheduled');
  return scheduled === undefined
    ? []
    : [evidence(podRef(pod), 'status.conditions[PodScheduled].message', clipped(scheduled.message), readAt)];
}

export function podRef(pod: Pod) {
  return ref('Pod', pod.metadata.name, pod.metadata.namespace);
}

/** It waits for a node: never scheduled, and not on its way out. Before a scheduler has looked at it, it has no
 *  condition. */
export function isUnschedulable(pod: Pod): boolean {
  return (
    pod.status.phase === 'Pending' &&
    pod.spec.nodeName === '' &&
    !isTerminating(pod) &&
    conditionOf(pod.status.conditions, 'PodScheduled')?.status !== 'True'
  );
}
