import { closingOf } from '../gates/fit.ts';
import { isDegradedSinceResume } from '../gates/health.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import { hasPendingChange, isRolling, type Pool } from '../openshift/pool.ts';
import { lasting, type PoolRecord } from '../openshift/pool-record.ts';
import { windowsFor } from '../windows/openings.ts';
import { gateQuestion } from './gate-question.ts';
import type { PoolPlan } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

type Stopped = Pick<PoolPlan, 'pool' | 'action' | 'gates' | 'lacking'>;

/** For the record of a resume: the rendered config whose rollout is stopped when a window of the pool closes; empty:
 *  none is. */
export function stoppedAtClosing(pool: Pool, { settings }: Snapshot): { readonly target?: string } {
  const hasWindows = windowsFor(settings.windows ?? [], pool).length > 0;
  const isStopped = hasWindows && hasPendingChange(pool) && settingsOf(settings, pool.name).overrun !== 'go';
  return isStopped ? { target: pool.target.name } : {};
}

/** Pauses a pool whose rollout Poolkeeper let go and whose window closes: nodes on their way go on, no further one
 *  begins, and the pool waits for its gates again. Undefined: it is left alone. A rollout that somebody else began, or
 *  a person resumed, is not ours to stop. */
export function stopAtClosing(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Stopped | undefined {
  const { last } = record;
  const isOurs = last?.did === 'resumed' && last.target !== undefined && last.target === pool.target.name;
  if (!isOurs || !isRolling(pool) || !isManaged(snapshot.settings, pool)) return undefined;
  const closing = closingOf(gateQuestion(record, pool, snapshot, now));
  if (closing.kind === 'goes on') return undefined;
  if (closing.kind === 'unread') return { pool, action: { kind: 'none' }, gates: [], lacking: closing.lacks };
  const { why } = closing;
  const at = now.toISOString();
  const stopped: PoolRecord = {
    v: 1,
    pause: 'ours',
    pausedSince: at,
    holds: [],
    ...lasting(record, now),
    release: { since: at, finishedAt: at, machineConfigs: [], why },
    ...(isDegradedSinceResume(pool) ? { resumedAt: last.at } : {}),
    last: { did: 'paused', at, why },
  };
  return { pool, action: { kind: 'pause', record: stopped, why }, gates: [] };
}
