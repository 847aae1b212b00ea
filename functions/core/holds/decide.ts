import type { Pool } from '../openshift/pool.ts';
import { emptyRecord } from '../openshift/pool-record.ts';
import { act } from './act.ts';
import { withoutEndedLane } from './emergency.ts';
import { advanceHolds } from './next-holds.ts';
import { settleOwnership } from './ownership.ts';
import type { PoolPlan } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

/** What to do with each pool. Pure and level-triggered: of a snapshot in which its actions are written, it decides
 *  `none`. */
export function decide(snapshot: Snapshot, now: Date): readonly PoolPlan[] {
  return snapshot.pools.map((pool) => decidePool(pool, snapshot, now));
}

/** What to do with one pool; asked again, for this pool alone, after a write conflict. */
export function decidePool(pool: Pool, snapshot: Snapshot, now: Date): PoolPlan {
  if (pool.record.kind === 'unreadable') {
    return { pool, action: { kind: 'none' }, gates: [], notes: [{ about: pool.name, why: pool.record.why }] };
  }
  const before = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
  const owned = withoutEndedLane(settleOwnership(before, pool, snapshot, now), now);
  const { missed, record, ...beside } = advanceHolds(owned, pool, snapshot, now);
  return { ...act({ record, missed }, before, pool, snapshot, now), ...beside };
}
