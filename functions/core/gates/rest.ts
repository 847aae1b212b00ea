import { protectionOf } from '../configuration/protection.ts';
import { isOptedIn } from '../openshift/managed-pools.ts';
import { hasPendingRollout, mayHaveNodesBehind } from '../openshift/pool.ts';
import { listed } from '../text/phrases.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, type GateTimeout, open } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** A pool of protection level `rest` stays paused until a change or image waits for it, or nodes that have another
 *  config, as after a change that was reverted in the middle of its rollout. */
export const rest: Gate = { name: 'rest', inEmergency: 'asked', ask, timeout };

/** To rest is what it is for: nothing waits. */
function timeout(): GateTimeout {
  return { afterSeconds: 0, action: 'wait' };
}

function ask(question: GateQuestion): GateAnswer {
  const { pool, settings, yields } = question;
  const { nodesBehind: nodes } = question.evidence;
  // A pool that is no longer opted in is let go, as by another level.
  const rests = protectionOf(settings).rests && isOptedIn(settings, pool);
  if (!rests || yields !== undefined || hasPendingRollout(pool)) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'unread' || rollout.kind === 'unreadable') return { ...rollout.answer, threshold: something };
  const behind = mayHaveNodesBehind(pool) && nodes.kind === 'seen' ? nodes.value.map(({ name }) => name) : [];
  if (behind.length > 0)
    return {
      open: true,
      because: `${listed(behind, 3)} ${behind.length === 1 ? 'has' : 'have'} another config or image than the pool`,
    };
  return closed({
    why: 'the pool rests paused: no change waits for it',
    value: 'no change pending',
    threshold: something,
    opens: 'a change that is rendered for the pool; then its other gates decide',
    who: 'whoever changes what is rendered for the pool',
  });
}

const something = 'a pending change, or a node with another config or image';
