import { hasPendingRollout } from '../openshift/pool.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread } from './gate.ts';

/** There is a place in the budget for one more rolling pool, and this pool has it. A pool that no change waits for
 *  needs none. */
export const budget: Gate = { name: 'budget', inEmergency: 'passed', ask, timeout: pausedAtMost };

const aPlace = 'a place in the budget';

function ask({ pool, budget: limits, evidence: { place } }: GateQuestion): GateAnswer {
  if (limits === undefined || !hasPendingRollout(pool)) return open;
  if (place.kind === 'not-asked') return unread(aPlace, aPlace, 'place');
  const who = 'Poolkeeper, by itself; whoever may change budget in poolkeeper.yaml';
  if (place.kind === 'unreadable') {
    return closed({
      why: `the places of the budget cannot be read: ${place.why}`,
      value: 'not readable',
      threshold: aPlace,
      opens: 'they can be read',
      who,
    });
  }
  return place.value.kind === 'taken' ? open : closed({ ...place.value.overrun, who });
}
