import { listed } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** The turn of the pool in its sequence has come: all lower waves are healthy, on every cluster. */
export const sequence: Gate = { name: 'sequence', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { step, goingByIt = [] } = question;
  const { turn } = question.evidence;
  // Nodes that go by it take the turn of their own pool.
  if (step === undefined || goingByIt.length > 0) return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  if (rollout.kind === 'unread') return rollout.answer;
  const threshold = `all lower waves of sequence ${step.sequence} healthy`;
  if (turn.kind === 'not-asked') return unread(`sequence ${step.sequence}`, threshold, 'turn');
  const how = poolkeeperCommand('sequence', 'status', step.sequence);
  if (turn.kind === 'unreadable')
    return unseen({
      why: `sequence ${step.sequence} could not be read: ${turn.why}`,
      value: 'not readable',
      threshold,
      opens: 'it can be read, and its turn has come',
      who: 'whoever can mend the API server of its first cluster',
      how,
    });
  if (turn.value.mayGo) return open;
  const { why, waitsFor } = turn.value;
  return closed({
    why: `sequence ${step.sequence} has not come to it: ${why}`,
    value: waitsFor.length === 0 ? why : `waits for ${listed(waitsFor, 2)}`,
    threshold,
    opens: waitsFor.length === 0 ? 'the sequence goes on' : `${listed(waitsFor, 2)} healthy`,
    who: 'the sequence, by itself; whoever may skip a step of it',
    how,
  });
}
