import { secondsSince } from '../text/instant.ts';

/** How far ahead of ours the clock of Argo CD may run. */
const skewSeconds = 300;

/** By Argo CD's clock it may have been by now. Whoever may write an Application may write any date: one that is further
 *  ahead says nothing. */
export function mayHaveBeen(at: string, now: Date): boolean {
  return -secondsSince(at, now) <= skewSeconds;
}
