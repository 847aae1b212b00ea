import { keyText, type Trouble, type TroubleKey } from '../findings/trouble.ts';
import { freezesIn } from '../openshift/freeze.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { isPast, latest } from '../text/instant.ts';
import { clipped, listed, quoted } from '../text/phrases.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';

/** Who ended a pause that had lasted too long, in words. Undefined where the record does not say so of a time since
 *  people were told: others pause and resume, too. */
export function endOfPause({ kind }: TroubleKey, pool: Pool, openedAt: string | undefined): string | undefined {
  if (kind !== 'paused-too-long' || pool.paused || pool.record.kind !== 'record' || openedAt === undefined)
    return undefined;
  const { letGo, last } = pool.record.record;
  const isSince = (at: string) => Date.parse(at) >= Date.parse(openedAt);
  if (letGo !== undefined && isSince(letGo.at)) return `${clipped(letGo.by, 80)} resumed pool ${pool.name}.`;
  if (last?.did !== 'resumed' || !isSince(last.at)) return undefined;
  return `Poolkeeper resumed pool ${pool.name}: ${quoted(last.why)}.`;
}

/** Why a pool that is still paused is no trouble any more, in words, by the key of its incident. */
export function waitingEndings(
  states: readonly PoolState[],
  { cluster, now }: JudgeInput,
): readonly (readonly [key: string, words: string])[] {
  return states.flatMap((state): readonly (readonly [string, string])[] => {
    const { pool } = state;
    const waits = pool.paused ? waitsFor(state, now) : undefined;
    const key = keyText({ cluster, pool: pool.name, kind: 'paused-too-long' });
    return waits === undefined ? [] : [[key, `Pool ${pool.name} is still paused: it waits for ${waits}.`]];
  });
}

function waitsFor({ pool, windowOpensAt, behind }: PoolState, now: Date): string | undefined {
  const freezes = freezesIn({ holds: holdsOf(pool) }).map(({ until }) => until);
  const frozenUntil = latest(freezes.filter((until) => !isPast(until, now)));
  if (frozenUntil !== undefined) return `the end of its freeze, at ${frozenUntil}`;
  if (behind !== undefined) return `${listed(behind.pools)} to go first`;
  return windowOpensAt === undefined ? undefined : `its window, which opens at ${windowOpensAt}`;
}

/** What ended a pause that a program had taken away, in words. Undefined: the end of its hold did, or nothing is known
 *  of it. */
export function endOfUndone({ findings }: Trouble, pool: Pool, openedAt: string | undefined): string | undefined {
  if (pool.record.kind !== 'record' || !findings.some(({ code }) => code === 'Z5')) return undefined;
  if (pool.paused) return `Pool ${pool.name} is paused again.`;
  const { letGo } = pool.record.record;
  const isDecided = letGo !== undefined && letGo.program === undefined && openedAt !== undefined;
  return isDecided && Date.parse(letGo.at) >= Date.parse(openedAt)
    ? `${clipped(letGo.by, 80)} resumed pool ${pool.name}.`
    : undefined;
}
