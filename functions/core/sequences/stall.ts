import { isPast, latest, plusSeconds } from '../text/instant.ts';
import type { PlannedGate } from './plan.ts';
import type { SequenceRecord } from './record.ts';

type Stall = NonNullable<SequenceRecord['stall']>;

/** Seconds: as for a step that has begun and is not healthy. */
const stalledAfterSeconds = 4 * 3600;

/** That one thing is late after another happens. Two that take turns hand over for the third time when the second one
 *  opens again. */
const turnsAtLeast = 3;

export interface StallLook {
  /** Since when each step that has begun, and each gate that is waited for, is closed, seen or not. */
  readonly closedSince: readonly string[];
  readonly gates: readonly Pick<PlannedGate, 'timing'>[];
  readonly hasBegun: boolean;
  readonly now: Date;
}

/** How long nothing more of the sequence has begun, and how often what it waits for took turns. Each step and gate has
 *  a clock of its own, which begins anew with each change of its state: two that are unhealthy in turns keep all above
 *  waiting, and are never late. What is closed for so long that its own clock tells it, or that is only to be waited
 *  for, begins this one anew. */
export function stallAfter(known: Stall | undefined, { closedSince, gates, hasBegun, now }: StallLook): Stall {
  const at = now.toISOString();
  const seconds = gates.reduce((most, { timing }) => Math.max(most, timing.timeoutSeconds), stalledAfterSeconds);
  // Later than now only if a clock was set back.
  const heldSince = latest([at, ...closedSince]) ?? at;
  if (known === undefined || hasBegun || isPast(plusSeconds(new Date(known.heldSince), known.seconds), now))
    return { since: at, heldSince, turns: 0, seconds };
  const longest = { ...known, seconds: Math.max(known.seconds, seconds) };
  const isHeldOn = closedSince.length === 0 || closedSince.some((each) => each <= known.heldSince);
  return isHeldOn ? longest : { ...longest, heldSince, turns: known.turns + 1 };
}

/** Since when that is too long; undefined: it is not, or nothing took turns. As long as a gate that was waited for
 *  meanwhile has to open, it is not either. */
export function stalledTooLong(stall: Stall | undefined, now: Date): string | undefined {
  if (stall === undefined || stall.turns < turnsAtLeast) return undefined;
  const end = plusSeconds(new Date(stall.since), stall.seconds);
  return isPast(end, now) ? end : undefined;
}
