import { listed } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import {
  closed,
  type Gate,
  type GateAnswer,
  type GateQuestion,
  type GateTimeout,
  open,
  unread,
  unseen,
} from './gate.ts';

/** The pool is the canary of a run: nodes of other pools are in it for their turn, and may go by the holds and gates of
 *  their own. What is approved, and when, is decided there; the canary renders the same. That pool has an emergency
 *  lane of its own: this one's passes none of its holds. */
export const canary: Gate = { name: 'canary', inEmergency: 'asked', ask, timeout };

/** What keeps them is told at their own pool, each gate by its own timeout: a week, the longest of these. */
function timeout(): GateTimeout {
  return { afterSeconds: 7 * 24 * 3600, action: 'alert' };
}

function ask({ canaryOf, evidence: { guests } }: GateQuestion): GateAnswer {
  if (canaryOf === undefined) return open;
  const threshold = `the nodes of run ${canaryOf} in it may go`;
  if (guests.kind === 'not-asked') return unread(`which nodes of run ${canaryOf} are in it`, threshold, 'guests');
  if (guests.kind === 'unreadable')
    return unseen({
      why: `what keeps the nodes of run ${canaryOf} in it could not be read: ${guests.why}`,
      value: 'not readable',
      threshold,
      opens: 'it can be read',
      who: 'Poolkeeper, by itself',
    });
  const [first] = guests.value;
  if (first === undefined) return open;
  const why = guests.value.map(({ pool, nodes, why: each }) => `${listed(nodes, 2)} of pool ${pool}: ${each}`);
  return closed({
    why: `run ${canaryOf} has nodes in it that may not go now; ${why.join('; ')}`,
    value: `${first.nodes.length === 1 ? 'a node' : 'nodes'} of pool ${first.pool} may not go`,
    threshold,
    opens: `what keeps pool ${listed(guests.value.map(({ pool }) => pool))} paused besides the run`,
    who: `whoever may open that, or change pool ${first.pool}`,
    how: poolkeeperCommand('why', first.pool),
  });
}
