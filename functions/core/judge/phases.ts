import type { StuckAfter } from '../configuration/policy.ts';
import type { NodeSymptom } from '../diagnose/subject.ts';
import { isDraining, isFailing, isInFlight, type Node } from '../openshift/node.ts';

/** The MCO's first drain attempt ends after 90 s; before that nothing is known about what blocks it. */
const firstDrainAttemptSeconds = 90;

/** What a node is doing, worst first; undefined at rest. From its annotations alone. */
export function symptomOf(node: Node): NodeSymptom | undefined {
  if (isFailing(node)) return 'failing';
  if (node.postConfigAction === 'Rebooting') return 'rebooting';
  if (isDraining(node)) return 'draining';
  if (node.desiredDrain.startsWith('uncordon-') && node.desiredDrain !== node.lastAppliedDrain) return 'uncordoning';
  if (node.state === 'Working') return 'working';
  return isInFlight(node) ? 'waiting' : undefined;
}

/** How long a node may show a symptom before it is diagnosed. A drain is diagnosed after its first attempt, because
 *  some causes never heal; whether an alert is sent then depends on the finding. */
export function lookAfterSeconds(symptom: NodeSymptom, stuckAfter: StuckAfter): number {
  switch (symptom) {
    case 'failing':
      return 0;
    case 'draining':
      return Math.min(firstDrainAttemptSeconds, stuckAfter.drainSeconds);
    case 'working':
      return stuckAfter.applySeconds;
    case 'rebooting':
      return stuckAfter.rebootSeconds;
    case 'uncordoning':
    case 'waiting':
      return stuckAfter.pickupSeconds;
    default:
      return symptom satisfies never;
  }
}
