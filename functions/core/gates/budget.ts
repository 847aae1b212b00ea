import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** There is a place in the budget for one more rolling pool, and this pool has it. A pool of which no
 *  node would go anywhere needs none. */
export const budget: Gate = { name: 'budget', inEmergency: 'passed', ask, timeout: pausedAtMost };

const aPlace = 'a place in the budget';

function ask(question: GateQuestion): GateAnswer {
  const { place } = question.evidence;
  // Nodes that are in the canary of their run have the place of their own pool.
  if (question.budget === undefined || question.canaryOf !== undefined) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  if (rollout.kind === 'unread') return rollout.answer;
  if (place.kind === 'not-asked') return unread(aPlace, aPlace, 'place');
  const who = 'Poolkeeper, by itself; whoever may change budget in poolkeeper.yaml';
  if (place.kind === 'unreadable') {
    return unseen({
      why: `the places of the budget cannot be read: ${place.why}`,
      value: 'not readable',
      threshold: aPlace,
      opens: 'they can be read',
      who,
    });
  }
  return place.value.kind === 'taken' ? open : closed({ ...place.value.overrun, who });
}
