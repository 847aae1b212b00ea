import type { Pool } from '../openshift/pool.ts';
import { isEarlierSecond } from '../text/instant.ts';
import { command } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost } from './gate.ts';

/** How a person keeps a pool paused that Poolkeeper has paused already. `oc patch mcp ... paused: true` changes nothing
 *  there, so it leaves no trace; this annotation does, with `oc` alone. Setting it takes write access to pools. */
export const keepPausedAnnotation = 'poolkeeper.dev/keep-paused';

/** Characters of the reason that are shown. */
const reasonCharacters = 200;

/** A person wants the pool to stay paused: it does not resume while the annotation is set, whose value is the reason,
 *  nor while the manifest that was applied last says so, if that was since Poolkeeper paused it. An earlier one says
 *  nothing: somebody has resumed the pool in spite of it. */
export const keepPaused: Gate = { name: 'keep-paused', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool }: GateQuestion): GateAnswer {
  const reason = pool.annotations[keepPausedAnnotation];
  if (reason === undefined) return byManifest(pool);
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

function byManifest({ appliedPaused, record }: Pool): GateAnswer {
  const pausedSince = record.kind === 'record' ? record.record.pausedSince : undefined;
  if (appliedPaused?.at === undefined || pausedSince === undefined) return open;
  if (isEarlierSecond(appliedPaused.at, pausedSince)) return open;
  return closed({
    why: `its manifest, applied by ${appliedPaused.manager || 'somebody'} while Poolkeeper held it paused, says spec.paused: true`,
    value: 'spec.paused: true in the manifest',
    threshold: 'a manifest without it, or with false',
    opens: 'applying the manifest without spec.paused, or with false',
    who: 'whoever may change the manifest, as in Git',
  });
}
