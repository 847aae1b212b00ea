import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { isLaterSecond, secondsSince } from '../text/instant.ts';
import type { Clock } from './clock.ts';
import { heldAgainClock, heldBackClock } from './wants-nodes.ts';

/** Seconds. In less a resume brings nothing: the MCO begins the first nodes 5 to 10 s after it, and is to have time for
 *  the next ones. */
const hardlyBegunSeconds = 60;

/** Since when a change has been waiting behind pauses of Poolkeeper, each of which began so soon after the last one
 *  that no node was updated in between: to whoever waits for it, they are one. Also in the seconds between two of them.
 *  It counts from the second one: what the first one waited for, as its window, may have been meant. Undefined: nothing
 *  waits, or behind one pause alone.
 *  @param isWaiting a change, or nodes that have another config, wait behind the pause, or would if there was one */
export function pausedAgainSince(pool: Pool, isWaiting: boolean, clock: Clock): string | undefined {
  const record = pool.record.kind === 'record' ? pool.record.record : undefined;
  const isHeld = pool.paused ? record?.pause === 'ours' : isJustResumed(pool, clock.now);
  if (!isWaiting || !isHeld) return undefined;
  const first = clock.since(heldBackClock(pool));
  const again = clock.before[heldAgainClock(pool)] ?? laterPause(record, pool, first);
  if (again !== undefined) clock.keep(heldAgainClock(pool), again);
  return again;
}

function laterPause(record: PoolRecord | undefined, { paused }: Pool, first: string): string | undefined {
  const began = paused ? record?.pausedSince : undefined;
  return began !== undefined && isLaterSecond(began, first) ? began : undefined;
}

function isJustResumed({ record }: Pool, now: Date): boolean {
  const last = record.kind === 'record' ? record.record.last : undefined;
  return last?.did === 'resumed' && secondsSince(last.at, now) < hardlyBegunSeconds;
}
