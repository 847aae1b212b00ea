import type { Incident } from '../../core/alerts/incident.ts';
import { isSameKey } from '../../core/alerts/inhibit.ts';
import { whatEnded } from '../../core/diagnose/what-ended.ts';
import { keyText } from '../../core/findings/trouble.ts';
import { isInBlindSpot } from '../../core/judge/blind-spot.ts';
import { endOfPause, endOfUndone } from '../../core/judge/ended-pauses.ts';
import { endOfSyncs } from '../../core/judge/ended-syncs.ts';
import { inquireAll } from './look-into.ts';
import type { Settling } from './settling.ts';

/** API calls that the end of one incident may cost. They are repeated each pass until a reason is found, at most while
 *  the incident is resolving. */
const maxCalls = 4;

/** What ended the incidents whose problem is gone, in words, by key. Nothing is read while none ends. */
export async function endings(
  stored: readonly Incident[],
  settling: Pick<Settling, 'judgement' | 'seen' | 'reader' | 'now'>,
): Promise<ReadonlyMap<string, string>> {
  const { troubles, unseen, ended } = settling.judgement;
  const ending = stored.filter(
    ({ key, state }) =>
      (state === 'firing' || state === 'resolving') &&
      !troubles.some((trouble) => isSameKey(trouble.key, key)) &&
      !isInBlindSpot(unseen, key),
  );
  const found = await Promise.all(
    ending.map(async (incident) => {
      const key = keyText(incident.key);
      const words = ended?.get(key) ?? endOnPool(incident, settling) ?? (await endOfObjects(incident, settling));
      return words === undefined ? [] : [[key, words] as const];
    }),
  );
  return new Map(found.flat());
}

/** What this pass has read is told for as long as the incident resolves: a sync that has begun will end. */
function endOnPool(
  { key, cause, trouble: last, openedAt }: Incident,
  { seen }: Pick<Settling, 'seen'>,
): string | undefined {
  const [trouble, pool] = [cause ?? last, seen?.pools.find(({ name }) => name === key.pool)];
  if (trouble === undefined || seen === undefined || pool === undefined) return undefined;
  const resumed = endOfPause(key, pool, openedAt) ?? endOfUndone(trouble, pool, openedAt);
  if (resumed !== undefined) return resumed;
  const { applications, refusing } = seen;
  return endOfSyncs(trouble, { applications, refusing, pool, openedAt });
}

async function endOfObjects(
  { cause, trouble: last, endedBy }: Incident,
  { reader, now }: Pick<Settling, 'reader' | 'now'>,
): Promise<string | undefined> {
  const trouble = cause ?? last;
  if (trouble === undefined || reader === undefined || endedBy !== undefined) return undefined;
  return await inquireAll(() => whatEnded(trouble), reader, { maxCalls, readAt: now });
}
