import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, read } from '../../findings/unread.ts';
import { ageText, between } from '../../text/phrases.ts';
import { isEvicted, isTerminal, ownerOf, type Pod } from '../objects/pod.ts';
import { podsOn } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';

/** A cordoned node takes no new pods but those that tolerate the cordon (T9): each attempt evicts them, and they are
 *  made again here. */
export function* comesBack(subject: NodeSubject): Inquiry<Finding | undefined> {
  const pods = yield* read(podsOn(subject.node.name));
  const back = itemsOf(pods).find(
    (pod) => isEvicted(pod) && !isTerminal(pod) && toleratesCordon(pod) && startedSince(pod, subject.since),
  );
  if (back === undefined) return undefined;
  const { name, namespace } = back.metadata;
  const owner = ownerOf(back);
  const of = ref('Pod', name, namespace);
  const started = back.status.startTime ?? '';
  return finding({
    code: 'T9',
    subject: of,
    sentence: `${owner === undefined ? `${namespace}/${name}` : `${owner.kind} ${namespace}/${owner.name}`} tolerates the cordon, so each pod that is evicted from ${subject.node.name} is made again there (${name}, ${ageText(between(started, pods.readAt))} ago).`,
    confidence: 'strong',
    class: 'structural',
    evidence: [
      evidence(of, 'spec.tolerations', 'node.kubernetes.io/unschedulable', pods.readAt),
      evidence(of, 'status.startTime', started, pods.readAt),
    ],
    remedies: [
      remedy('Take the toleration of node.kubernetes.io/unschedulable out of the workload, in Git', {
        who: 'application owner',
      }),
    ],
  });
}

/** Source: Kubernetes core/v1 Toleration; an empty key with Exists tolerates every taint. */
function toleratesCordon(pod: Pod): boolean {
  return pod.spec.tolerations.some(
    ({ key, operator, effect }) =>
      (effect === '' || effect === 'NoSchedule') &&
      (key === 'node.kubernetes.io/unschedulable' || (key === '' && operator === 'Exists')),
  );
}

function startedSince(pod: Pod, since: string): boolean {
  const started = pod.status.startTime;
  return started !== undefined && Date.parse(started) > Date.parse(since);
}
