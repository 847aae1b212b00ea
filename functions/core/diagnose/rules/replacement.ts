import type { Finding } from '../../trouble.ts';
import { finding, without } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { conditionOf } from '../objects/metadata.ts';
import { askableSelector, place } from '../placement.ts';
import { candidateNodes } from '../questions.ts';
import { read, unreadOf } from '../reading.ts';
import { remedy } from '../remedies.ts';
import { parseSchedulerText } from '../text/scheduler-text.ts';
import { quoted } from '../words.ts';
import { type Homeless, podRef, schedulerEvidence } from './homeless.ts';
import { noHome } from './no-home.ts';
import { fromScheduler } from './scheduler-says.ts';

/** Why a replacement cannot be scheduled (U rules), decided from live nodes where that can be done, else from the scheduler's words. */
export function* explainHomeless(homeless: Homeless): Inquiry<Finding> {
  const { pod } = homeless;
  const scheduled = conditionOf(pod.status.conditions, 'PodScheduled');
  if (scheduled?.reason === 'SchedulingGated') return gated(homeless, scheduled.message);
  const told = parseSchedulerText(scheduled?.message ?? '');
  const nodes = yield* read(candidateNodes(askableSelector(pod)));
  const complete = nodes.kind === 'read' && nodes.value.metadata.continue === '';
  if (!complete) return without(yield* fromScheduler(homeless, told), unreadOf([nodes]));
  const placement = place(pod, nodes.value.items, homeless.siblings);
  if (placement.free.length > 0) return yield* fromScheduler(homeless, told, placement);
  return noHome({ ...homeless, told, placement, nodesReadAt: nodes.readAt, listed: nodes.value.items });
}

function gated(homeless: Homeless, message: string): Finding {
  return finding({
    code: 'U9',
    subject: podRef(homeless.pod),
    sentence: `${homeless.pod.metadata.name} is held back by a scheduling gate: ${quoted(message, 120)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: schedulerEvidence(homeless.pod, homeless.readAt),
    remedies: [remedy('Ask the controller that set the gate', { who: 'application owner' })],
  });
}
