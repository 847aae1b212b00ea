import { protectionOf } from '../configuration/protection.ts';
import { namedSyncHoldId } from '../openshift/hold.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { counted, listed } from '../text/phrases.ts';
import type { OpenGuard } from './evidence.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';

/** No Application that affects this pool may be synced: its guard is closed again before the pool resumes. */
export const guard: Gate = { name: 'guard', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool, pools, settingsOf, overruledSyncs, evidence: { openGuards } }: GateQuestion): GateAnswer {
  if (!pools.some(({ name }) => protectionOf(settingsOf(name)).guardsSyncs)) return open;
  // Whoever opens a guard sees the hold of its Application: only once that is gone from the pool, what is read of the
  // guards afterwards is the last word.
  if (standingHoldsOf(pool).some(({ kind }) => kind === 'sync')) {
    return closed({
      why: 'the sync that held the pool has only just ended, and its guard is closed first',
      value: 'just released',
      threshold: noneOpen,
      opens: 'the next look at the pool',
      who: 'Poolkeeper, by itself',
    });
  }
  if (openGuards.kind === 'not-asked') return unread('which guards are open', noneOpen, 'openGuards');
  if (openGuards.kind === 'unreadable') {
    return unseen({
      why: `which guards are open could not be read: ${openGuards.why}`,
      value: 'unknown',
      threshold: noneOpen,
      opens: 'the next successful read of the AppProjects',
      who: 'Poolkeeper, by itself',
    });
  }
  const isDecided = (guard: OpenGuard) =>
    overruledSyncs?.has(namedSyncHoldId(guard.argocd, guard.application)) === true;
  const names = openGuards.value.flatMap((guard) => (isDecided(guard) ? [] : [guard.application]));
  if (names.length === 0) return open;
  return closed({
    why: `Argo CD may sync ${listed(names, 3)}, whose guard is open`,
    value: `${counted(names.length, 'guard')} open`,
    threshold: noneOpen,
    opens: names.length === 1 ? 'the end of its sync; then the guard is closed' : 'the end of their syncs',
    who: 'Poolkeeper, by itself',
  });
}

const noneOpen = 'no guard open';
