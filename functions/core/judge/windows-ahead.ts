import { type Policy, tickSeconds } from '../configuration/policy.ts';
import type { GateView } from '../gates/gate-view.ts';
import { isHeldBriefly } from '../holds/held-briefly.ts';
import { isDegraded } from '../openshift/pool.ts';
import { letGoAt, recordIn } from '../openshift/pool-record.ts';
import { isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import type { Clock } from './clock.ts';
import type { ObservedPool } from './input.ts';
import { unseenWindowClock, windowClock } from './wants-nodes.ts';

/** What a pool waits for, if nothing is known to keep it but its window, that its rollout does not fit, and pools below
 *  it. A gate that could not be read has a time of its own, after which it is told.
 *  @param notDone pools of lower waves for which it waits */
export function windowWait(
  closed: readonly GateView[],
  notDone: readonly string[],
): Pick<ObservedPool, 'windowOpensAt' | 'behind'> {
  const known = closed.filter(({ unread, isUnseen }) => unread !== true && isUnseen !== true);
  const [waves, others] = [known.filter(({ gate }) => gate === 'wave'), known.filter(({ gate }) => gate !== 'wave')];
  const areWindows = others.every(
    ({ gate, opensAt }) => (gate === 'window' || gate === 'fit') && opensAt !== undefined,
  );
  if (!areWindows || (waves.length > 0 && notDone.length === 0)) return {};
  return {
    windowOpensAt: latest(others.map(({ opensAt }) => opensAt)),
    behind: waves.length > 0 ? notDone : undefined,
  };
}

type Patience = Pick<Policy, 'pausedAtMostSeconds' | 'blindAfterMisses'>;

/** When the windows open that pools wait for, by pool; absent: a pool waits for something else, too. */
export function windowsAhead(
  pools: readonly ObservedPool[],
  clock: Clock,
  policy: Patience,
): ReadonlyMap<string, string> {
  const { now } = clock;
  const known = new Map<string, string>();
  // Pools of lower waves come first: they wait for none of the others.
  const behindFirst = pools.toSorted((a, b) => (a.behind?.length ?? 0) - (b.behind?.length ?? 0));
  for (const each of behindFirst) {
    const opensAt = windowAhead(each, asksOf(each), clock, policy);
    if (opensAt !== undefined) known.set(each.pool.name, opensAt);
  }
  return known;

  function asksOf({ windowOpensAt, behind = [] }: ObservedPool): string | undefined {
    const lower = behind.map(goesOnAt);
    return lower.includes(undefined) ? undefined : latest([windowOpensAt, ...lower]);
  }

  /** Until when a pool below is no trouble: its window opens then, or its rollout has had its time. */
  function goesOnAt(name: string): string | undefined {
    const pool = pools.find((each) => each.pool.name === name)?.pool;
    if (pool === undefined || isDegraded(pool)) return undefined;
    if (pool.paused) return known.get(name);
    const begun = letGoAt(pool, now);
    const until = begun === undefined ? undefined : plusSeconds(new Date(begun), policy.pausedAtMostSeconds);
    return until === undefined || isPast(until, now) ? undefined : until;
  }
}

/** While something holds the pool besides, no gate is asked, and it would wait for that window all the same: a sync of
 *  a minute does not make a day's wait for it too long. Nor does a read of its calendar that fails, unless for as many
 *  ticks as make a cluster blind. */
function windowAhead(
  each: ObservedPool,
  asked: string | undefined,
  { before, keep, since, now }: Clock,
  { pausedAtMostSeconds, blindAfterMisses }: Patience,
): string | undefined {
  const { pool, isWindowUnseen } = each;
  const key = windowClock(pool.name);
  const unseenSince = isWindowUnseen === true ? since(unseenWindowClock(pool.name)) : undefined;
  const isUnseenBriefly =
    unseenSince !== undefined && secondsSince(unseenSince, now) < (blindAfterMisses - 1) * tickSeconds;
  if (wasKeptTooLong(each, before, pausedAtMostSeconds)) return undefined;
  const isKnownBefore = isUnseenBriefly || isHeldBriefly(pool, pausedAtMostSeconds, now);
  const opensAt = asked ?? (isKnownBefore ? before[key] : undefined);
  if (!pool.paused || opensAt === undefined || isPast(opensAt, now)) return asked;
  keep(key, opensAt);
  return opensAt;
}

/** What kept it in its last opening, and is not asked before the next one, had done so for too long already: that the
 *  window closes ends nothing. */
function wasKeptTooLong({ pool, rests, keptBackAt }: ObservedPool, before: Clock['before'], limit: number): boolean {
  const since = rests === true ? before[`${pool.name}|pending`] : recordIn(pool).pausedSince;
  return since !== undefined && keptBackAt !== undefined && secondsSince(since, new Date(keptBackAt)) >= limit;
}
