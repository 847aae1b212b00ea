import { unendedResume } from '../gates/health.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { type PoolRecord, without } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

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

/** The pool as if it had been resumed when a run first let a node of it go: it stays paused, and its rollout has begun
 *  all the same. */
export function withNodesLetGo(pool: Pool, { nodesLetGo }: Pick<Snapshot, 'nodesLetGo'>): Pool {
  const resumedAt = nodesLetGo?.get(pool.name)?.since;
  if (resumedAt === undefined || pool.record.kind !== 'record' || unendedResume(pool) !== undefined) return pool;
  const begun: Pool = { ...pool, record: { kind: 'record', record: { ...pool.record.record, resumedAt } } };
  return unendedResume(begun) === undefined ? pool : begun;
}
