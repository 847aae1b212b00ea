import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, type Reading } from '../../findings/unread.ts';
import { ageText, between, clipped, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { type Event, newestFirst } from '../objects/event.ts';
import type { Pod } from '../objects/pod.ts';
import { remedy } from '../remedies.ts';

/** A container of it waits for what comes before: volumes, network, init containers. No probe has asked anything. */
export function isUnstarted({ status }: Pod): boolean {
  return (
    (status.phase === 'Pending' && status.containerStatuses.length === 0) ||
    status.containerStatuses.some(({ state }) => state.waiting !== undefined)
  );
}

/** What the kubelet and the volume controller say while they cannot start a pod. Source: Kubernetes
 *  pkg/kubelet/events, pkg/controller/volume/attachdetach. */
const hindrance = /^(?:Failed(?!Scheduling)\w*|NetworkNotReady)$/;

/** C3: it has a node, and not all of its containers were started. */
export function notStarted(pod: Pod, events: Reading<{ readonly items: readonly Event[] }>, readAt: string): Finding {
  const { name, namespace } = pod.metadata;
  const subject = ref('Pod', name, namespace);
  const since = ` for ${ageText(between(pod.status.startTime ?? readAt, readAt))}`;
  const init = pod.status.initContainerStatuses.findLast(({ state }) => state.running !== undefined);
  const event = newestFirst(itemsOf(events)).find(({ reason }) => hindrance.test(reason));
  const why = init !== undefined ? `its init container ${init.name} has not ended` : 'its containers are not created';
  const words = event === undefined || init !== undefined ? '' : `: ${quoted(event.message, 200)}`;
  return finding({
    code: 'C3',
    subject,
    sentence: `${name} has not started${since}, ${why}${words}.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      ...pod.status.containerStatuses.flatMap((each) =>
        each.state.waiting === undefined
          ? []
          : [
              evidence(
                subject,
                `status.containerStatuses[${each.name}].state.waiting.reason`,
                each.state.waiting.reason,
                readAt,
              ),
            ],
      ),
      ...(words === '' || event === undefined
        ? []
        : [evidence(subject, `events[${event.reason}].message`, clipped(event.message), events.readAt)]),
    ],
    remedies: [
      remedy(
        init !== undefined
          ? `Mend what init container ${init.name} waits for: its log says it`
          : 'Mend what it waits for: its events name the volume, the Secret or the network',
        { command: command('oc', '-n', namespace, 'describe', 'pod', name), who: 'application owner' },
      ),
    ],
  });
}
