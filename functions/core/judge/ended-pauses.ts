import type { TroubleKey } from '../findings/trouble.ts';
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
