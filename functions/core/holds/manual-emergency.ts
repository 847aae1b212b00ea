import { fieldManager } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { isPast } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { holdsThatCount } from './emergency.ts';
import { type ManualChange, type ManualRequest, recordOf } from './manual-hold.ts';

/** Opens the emergency lane of the pool until `until`; opening it again moves its end. The next pass resumes the pool
 *  if nothing but what the lane passes keeps it. Throws BadInput for a pool whose record cannot be read. */
export function openLane(pool: Pool, until: Date, { who, why, now }: ManualRequest): ManualChange {
  const before = recordOf(pool);
  if (pool.paused && before.pause !== 'ours') {
    const by = pool.pausedBy?.manager ?? 'somebody';
    const why =
      by === fieldManager ? 'Poolkeeper no longer resumes it; resume does' : `${by} has paused it, not Poolkeeper`;
    return { paused: undefined, record: undefined, said: `stays paused: ${why}` };
  }
  const known = before.emergency;
  const since = known === undefined || isPast(known.until, now) ? now.toISOString() : known.since;
  const record = { ...before, emergency: { who, why, since, until: until.toISOString() } };
  const waits = holdsThatCount(record, now).map((hold) => hold.who);
  return { paused: undefined, record, said: saidOf(pool, waits) };
}

/** Closes the lane before its end; the next pass pauses the pool again if it is frozen. Throws BadInput for a pool
 *  whose record cannot be read. */
export function closeLane(pool: Pool, { now }: Pick<ManualRequest, 'now'>): ManualChange {
  const { emergency, ...before } = recordOf(pool);
  if (emergency === undefined || isPast(emergency.until, now))
    return { paused: undefined, record: undefined, said: 'has no open emergency lane' };
  return { paused: undefined, record: before, said: 'is out of its emergency lane' };
}

function saidOf({ paused }: Pool, waits: readonly string[]): string {
  if (!paused) return 'is not paused';
  if (waits.length === 0) return 'resumes once the gates that an emergency does not pass are open';
  return `stays paused as long as ${listed([...new Set(waits)], 3)} ${waits.length === 1 ? 'holds' : 'hold'} it`;
}
