import { secondsSince } from '../text/instant.ts';

/** Seconds. Clocks that are kept in time differ by less. */
const aheadAtMostSeconds = 60;

/** Whether a look is too long ago to say what is so now. One of the future, by a clock that was set back since, would
 *  pass for a new one for as long as it is ahead. */
export function isStale(readAt: string, now: Date, afterSeconds: number): boolean {
  return !(Math.floor(secondsSince(readAt, now)) <= afterSeconds && !isAhead(readAt, now));
}

/** Whether an instant lies further in the future than clocks may differ. */
export function isAhead(instant: string, now: Date): boolean {
  return -secondsSince(instant, now) > aheadAtMostSeconds;
}
