import { isAtRest, type Pool } from '../openshift/pool.ts';

/** Whether a pass must read the nodes of a pool to judge it; else its one entry in the list of pools says enough. A
 *  paused pool rests too, unless nodes are on their way behind the pause, or were when it was looked at last: they
 *  drain and reboot all the same. */
export function wantsNodes(pool: Pool, firstSeen: Readonly<Record<string, string>>): boolean {
  if (isAtRest(pool)) return false;
  if (!pool.paused || pool.counts.degraded + pool.counts.unavailable > 0) return true;
  return Object.keys(firstSeen).some((key) => isNodeClock(key, pool.name));
}

/** A clock that runs for what the nodes show. What waits behind a pause, or for its render, is known from the pool
 *  alone; which nodes are misplaced, from all nodes of the cluster. */
export function isNodeClock(key: string, pool: string): boolean {
  return (
    key.startsWith(`${pool}|`) &&
    ![`${pool}|pending`, `${pool}|unrendered`, `${pool}|misplaced`].includes(key) &&
    !key.startsWith(`${pool}|build|`)
  );
}
