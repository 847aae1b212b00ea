import { isStructural } from '../../findings/chain.ts';
import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { isDraining, isTryingAgain } from '../../openshift/node.ts';
import { latest, secondsSince } from '../../text/instant.ts';
import { ageText, between } from '../../text/phrases.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { daemonLog } from './degraded-rule.ts';
import { explainDrain } from './drain.ts';
import { type GoneCause, notRetried } from './no-retry.ts';
import { explainSlowNode } from './slow-node.ts';

/** Seconds of one step, as policy `stuckAfter` has them by default: to write files and system, or to reboot. */
const stepSeconds = 1200;

/** What the daemon complains of is no more, and it says so until its update is done: where it is at work again, what
 *  it is at counts, else whether it tries again at all (N17). Undefined while its next try is due.
 *  @param code of what it complains of */
export function* causeGone(subject: NodeSubject, gone: GoneCause, code: string): Inquiry<Finding | undefined> {
  const { node, readAt } = subject;
  const now = new Date(readAt);
  if (!isTryingAgain(node, now)) return notRetried(subject, gone);

  const since = latest([node.targetedAt, node.reportedAt]);
  const isLong = since === undefined || secondsSince(since, now) >= stepSeconds;
  const isDrain = isDraining(node);
  const drain = isDrain ? yield* explainDrain(subject) : undefined;
  if (drain !== undefined && (isLong || isStructural(drain))) return drain;
  if (isLong && !isDrain) {
    const symptom = node.postConfigAction === 'Rebooting' ? 'rebooting' : 'uncordoning';
    return yield* explainSlowNode({ ...subject, symptom, since: since ?? subject.since });
  }
  return atWork(subject, { gone, code, since: since ?? subject.since });
}

function atWork(
  { node, readAt }: NodeSubject,
  { gone, code, since }: { readonly gone: GoneCause; readonly code: string; readonly since: string },
): Finding {
  const of = ref('Node', node.name);
  return finding({
    code,
    subject: of,
    sentence: `${node.name} is at work again: what its config daemon complains of is over (${gone.what}). It stays ${node.state} until it is done with ${node.desiredConfig}; its last step began ${ageText(between(since, readAt))} ago.`,
    confidence: 'likely',
    class: 'self-healing',
    evidence: [
      evidence(
        of,
        'metadata.annotations[desiredDrain, lastAppliedDrain]',
        `${node.desiredDrain}, ${node.lastAppliedDrain}`,
        readAt,
      ),
      evidence(of, 'metadata.managedFields.time', since, readAt),
    ],
    remedies: [remedy('Wait: whoever starts its config daemon anew interrupts the update'), daemonLog(node.name)],
  });
}
