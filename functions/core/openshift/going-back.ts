import { isLaterSecond } from '../text/instant.ts';
import { condition, mayHaveNodesBehind, type Pool } from './pool.ts';

/** Our resume takes nodes back: they had another config of the pool than it wants again, as after a change that was
 *  reverted in the middle of its rollout, or another image, and not all of them have arrived. */
export function isGoingBack(pool: Pool): boolean {
  return !pool.paused && takesBackSince(pool) !== undefined;
}

/** When such a resume was, also where somebody has paused the pool since. Undefined: it was none, or it is over. */
export function takesBackSince(pool: Pool): string | undefined {
  if (pool.record.kind !== 'record') return undefined;
  const { last } = pool.record.record;
  const isOurs = last?.did === 'resumed' && last.takesBack === pool.target.name && isUnfinishedSince(pool, last.at);
  return isOurs ? last.at : undefined;
}

/** No change is pending, not all nodes are updated, and never were since that instant (ISO). A node that drifts or
 *  joins after that is no part of what was let go then. */
export function isUnfinishedSince(pool: Pool, at: string): boolean {
  const updated = condition(pool, 'Updated');
  if (!mayHaveNodesBehind(pool) || updated?.status !== 'False' || updated.since === undefined) return false;
  return !isLaterSecond(updated.since, at);
}
