import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf } from '../../findings/unread.ts';
import { isEarlierSecond } from '../../text/instant.ts';
import { ageText, between } from '../../text/phrases.ts';
import { isEvicted, isTerminal, isTerminating, ownerOf, type Pod } from '../objects/pod.ts';
import { readPodsOn } from '../read-pods-on.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';

/** A cordoned node takes no new pods but those that tolerate the cordon (T9): each attempt evicts them, and they are
 *  made again here.
 *  @param ended only instead of this one, by its owner; absent: any, where those that a drain named are gone */
export function* comesBack(subject: NodeSubject, ended?: Pod): Inquiry<Finding | undefined> {
  const { list: pods } = yield* readPodsOn(subject.node.name);
  const back = itemsOf(pods).find(
    (pod) =>
      isEvicted(pod) &&
      !isTerminal(pod) &&
      !isTerminating(pod) &&
      toleratesCordon(pod) &&
      (ended === undefined || isSameWorkload(pod, ended)) &&
      isMadeSince(pod, subject.since),
  );
  if (back === undefined) return undefined;
  const { name, namespace } = back.metadata;
  const owner = ownerOf(back);
  const of = ref('Pod', name, namespace);
  const path = back.metadata.creationTimestamp === undefined ? 'status.startTime' : 'metadata.creationTimestamp';
  const made = back.metadata.creationTimestamp ?? back.status.startTime ?? '';
  return finding({
    code: 'T9',
    subject: of,
    sentence: `${owner === undefined ? `${namespace}/${name}` : `${owner.kind} ${namespace}/${owner.name}`} tolerates the cordon, so each pod that is evicted from ${subject.node.name} is made again there (${name}, ${ageText(between(made, pods.readAt))} ago).`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(of, 'spec.tolerations', 'node.kubernetes.io/unschedulable', pods.readAt),
      evidence(of, path, made, pods.readAt),
    ],
    remedies: [
      remedy('Take the toleration of node.kubernetes.io/unschedulable out of the workload, in Git', {
        who: 'application owner',
      }),
    ],
  });
}

function isSameWorkload(one: Pod, other: Pod): boolean {
  const [a, b] = [ownerOf(one), ownerOf(other)];
  const isOne = a !== undefined && b !== undefined && a.kind === b.kind && a.name === b.name;
  return isOne && one.metadata.namespace === other.metadata.namespace;
}

/** Source: Kubernetes core/v1 Toleration; an empty key with Exists tolerates every taint. */
function toleratesCordon(pod: Pod): boolean {
  return pod.spec.tolerations.some(
    ({ key, operator, effect }) =>
      (effect === '' || effect === 'NoSchedule') &&
      (key === 'node.kubernetes.io/unschedulable' || (key === '' && operator === 'Exists')),
  );
}

/** By the API server's clock, in whole seconds; a kubelet may say anything of when a pod began. */
function isMadeSince({ metadata, status }: Pod, since: string): boolean {
  const made = metadata.creationTimestamp ?? status.startTime;
  return made !== undefined && !isEarlierSecond(made, since);
}
