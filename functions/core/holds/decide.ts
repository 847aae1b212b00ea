import type { Pool } from '../openshift/pool.ts';
import { emptyRecord } from '../openshift/pool-record.ts';
import { act } from './act.ts';
import { advanceHolds } from './next-holds.ts';
import { settleOwnership } from './ownership.ts';
import type { PoolPlan } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

/** Decides for every pool. Pure and level-triggered: once its actions are written, it answers `none`. */
export function decide(snapshot: Snapshot, now: Date): readonly PoolPlan[] {
  return snapshot.pools.map((pool) => decidePool(pool, snapshot, now));
}

/** Decides for one pool; called again on its own after a lost write conflict. */
export function decidePool(pool: Pool, snapshot: Snapshot, now: Date): PoolPlan {
  if (pool.record.kind === 'unreadable') {
    return { pool, action: { kind: 'none' }, gates: [], notes: [{ about: pool.name, why: pool.record.why }] };
  }
  const before = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
  const owned = settleOwnership(before, pool, snapshot, now);
  const { record, notes, overLimit } = advanceHolds(owned, pool, snapshot, now);
  return { ...act(record, before, pool, snapshot, now), notes, overLimit };
}
