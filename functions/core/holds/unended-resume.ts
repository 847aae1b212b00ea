import { unendedResume } from '../gates/health.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { type PoolRecord, without } from '../openshift/pool-record.ts';

/** The next record of a pool, whatever it notes besides: for as long as the rollout that Poolkeeper let go has not
 *  ended, it says when that was. Every record of a pool that is written passes through here: or gate `health` of other
 *  pools would open because somebody stopped the bad rollout. */
export function withUnendedResume(next: PoolRecord, pool: Pool): PoolRecord {
  const since = unendedResume(pool);
  // A resume of ours says it by itself, unless it takes nodes back to the config that the pool has.
  const isSaid = next.last?.did === 'resumed' && hasPendingChange(pool);
  if (since !== undefined && !isSaid) return { ...next, resumedAt: since };
  return next.resumedAt === undefined ? next : without(next, 'resumedAt');
}
