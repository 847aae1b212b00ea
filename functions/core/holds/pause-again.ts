import type { Pool } from '../openshift/pool.ts';
import { lasting, type PoolRecord, type Release } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import type { PoolPlan } from './plan.ts';

/** Seconds after a resume within which a new rendered config is taken for that of the syncs before it: a render
 *  controller that restarts, or that has much to do, is late by minutes. Later ones are somebody else's change, as on
 *  any pool that is not paused. */
export const lateWithinSeconds = 600;

/** What happens to a pool that Poolkeeper has resumed and that no hold keeps paused. */
export type AfterResume = Pick<PoolPlan, 'pool' | 'action' | 'gates' | 'lacking'>;

/** Who pushed what was let go, and whose syncs failed: for the record of a resume, and for the release of a pool that
 *  is paused again in mid-rollout. */
export function peopleOf({ pushers, afterFailed }: Pick<Release, 'pushers' | 'afterFailed'> = {}) {
  return { ...given({ pushers, afterFailed }) };
}

/** Pauses a pool whose rollout Poolkeeper let go: nodes on their way go on, no further one begins, and the pool waits
 *  for its gates again. */
export function pauseAgain(record: PoolRecord, pool: Pool, why: string, now: Date): AfterResume {
  const at = now.toISOString();
  const { last } = record;
  const paused: PoolRecord = {
    v: 1,
    pause: 'ours',
    pausedSince: at,
    holds: record.holds,
    ...lasting(record, now),
    release: { since: at, finishedAt: at, machineConfigs: [], why, ...peopleOf(last) },
    last: { did: 'paused', at, why },
  };
  return { pool, action: { kind: 'pause', record: paused, why }, gates: [] };
}
