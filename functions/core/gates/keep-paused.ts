import { command } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost } from './gate.ts';

/** How a person keeps a pool paused that Poolkeeper has paused already. `oc patch mcp ... paused: true` changes nothing
 *  there, so it leaves no trace; this annotation does, with `oc` alone. Setting it takes write access to pools. */
export const keepPausedAnnotation = 'poolkeeper.dev/keep-paused';

/** Characters of the reason that are shown. */
const reasonCharacters = 200;

/** A person wants the pool to stay paused: it does not resume while the annotation is set. Its value is the reason. */
export const keepPaused: Gate = { name: 'keep-paused', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool }: GateQuestion): GateAnswer {
  const reason = pool.annotations[keepPausedAnnotation];
  if (reason === undefined) return open;
  const shownReason = reason.trim() === '' ? 'no reason given' : reason.trim().slice(0, reasonCharacters);
  return closed({
    why: `a person keeps it paused with annotation ${keepPausedAnnotation}: ${shownReason}`,
    value: 'the annotation is there',
    threshold: 'no such annotation',
    opens: 'removing the annotation',
    who: 'whoever may change the pool',
    how: command('oc', 'annotate', 'mcp', pool.name, `${keepPausedAnnotation}-`),
  });
}
