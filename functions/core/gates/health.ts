import { isGoingBack, isUnfinishedSince } from '../openshift/going-back.ts';
import { hasPendingChange, isDegraded, type Pool } from '../openshift/pool.ts';
import { command } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost } from './gate.ts';

/** Stops a bad rollout from spreading: while a pool that Poolkeeper resumed is degraded, no other pool resumes. */
export const health: Gate = { name: 'health', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool, pools, unreadablePools = [] }: GateQuestion): GateAnswer {
  const unread = unreadablePools.find(({ isResumed }) => isResumed);
  if (unread !== undefined)
    return closed({
      why: `pool ${unread.name} was resumed by Poolkeeper and cannot be parsed: it may be degraded`,
      value: `pool ${unread.name} cannot be parsed`,
      threshold: noneDegraded,
      opens: `pool ${unread.name} can be parsed and is not degraded`,
      who: `whoever can mend pool ${unread.name}`,
      how: command('oc', 'get', 'mcp', unread.name, '-o', 'yaml'),
    });
  const degraded = pools.find((other) => other.name !== pool.name && isDegradedSinceResume(other));
  if (degraded === undefined) return open;
  return closed({
    why: `pool ${degraded.name} is degraded since Poolkeeper resumed it`,
    value: `pool ${degraded.name} is degraded`,
    threshold: noneDegraded,
    opens: `pool ${degraded.name} is no longer degraded`,
    who: `whoever can mend pool ${degraded.name}`,
    how: command('npx', 'poolkeeper', 'explain', '--pool', degraded.name),
  });
}

const noneDegraded = 'no pool degraded by a rollout that Poolkeeper started';

/** Degraded, and the rollout that began with Poolkeeper's resume has not ended, even if the pool was paused again for
 *  another sync in the meantime. A node that drifts weeks after its rollout is no reason to hold other pools. */
export function isDegradedSinceResume(pool: Pool): boolean {
  if (pool.record.kind !== 'record' || !isDegraded(pool)) return false;
  const { last, resumedAt } = pool.record.record;
  if (hasPendingChange(pool)) return last?.did === 'resumed' || resumedAt !== undefined;
  return isGoingBack(pool) || (resumedAt !== undefined && isUnfinishedSince(pool, resumedAt));
}
