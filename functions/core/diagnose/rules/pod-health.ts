import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, type Reading, readTogether, unreadOf } from '../../findings/unread.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { type Event, newestFirst } from '../objects/event.ts';
import { conditionOf } from '../objects/metadata.ts';
import { annotationOf, type LiveNode } from '../objects/node.ts';
import { type ContainerStatus, isReady, type Pod } from '../objects/pod.ts';
import { eventsAboutPod, nodeNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';
import { unfitNode } from './node-health.ts';
import { withCertificates } from './pending-certificates.ts';
import { isUnstarted, notStarted } from './unstarted-pod.ts';

/** A pod younger than this that is not ready yet is only starting. Probes begin within a minute or two as a rule. */
const startingMs = 2 * 60_000;

/** Why a pod that has a node is not healthy (C rules): its containers say it, else its probes' events. */
export function* explainUnhealthy(pod: Pod, readAt: string): Inquiry<Finding> {
  const waiting = containersOf(pod).find(({ state }) => isBadWait(state.waiting?.reason));
  if (waiting !== undefined) return waitingContainer(pod, waiting, readAt);
  const age = between(pod.status.startTime ?? readAt, readAt);
  if (!isReady(pod) && !containersReady(pod) && age < startingMs) return starting(pod, age, readAt);
  return yield* notReady(pod, readAt);
}

/** On a lost node, the node controller marks only the pod itself as not ready: the statuses of its containers stay as
 *  they were. */
function containersReady({ status }: Pod): boolean {
  return status.containerStatuses.length > 0 && status.containerStatuses.every(({ ready }) => ready);
}

/** C6: nothing is wrong with the pod; its node does not answer, so it counts as not ready. */
function onBadNode(pod: Pod, node: Finding): Finding {
  const subject = ref('Pod', pod.metadata.name, pod.metadata.namespace);
  return finding({
    code: 'C6',
    subject,
    sentence: `${pod.metadata.name} counts as unhealthy because it runs on ${pod.spec.nodeName}, which is in trouble itself.`,
    confidence: 'strong',
    class: node.class,
    evidence: [evidence(subject, 'spec.nodeName', pod.spec.nodeName, node.evidence[0]?.readAt ?? '')],
    because: [node],
    remedies: [remedy(`Bring node ${pod.spec.nodeName} back first`)],
  });
}

function containersOf(pod: Pod): readonly ContainerStatus[] {
  return [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
}

function isBadWait(reason: string | undefined): boolean {
  return reason !== undefined && !['', 'ContainerCreating', 'PodInitializing'].includes(reason);
}

function waitingContainer(pod: Pod, container: ContainerStatus, readAt: string): Finding {
  const reason = container.state.waiting?.reason ?? '';
  const message = container.state.waiting?.message ?? '';
  const base = `status.containerStatuses[${container.name}]`;
  const shared = {
    subject: ref('Pod', pod.metadata.name, pod.metadata.namespace),
    confidence: 'certain',
    class: 'external',
  } as const;
  const seen = [evidence(shared.subject, `${base}.state.waiting.reason`, reason, readAt)];
  if (reason === 'CrashLoopBackOff') {
    const last = container.lastState.terminated;
    return finding({
      ...shared,
      code: 'C1',
      sentence: `${pod.metadata.name} crashes again and again (${crashText(container)}).`,
      evidence: [
        ...seen,
        evidence(shared.subject, `${base}.restartCount`, container.restartCount, readAt),
        ...(last === undefined
          ? []
          : [evidence(shared.subject, `${base}.lastState.terminated.reason`, last.reason, readAt)]),
      ],
      remedies: [remedy(crashRemedy(pod.metadata.name, last?.reason), { who: 'application owner' })],
    });
  }
  const pulling = /ImagePull|InvalidImageName|ErrImage/.test(reason);
  return finding({
    ...shared,
    code: pulling ? 'C2' : 'C3',
    sentence: `${pod.metadata.name} cannot start, ${reason}${message === '' ? '' : `: ${quoted(message, 200)}`}.`,
    evidence: seen,
    remedies: [
      remedy(
        pulling
          ? 'Restore access to the image: name, tag, pull secret, mirror'
          : 'Restore what its container refers to (ConfigMap, Secret, command)',
        { who: 'application owner' },
      ),
    ],
  });
}

function crashText({ restartCount, lastState }: ContainerStatus): string {
  const last = lastState.terminated;
  const how =
    last === undefined
      ? []
      : [`${last.reason || 'ended'}${last.exitCode === undefined ? '' : ` with code ${last.exitCode}`}`];
  return [...how, `${restartCount} restarts`].join(', ');
}

function crashRemedy(pod: string, reason: string | undefined): string {
  return reason === 'OOMKilled'
    ? `Give ${pod} more memory, or make it need less`
    : `Mend the application: the last log of ${pod} says why it ends`;
}

function starting(pod: Pod, age: number, readAt: string): Finding {
  const subject = ref('Pod', pod.metadata.name, pod.metadata.namespace);
  return finding({
    code: 'C5',
    subject,
    sentence: `${pod.metadata.name} was started ${ageText(age)} ago and is not ready yet.`,
    confidence: 'strong',
    class: 'self-healing',
    evidence: [evidence(subject, 'status.startTime', pod.status.startTime ?? '', readAt)],
    remedies: [remedy('Wait for it')],
  });
}

/** Its node is unfit, its containers were never started, or its probe fails. */
function* notReady(pod: Pod, readAt: string): Inquiry<Finding> {
  const { name, namespace } = pod.metadata;
  const [events, node] = yield* readTogether(eventsAboutPod({ namespace, name }), nodeNamed(pod.spec.nodeName));
  const unfit = node.kind === 'read' ? unfitNode(node.value, node.readAt, isRebooting(node.value)) : undefined;
  if (unfit !== undefined) return onBadNode(pod, yield* withCertificates(unfit, pod.spec.nodeName));
  const found = isUnstarted(pod) ? notStarted(pod, events, readAt) : failingProbe(pod, events, readAt);
  return without(found, unreadOf([events, node]));
}

function failingProbe(pod: Pod, events: Reading<{ readonly items: readonly Event[] }>, readAt: string): Finding {
  const { name, namespace } = pod.metadata;
  const subject = ref('Pod', name, namespace);
  const unhealthy = newestFirst(itemsOf(events)).find(({ reason }) => reason === 'Unhealthy');
  const ready = conditionOf(pod.status.conditions, 'Ready');
  const since =
    ready?.lastTransitionTime === undefined ? '' : ` for ${ageText(between(ready.lastTransitionTime, readAt))}`;
  const words = unhealthy?.message ?? ready?.message ?? '';
  return finding({
    code: 'C4',
    subject,
    sentence: `${name} runs but has not been ready${since}${words === '' ? '' : `: ${quoted(words, 200)}`}.`,
    confidence: unhealthy === undefined ? 'strong' : 'certain',
    class: 'external',
    evidence: [
      evidence(subject, 'status.conditions[Ready].status', ready?.status ?? 'missing', readAt),
      ...(unhealthy === undefined
        ? []
        : [evidence(subject, 'events[Unhealthy].message', clipped(unhealthy.message), events.readAt)]),
    ],
    remedies: [remedy('Mend what its readiness probe asks for', { who: 'application owner' })],
  });
}

function isRebooting(node: LiveNode): boolean {
  return annotationOf(node, 'post-config-action') === 'Rebooting';
}
