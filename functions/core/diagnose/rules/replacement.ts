import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { unreadOf } from '../../findings/unread.ts';
import { ageText, asWord, between, listed, quoted } from '../../text/phrases.ts';
import { conditionOf } from '../objects/metadata.ts';
import { place } from '../placement.ts';
import { readCandidates } from '../read-candidates.ts';
import { remedy } from '../remedies.ts';
import { parseSchedulerText } from '../text/scheduler-text.ts';
import { withGrowth } from './machine-sets.ts';
import { fromScheduler } from './scheduler-says.ts';
import { explainUnschedulable } from './unschedulable.ts';
import { podRef, schedulerEvidence, type UnschedulablePod } from './unschedulable-pod.ts';

/** Why a replacement cannot be scheduled (U rules), and what one more node would take. */
export function* explainUnplaced(unplaced: UnschedulablePod): Inquiry<Finding> {
  return yield* withGrowth(yield* whyNoNode(unplaced), unplaced.pod, unplaced.subject);
}

/** Decided from live nodes where that can be done, else from the scheduler's words. */
function* whyNoNode(unplaced: UnschedulablePod): Inquiry<Finding> {
  const { pod } = unplaced;
  const scheduled = conditionOf(pod.status.conditions, 'PodScheduled');
  if (scheduled === undefined) return overlooked(unplaced);
  if (scheduled.reason === 'SchedulingGated') return gated(unplaced, scheduled.message);
  const schedulerText = parseSchedulerText(scheduled.message);
  const nodes = yield* readCandidates(pod, unplaced.readAt);
  const complete = nodes.kind === 'read' && nodes.value.metadata.continue === '';
  if (!complete) return without(yield* fromScheduler(unplaced, schedulerText), unreadOf([nodes]));
  const placement = place(pod, nodes.value.items, unplaced.siblings);
  if (placement.free.length > 0) return yield* fromScheduler(unplaced, schedulerText, placement);
  return explainUnschedulable({
    ...unplaced,
    schedulerText,
    placement,
    nodesReadAt: nodes.readAt,
    listed: nodes.value.items,
  });
}

/** A scheduler looks at a new pod within a second, or it is not there. */
const overlookedMs = 60_000;

/** U11: no scheduler has said a word about it. */
function overlooked({ pod, readAt }: UnschedulablePod): Finding {
  const age = between(pod.metadata.creationTimestamp ?? readAt, readAt);
  const late = age >= overlookedMs;
  const name = pod.spec.schedulerName === '' ? 'default-scheduler' : pod.spec.schedulerName;
  const scheduler = asWord(name);
  return finding({
    code: 'U11',
    subject: podRef(pod),
    sentence: `${pod.metadata.name} has no node: the scheduler ${scheduler}, which it asks for, has not looked at it${
      late ? ` for ${ageText(age)}` : ' yet'
    }.`,
    confidence: late ? 'strong' : 'likely',
    class: late ? 'external' : 'self-healing',
    evidence: [evidence(podRef(pod), 'spec.schedulerName', name, readAt)],
    remedies: [remedy(late ? `See whether the scheduler ${scheduler} runs` : 'Wait a minute')],
  });
}

/** The condition does not name the gate, the pod does. */
function gated(unplaced: UnschedulablePod, message: string): Finding {
  const gates = unplaced.pod.spec.schedulingGates.map(({ name }) => name).filter((name) => name !== '');
  return finding({
    code: 'U9',
    subject: podRef(unplaced.pod),
    sentence: `${unplaced.pod.metadata.name} is held back by ${
      gates.length === 0
        ? `a scheduling gate: ${quoted(message, 120)}`
        : `the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${listed(gates)}`
    }.`,
    confidence: 'certain',
    class: 'external',
    evidence: schedulerEvidence(unplaced.pod, unplaced.readAt),
    remedies: [remedy('Ask the controller that set the gate', { who: 'application owner' })],
  });
}
