import { type GateView, isOfWindow } from '../gates/gate-view.ts';
import { isHeldBrieflyBesideRuns } from '../holds/held-briefly.ts';
import { lacksNodesOnly } from '../openshift/canary-turns.ts';
import { condition, isDegraded, type Pool } from '../openshift/pool.ts';
import { latest, secondsSince } from '../text/instant.ts';
import type { Behind, ObservedPool } from './input.ts';

/** What a pool waits for behind those of lower waves, if nothing else is known to keep it but windows. A gate that
 *  could not be read has a time of its own, after which it is told.
 *  @param closed its gates; while something holds it they were not asked
 *  @param waitedFor pools of lower waves that roll out in windows (`waitedForInWindows`) */
export function behindWindows(
  closed: readonly GateView[],
  waitedFor: readonly Pool[],
  isUnasked: boolean,
): Behind | undefined {
  const pools = waitedFor.map(({ name }) => name);
  if (pools.length === 0) return undefined;
  if (isUnasked) return { pools, isUnasked };
  const known = closed.filter(({ unread, isUnseen }) => unread !== true && isUnseen !== true);
  const isBehind = known.some(({ gate }) => gate === 'wave');
  const others = known.filter(({ gate }) => !ofOtherPools.has(gate));
  const byTime = others.filter((each) => isOfWindow(each) && each.opensAt !== undefined);
  if (!isBehind || byTime.length < others.length) return undefined;
  return { pools, windowOpensAt: latest(byTime.map(({ opensAt }) => opensAt)) };
}

/** Gates by which other pools keep it: what is wrong with those is told of them. */
const ofOtherPools: ReadonlySet<string> = new Set(['wave', 'health']);

/** A pool and its own wait for windows. */
interface Waiting extends Pick<ObservedPool, 'pool' | 'windowOpensAt' | 'behind'> {
  /** Since when more of its nodes have been unavailable than are updating; undefined: they are not, or it is not
   *  known. */
  readonly unavailableSince?: string | undefined;
}

/** ISO instants until which pools wait for their windows, or behind pools that do, roll, or are no trouble yet;
 *  undefined: for something else. While its own window is closed that alone counts.
 *  @param atMostSeconds for which something may stand in the way of a lower pool
 *  @param states of all pools */
export function windowsAhead(
  states: readonly Waiting[],
  atMostSeconds: number,
  now: Date,
): (state: Waiting) => string | undefined {
  const known = new Map<string, string | undefined>();
  return ofPool;

  function ofPool({ pool: { name }, windowOpensAt, behind }: Waiting): string | undefined {
    const own = windowOpensAt ?? behind?.windowOpensAt;
    if (own !== undefined || behind === undefined) return own;
    if (!known.has(name)) {
      const lower = behind.pools.map((each) => states.find(({ pool }) => pool.name === each)).map(goesOn);
      known.set(name, lower.includes(undefined) ? undefined : latest(lower));
    }
    return known.get(name);
  }

  function goesOn(lower: Waiting | undefined): string | undefined {
    if (lower === undefined) return undefined;
    const waits = isDegraded(lower.pool) ? undefined : ofPool(lower);
    const since = stoppedSince(lower, atMostSeconds, now);
    return waits ?? (since !== undefined && secondsSince(since, now) < atMostSeconds ? now.toISOString() : undefined);
  }
}

/** Since when a lower pool does not roll out: it is told of itself once that lasts. Now: it does. Undefined: for longer
 *  than anybody knows. */
function stoppedSince({ pool, unavailableSince }: Waiting, atMostSeconds: number, now: Date): string | undefined {
  if (isDegraded(pool)) return condition(pool, 'Degraded')?.since;
  if (pool.paused) return isHeldBrieflyBesideRuns(pool, atMostSeconds, now) ? now.toISOString() : pool.pausedBy?.at;
  return (lacksNodesOnly(pool) ? unavailableSince : undefined) ?? now.toISOString();
}
