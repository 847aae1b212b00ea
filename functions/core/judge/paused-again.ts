import type { Pool } from '../openshift/pool.ts';
import { isLaterSecond, secondsSince } from '../text/instant.ts';
import { heldAgainClock, heldBackClock } from './wants-nodes.ts';

/** Seconds. A pool that was resumed for less has hardly begun: the MCO begins its first nodes 5 to 10 s after a resume,
 *  and each takes some minutes. */
const hardlyBegunSeconds = 600;

interface Clock {
  since(...key: readonly string[]): string;
  readonly now: Date;
  readonly before: Readonly<Record<string, string>>;
}

/** Since when a change has been waiting behind pauses of Poolkeeper, each of which began so soon after the last one that
 *  no node was updated in between: to whoever waits for it, they are one. Also in the seconds between two of them.
 *  Undefined: nothing waits, or behind one pause alone.
 *  @param isWaiting a change, or nodes that have another config, wait behind the pause, or would if there was one */
export function pausedAgainSince(pool: Pool, isWaiting: boolean, clock: Clock): string | undefined {
  const record = pool.record.kind === 'record' ? pool.record.record : undefined;
  if (!isWaiting || !(pool.paused || isJustResumed(pool, clock.now))) return undefined;
  const since = clock.since(heldBackClock(pool));
  const began = pool.paused && record?.pause === 'ours' ? record.pausedSince : undefined;
  const isAgain = began !== undefined && isLaterSecond(began, since);
  if (!isAgain && clock.before[heldAgainClock(pool)] === undefined) return undefined;
  clock.since(heldAgainClock(pool));
  return since;
}

function isJustResumed({ record }: Pool, now: Date): boolean {
  const last = record.kind === 'record' ? record.record.last : undefined;
  return last?.did === 'resumed' && secondsSince(last.at, now) < hardlyBegunSeconds;
}
