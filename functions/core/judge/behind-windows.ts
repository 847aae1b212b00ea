import { type GateView, isOfWindow } from '../gates/gate-view.ts';
import { isHeldBriefly } from '../holds/held-briefly.ts';
import { lacksNodesOnly } from '../openshift/canary-turns.ts';
import { isDegraded, type Pool } from '../openshift/pool.ts';
import { latest } from '../text/instant.ts';
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
  const others = known.filter(({ gate }) => gate !== 'wave');
  const isBehind = others.length < known.length;
  const byTime = others.filter((each) => isOfWindow(each) && each.opensAt !== undefined);
  if (!isBehind || byTime.length < others.length) return undefined;
  return { pools, windowOpensAt: latest(byTime.map(({ opensAt }) => opensAt)) };
}

/** A pool and its own wait for windows. */
type Waiting = Pick<ObservedPool, 'pool' | 'windowOpensAt' | 'behind'>;

/** ISO instants until which pools wait for their windows, or behind pools that do, or roll; undefined: for something
 *  else.
 *  @param atMostSeconds for which something may hold a lower pool
 *  @param states of all pools */
export function windowsAhead(
  states: readonly Waiting[],
  atMostSeconds: number,
  now: Date,
): (state: Waiting) => string | undefined {
  const known = new Map<string, string | undefined>();
  return ofPool;

  function ofPool({ pool: { name }, windowOpensAt, behind }: Waiting): string | undefined {
    if (windowOpensAt !== undefined || behind === undefined) return windowOpensAt;
    if (!known.has(name)) {
      const lower = behind.pools.map((each) => states.find(({ pool }) => pool.name === each)).map(goesOn);
      known.set(name, lower.includes(undefined) ? undefined : latest([behind.windowOpensAt, ...lower]));
    }
    return known.get(name);
  }

  /** A rollout is no trouble while it goes on, nor what holds a pool for a moment. */
  function goesOn(lower: Waiting | undefined): string | undefined {
    if (lower === undefined || isDegraded(lower.pool)) return undefined;
    const { pool } = lower;
    const isBrief = pool.paused ? isHeldBriefly(pool, atMostSeconds, now) : !lacksNodesOnly(pool);
    return ofPool(lower) ?? (isBrief ? now.toISOString() : undefined);
  }
}
