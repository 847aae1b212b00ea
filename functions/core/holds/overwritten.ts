import { fieldManager } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { type PoolRecord, sameRecord } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

/** The pool as it counts. A record that somebody else wrote over ours, as a sync from a Git repository that has what
 *  was exported of the pool, says what was so then. It counts as lost, and what was published last goes on. */
export function withOwnRecord(pool: Pool, snapshot: Pick<Snapshot, 'published' | 'isPublishedUnread'>): Pool {
  return isOverwritten(pool, snapshot) ? { ...pool, record: { kind: 'none' } } : pool;
}

/** What Argo CD writes as it finds it stays ours (`recordBy`). Who ends our pause, too, has resumed the pool. One that
 *  we neither keep paused nor that anything holds has nothing to lose. */
function isOverwritten(
  { name, paused, record, recordBy = fieldManager }: Pool,
  { published, isPublishedUnread }: Pick<Snapshot, 'published' | 'isPublishedUnread'>,
): boolean {
  if (record.kind !== 'record' || recordBy === fieldManager) return false;
  if (isPublishedUnread === true) return paused;
  const known = published[name];
  if (known === undefined || sameRecord(known, record.record)) return false;
  return known.pause === 'ours' ? paused : lacksHolds(record.record, known);
}

function lacksHolds({ holds }: PoolRecord, known: PoolRecord): boolean {
  const ids = new Set(holds.map(({ id }) => id));
  return known.holds.some(({ id, overruled }) => overruled === undefined && !ids.has(id));
}

/** What became of the record of a pool that has none. */
export function lossWords({ recordBy }: Pick<Pool, 'recordBy'>): string {
  return recordBy === undefined ? 'its record was lost' : `${recordBy} wrote over its record`;
}
