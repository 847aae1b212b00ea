import type { Policy } from '../configuration/policy.ts';
import { isHeldBriefly } from '../holds/held-briefly.ts';
import { isTrue, type Pool } from '../openshift/pool.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { between } from '../text/phrases.ts';
import type { Clock } from './clock.ts';
import { type HeldOverClocks, heldOverClocks, stalledClock } from './wants-nodes.ts';

/** What may last of a pool that something holds. */
export interface HeldOver {
  /** Undefined: it does not, or nobody can tell. */
  readonly since: string | undefined;
  /** It did before something held the pool, and is judged again when nothing does. */
  readonly isUnseen: boolean;
}

const gone: HeldOver = { since: undefined, isUnseen: false };

/** Since when a rollout has been stalled. Pauses of pushes and syncs do not set that back: what counts is the time in
 *  which the MCO could have begun a node.
 *  @param is `paused`: what is stalled, if it still is, waits behind a pause; `moving`: nothing is */
export function stalledOver(
  pool: Pool,
  is: 'stalled' | 'paused' | 'moving',
  { pausedAtMostSeconds }: Pick<Policy, 'pausedAtMostSeconds'>,
  clock: Clock,
): HeldOver {
  if (is === 'moving') return gone;
  const clocks = { own: stalledClock(pool), ...heldOverClocks(pool, 'stalled') };
  if (is === 'stalled') return goesOn(clocks, clock);
  const known = clock.before[clocks.own] ?? clock.before[clocks.over];
  return known === undefined || !isHeldBriefly(pool, pausedAtMostSeconds, clock.now)
    ? gone
    : carriedOver(known, clocks, clock);
}

interface Clocks extends HeldOverClocks {
  /** Since when it lasts while nothing holds the pool. */
  readonly own: string;
}

function goesOn({ own, over, paused }: Clocks, clock: Clock): HeldOver {
  const { before, now } = clock;
  const since = before[own] ?? movedOn(before[over], before[paused], now);
  clock.keep(own, since);
  return { since, isUnseen: false };
}

function carriedOver(known: string, { over, paused }: HeldOverClocks, clock: Clock): HeldOver {
  clock.keep(over, known);
  clock.since(paused);
  return { since: undefined, isUnseen: true };
}

/** By the time of the pause. */
function movedOn(since: string | undefined, pausedSince: string | undefined, now: Date): string {
  if (since === undefined || pausedSince === undefined) return now.toISOString();
  return new Date(now.getTime() - Math.max(0, between(since, pausedSince))).toISOString();
}

/** Seconds beyond the time that a render may take to settle, in which each end of a sync closes the gate. */
const beyondSettlingSeconds = 30;

/** Since when what was applied has not been rendered. While something holds the pool, no gate asks for that: what
 *  counts is the time in which one did, beyond the time that any render takes.
 *  @param isUnrendered as the gates have found */
export function unrenderedOver(
  pool: Pool,
  isUnrendered: boolean,
  { pausedAtMostSeconds, renderSettleSeconds }: Pick<Policy, 'pausedAtMostSeconds' | 'renderSettleSeconds'>,
  clock: Clock,
): HeldOver {
  const { before, now } = clock;
  const clocks = { own: `${pool.name}|unrendered`, ...heldOverClocks(pool, 'unrendered') };
  if (isUnrendered) return goesOn(clocks, clock);
  // Then the MCO says itself why, and when that is over.
  const isHeld = standingHoldsOf(pool).length > 0 && !isTrue(pool, 'RenderDegraded');
  if (!isHeld || !isHeldBriefly(pool, pausedAtMostSeconds, now)) return gone;
  const known = before[clocks.own] ?? before[clocks.over];
  const lastedSeconds = between(known ?? now.toISOString(), before[clocks.paused] ?? now.toISOString()) / 1000;
  if (known === undefined || lastedSeconds < renderSettleSeconds + beyondSettlingSeconds) return gone;
  return carriedOver(known, clocks, clock);
}
