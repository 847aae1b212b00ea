import { hasPendingChange, isDegraded, type Pool } from '../openshift/pool.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** Stop the bleeding: while a pool is degraded in the rollout that Poolkeeper let go, no other pool is let go. */
export const health: Gate = { name: 'health', ask };

function ask({ pool, pools }: GateQuestion): GateAnswer {
  const sick = pools.find((other) => other.name !== pool.name && isSickSinceResume(other));
  if (sick === undefined) return open;
  return closed(`pool ${sick.name} is degraded since Poolkeeper resumed it`, `pool ${sick.name} is no longer degraded`);
}

/** Degraded, and the rollout that Poolkeeper let go has not ended: also when the pool was paused for another sync
 *  meanwhile. A node that drifts weeks after its rollout has ended is no reason to hold other pools. */
export function isSickSinceResume(pool: Pool): boolean {
  if (pool.record.kind !== 'record' || !isDegraded(pool) || !hasPendingChange(pool)) return false;
  const { last, resumedAt } = pool.record.record;
  return last?.did === 'resumed' || resumedAt !== undefined;
}
