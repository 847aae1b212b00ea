import type { Inquiry } from '../../findings/inquiry.ts';
import { finding, without } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { itemsOf, read, unreadOf } from '../../findings/unread.ts';
import { listed, quoted } from '../../text/phrases.ts';
import { type Event, newestFirst } from '../objects/event.ts';
import type { Placement } from '../placement.ts';
import { eventsAboutPod } from '../questions.ts';
import { remedy } from '../remedies.ts';
import { countsText, type SchedulerText } from '../text/scheduler-text.ts';
import { letControlPlaneTake } from './another-node.ts';
import { podRef, schedulerEvidence, type UnschedulablePod } from './unschedulable-pod.ts';

/** Nodes remain, or could not be judged: the scheduler's own reasons count, and they are stated for this pod. */
export function* fromScheduler(
  unplaced: UnschedulablePod,
  schedulerText: SchedulerText,
  placement?: Placement,
): Inquiry<Finding> {
  const { pod, readAt } = unplaced;
  const dynamic = schedulerText.reasons.find(({ rule }) => !['U1', 'U2', 'U3'].includes(rule));
  if (placement !== undefined && dynamic === undefined) return aboutToFit(unplaced, placement);
  const main = dynamic ?? schedulerText.reasons[0];
  if (main?.rule === 'U4') return yield* noRoom(unplaced, schedulerText);
  return finding({
    code: main?.rule ?? 'U11',
    subject: podRef(pod),
    sentence:
      main === undefined
        ? `${pod.metadata.name} has no node yet and the scheduler gives no reason.`
        : `${pod.metadata.name} has no node: ${fullCounts(schedulerText)}.`,
    confidence: main === undefined ? 'possible' : 'certain',
    class: 'external',
    evidence: schedulerEvidence(pod, readAt),
    remedies: [schedulerRemedy(main?.rule), ...letControlPlaneTake(schedulerText)],
  });
}

function fullCounts(schedulerText: SchedulerText): string {
  const all = schedulerText.nodes === undefined ? '' : `of ${schedulerText.nodes} nodes `;
  return `${all}${quoted(countsText(schedulerText))}`;
}

function schedulerRemedy(rule: string | undefined): Remedy {
  switch (rule) {
    case 'U5':
    case 'U6':
      return remedy('Add a node in a free domain, or soften the spread rule in Git', { who: 'application owner' });
    case 'U7':
      return remedy('Look at its PersistentVolumeClaims: the volume cannot be reached from any free node', {
        who: 'storage',
      });
    case 'U8':
      return remedy('Free the host port on another node', { who: 'application owner' });
    default:
      return remedy('Look at the message of its condition PodScheduled', { who: 'application owner' });
  }
}

/** Room is what people add; the autoscaler may be doing it already. */
function* noRoom(unplaced: UnschedulablePod, schedulerText: SchedulerText): Inquiry<Finding> {
  const { pod, readAt } = unplaced;
  const { name, namespace } = pod.metadata;
  const events = yield* read(eventsAboutPod({ namespace, name }));
  const scaling = newestFirst(itemsOf(events)).find(({ reason }) => /TriggeredScaleUp|NotTriggerScaleUp/.test(reason));
  const coming = scaling?.reason === 'TriggeredScaleUp';
  const found = finding({
    code: 'U4',
    subject: podRef(pod),
    sentence: `There is no room for ${pod.metadata.name}: ${fullCounts(schedulerText)}${scalingText(scaling)}.`,
    confidence: 'certain',
    class: coming ? 'self-healing' : 'external',
    evidence: schedulerEvidence(pod, readAt),
    remedies: coming
      ? [remedy('Wait for the new node')]
      : [...roomRemedies(unplaced, scaling), ...letControlPlaneTake(schedulerText)],
  });
  return without(found, unreadOf([events]));
}

function scalingText(scaling: Event | undefined): string {
  if (scaling === undefined) return '';
  if (scaling.reason === 'TriggeredScaleUp') return '; the autoscaler is adding a node';
  return `; the autoscaler does not add one: ${quoted(scaling.message, 120)}`;
}

function roomRemedies({ subject }: UnschedulablePod, scaling: Event | undefined): readonly Remedy[] {
  const wide = subject.pool.maxUnavailable !== undefined && subject.pool.maxUnavailable !== '1';
  return [
    remedy(
      scaling === undefined ? 'Add a node, or free room on one' : 'Raise the maximum of the node group, or free room',
    ),
    ...(wide ? [remedy(`Lower maxUnavailable of pool ${subject.pool.name}: fewer nodes are away at once`)] : []),
  ];
}

function aboutToFit(unplaced: UnschedulablePod, placement: Placement): Finding {
  const names = placement.free.map((node) => node.metadata.name);
  return finding({
    code: 'U11',
    subject: podRef(unplaced.pod),
    sentence: `${unplaced.pod.metadata.name} has no node yet, though ${listed(names, 3)} would fit now: the scheduler has not tried again.`,
    confidence: 'likely',
    class: 'self-healing',
    evidence: schedulerEvidence(unplaced.pod, unplaced.readAt),
    remedies: [remedy('Wait a minute')],
  });
}
