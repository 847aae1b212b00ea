import { keepPausedAnnotation, keptPausedWords, whyKeptPaused } from '../openshift/kept-paused.ts';
import { command } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost } from './gate.ts';

/** A person wants the pool to stay paused: it does not resume while the annotation is set. Its value is the reason. */
export const keepPaused: Gate = { name: 'keep-paused', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool }: GateQuestion): GateAnswer {
  const why = whyKeptPaused(pool);
  if (why === undefined) return open;
  return closed({
    why: keptPausedWords(why),
    value: 'the annotation is there',
    threshold: 'no such annotation',
    opens: 'removing the annotation',
    who: 'whoever may change the pool',
    how: command('oc', 'annotate', 'mcp', pool.name, `${keepPausedAnnotation}-`),
  });
}
