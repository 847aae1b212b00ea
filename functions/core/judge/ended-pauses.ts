import type { Trouble, TroubleKey } from '../findings/trouble.ts';
import type { Pool } from '../openshift/pool.ts';
import { clipped, quoted } from '../text/phrases.ts';

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
