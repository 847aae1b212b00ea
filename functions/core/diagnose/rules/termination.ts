import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read, unreadOf } from '../../findings/unread.ts';
import { ageText, between, listed, quoted } from '../../text/phrases.ts';
import { mergePatch } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isNodeReady } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { nodeNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** Kubernetes' own grace period where the pod names none. */
const defaultGraceSeconds = 30;

/** Why a pod whose eviction was accepted is still there (T rules). `deletionTimestamp` is when it is due, not when
 *  it was asked for. */
export function* explainTermination(pod: Pod, readAt: string): Inquiry<Finding> {
  const left = between(readAt, pod.metadata.deletionTimestamp ?? readAt);
  if (left > 0) return inGrace(pod, left, readAt);
  const node = yield* read(nodeNamed(pod.spec.nodeName));
  if (node.kind === 'read' && isNodeReady(node.value) === false) {
    const ready = conditionOf(node.value.status.conditions, 'Ready');
    const of = ref('Node', node.value.metadata.name);
    return finding({
      code: 'T4',
      subject: subjectOf(pod),
      sentence: `${pod.metadata.name} cannot be confirmed dead: the kubelet of ${of.name} does not answer (${quoted(ready?.message ?? '', 160)}).`,
      confidence: 'strong',
      class: 'external',
      evidence: [
        ...deletionEvidence(pod, readAt),
        evidence(of, 'status.conditions[Ready].status', ready?.status ?? '', node.readAt),
      ],
      remedies: [remedy(`Bring node ${of.name} back, or replace its machine`)],
    });
  }
  const found = isLetGoByKubelet(pod) ? heldByFinalizer(pod, readAt) : lingering(pod, -left, readAt);
  return without(found, unreadOf([node]));
}

function inGrace(pod: Pod, left: number, readAt: string): Finding {
  const grace =
    pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  return finding({
    code: 'T1',
    subject: subjectOf(pod),
    sentence: `${pod.metadata.name} is shutting down: it may take ${ageText(grace * 1000)}, ${ageText(left)} are left.`,
    confidence: 'certain',
    class: 'self-healing',
    evidence: [
      ...deletionEvidence(pod, readAt),
      evidence(subjectOf(pod), 'metadata.deletionGracePeriodSeconds', grace, readAt),
    ],
    remedies: [remedy('Wait for it')],
  });
}

/** The kubelet deletes a pod with no grace once its containers and volumes are gone; only finalizers keep the object
 *  then. Before that they are no cause: every pod of a Job has one. */
function isLetGoByKubelet(pod: Pod): boolean {
  if (pod.metadata.finalizers.length === 0) return false;
  return pod.metadata.deletionGracePeriodSeconds === 0 || runningIn(pod).length === 0;
}

function runningIn({ status }: Pod): readonly string[] {
  return status.containerStatuses.filter(({ state }) => state.terminated === undefined).map(({ name }) => name);
}

function heldByFinalizer(pod: Pod, readAt: string): Finding {
  const { name, namespace, finalizers } = pod.metadata;
  return finding({
    code: 'T2',
    subject: subjectOf(pod),
    sentence: `${name} should be gone but is held by the finalizer ${listed(finalizers)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      ...deletionEvidence(pod, readAt),
      evidence(subjectOf(pod), 'metadata.finalizers', finalizers.join(', '), readAt),
    ],
    remedies: [
      remedy(`Mend the controller that should take ${listed(finalizers)} away`, { who: 'application owner' }),
      remedy('Last resort: take the finalizer away; what it guards is then lost', {
        command: mergePatch({ kind: 'pod', name, namespace }, { metadata: { finalizers: null } }),
        risk: 'data-loss',
        who: 'application owner',
      }),
    ],
  });
}

/** Neither grace nor finalizer alone nor node: as a rule a process that cannot end or a volume that cannot be
 *  unmounted. */
function lingering(pod: Pod, overdue: number, readAt: string): Finding {
  const running = runningIn(pod);
  const { finalizers } = pod.metadata;
  const later = finalizers.length === 0 ? '' : ` Its finalizer (${listed(finalizers)}) is no matter before that.`;
  const ended = pod.status.containerStatuses.length > 0 && running.length === 0;
  return finding({
    code: 'T3',
    subject: subjectOf(pod),
    sentence: ended
      ? `${pod.metadata.name} should have been gone ${ageText(overdue)} ago; its containers have ended, so its volumes or its network are not let go.`
      : `${pod.metadata.name} should have been gone ${ageText(overdue)} ago but still runs${running.length === 0 ? '' : ` ${listed(running)}`}.${later}`,
    confidence: 'likely',
    class: 'external',
    evidence: deletionEvidence(pod, readAt),
    remedies: [
      remedy(
        ended
          ? 'Look at the events of its node for volumes that cannot be unmounted'
          : 'Look at why its process does not end',
        { who: ended ? 'storage' : 'application owner' },
      ),
    ],
  });
}

function deletionEvidence(pod: Pod, readAt: string) {
  return [evidence(subjectOf(pod), 'metadata.deletionTimestamp', pod.metadata.deletionTimestamp ?? '', readAt)];
}

function subjectOf(pod: Pod) {
  return ref('Pod', pod.metadata.name, pod.metadata.namespace);
}
