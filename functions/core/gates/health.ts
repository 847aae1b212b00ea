import { hasPendingChange, isDegraded, type Pool } from '../openshift/pool.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** Stops a bad rollout from spreading: while a pool that Poolkeeper resumed is degraded, no other pool resumes. */
export const health: Gate = { name: 'health', inEmergency: 'asked', ask };

function ask({ pool, pools, unreadablePools = [] }: GateQuestion): GateAnswer {
  const unread = unreadablePools.find(({ isResumed }) => isResumed);
  if (unread !== undefined)
    return closed(
      `pool ${unread.name} was resumed by Poolkeeper and cannot be parsed: it may be degraded`,
      `pool ${unread.name} can be parsed and is not degraded`,
    );
  const degraded = pools.find((other) => other.name !== pool.name && isDegradedSinceResume(other));
  if (degraded === undefined) return open;
  return closed(
    `pool ${degraded.name} is degraded since Poolkeeper resumed it`,
    `pool ${degraded.name} is no longer degraded`,
  );
}

/** Degraded, and the rollout that began with Poolkeeper's resume has not ended, even if the pool was paused again for
 *  another sync in the meantime. A node that drifts weeks after its rollout is no reason to hold other pools. */
export function isDegradedSinceResume(pool: Pool): boolean {
  if (pool.record.kind !== 'record' || !isDegraded(pool) || !hasPendingChange(pool)) return false;
  const { last, resumedAt } = pool.record.record;
  return last?.did === 'resumed' || resumedAt !== undefined;
}
