import { type Hold, runOfHold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { secondsSince } from '../text/instant.ts';

/** Seconds after the end of a hold within which what was applied is rendered, and other gates settle. */
const settlesWithinSeconds = 600;

/** Something holds it, and nothing for too long, or did until a moment ago: what the pool waited for before, it waits
 *  for all the same. */
export function isHeldBriefly(pool: Pool, atMostSeconds: number, now: Date): boolean {
  return isBrief(standingHoldsOf(pool), pool, atMostSeconds, now);
}

/** As {@link isHeldBriefly}, by what holds it besides runs: these ask its gates for their nodes, and wait for them as
 *  long as the pool itself would. */
export function isHeldBrieflyBesideRuns(pool: Pool, atMostSeconds: number, now: Date): boolean {
  const others = standingHoldsOf(pool).filter(({ id }) => runOfHold(id) === undefined);
  return isBrief(others, pool, atMostSeconds, now);
}

function isBrief(holds: readonly Hold[], pool: Pool, atMostSeconds: number, now: Date): boolean {
  if (holds.length > 0) return holds.every(({ since }) => secondsSince(since, now) < atMostSeconds);
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return release !== undefined && secondsSince(release.since, now) < settlesWithinSeconds;
}
