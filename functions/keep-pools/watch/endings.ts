import type { Incident } from '../../core/alerts/incident.ts';
import { isSameKey } from '../../core/alerts/inhibit.ts';
import { whatEnded } from '../../core/diagnose/what-ended.ts';
import { keyText } from '../../core/findings/trouble.ts';
import { isInBlindSpot } from '../../core/judge/blind-spot.ts';
import type { Judgement } from '../../core/judge/judge.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import { inquireAll } from './look-into.ts';

/** API calls that the end of one incident may cost. They are repeated each pass until a reason is found, at most while
 *  the incident is resolving. */
const maxCalls = 4;

/** What ended the firing incidents whose problem is gone, in words, by key. Nothing is read while none ends. */
export async function endings(
  stored: readonly Incident[],
  { troubles, unseen, ended }: Judgement,
  reader: ObjectReader,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const ending = stored.filter(
    ({ key, state, endedBy }) =>
      (state === 'firing' || (state === 'resolving' && endedBy === undefined)) &&
      !troubles.some((trouble) => isSameKey(trouble.key, key)) &&
      !isInBlindSpot(unseen, key),
  );
  const found = await Promise.all(
    ending.map(async ({ key, ...incident }) => {
      const seen = ended?.get(keyText(key));
      if (seen !== undefined) return [[keyText(key), seen] as const];
      const trouble = incident.cause ?? incident.trouble;
      const words = trouble && (await inquireAll(() => whatEnded(trouble), reader, { maxCalls, readAt: now }));
      return words === undefined ? [] : [[keyText(key), words] as const];
    }),
  );
  return new Map(found.flat());
}
