import { fieldManager, type Hold } from '../openshift/hold.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { without } from '../openshift/pool-record.ts';
import { plusSeconds } from '../text/instant.ts';
import type { Snapshot } from './snapshot.ts';

/** Whose pause is it now? People and other tools may have changed `spec.paused` since our last write. */
export function settleOwnership(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const by = pool.pausedBy?.manager ?? 'somebody';
  switch (record.pause) {
    case 'ours':
      if (!pool.paused) return overridden(record, by, snapshot, now);
      return by === fieldManager || pool.pausedBy === undefined ? record : takenOver(record, by, now);
    case 'foreign':
      return pool.paused ? record : without(record, 'pause');
    case 'overridden':
      if (!pool.paused) return record;
      return takenOver(record, by, now);
    case undefined:
      return isOrphan(pool, snapshot) && wasOurs(pool, snapshot) ? adopted(record, pool, snapshot, now) : record;
    default:
      return record.pause satisfies never;
  }
}

/** Paused under our name, and no record says so: somebody removed the annotation, or replaced the pool by a copy
 *  without it. */
function isOrphan(pool: Pool, { settings }: Snapshot): boolean {
  return pool.paused && pool.pausedBy?.manager === fieldManager && isManaged(settings, pool);
}

/** The last that was published of it is a pause of ours. Without that somebody only used our name, under which
 *  everybody may write: such a pause is not ours to end, and becomes an incident when it lasts. */
function wasOurs({ name }: Pool, { published }: Snapshot): boolean {
  return published[name]?.pause === 'ours';
}

/** Taken back, so that it is not paused for ever with nobody to tell. What it was held for is not known any more: it
 *  stays held as long as a push may wait for its sync, in which time every Application is looked at more than once. */
function adopted(record: PoolRecord, pool: Pool, { settings }: Snapshot, now: Date): PoolRecord {
  const at = now.toISOString();
  const recovery: Hold = {
    id: 'manual/poolkeeper',
    kind: 'manual',
    who: 'Poolkeeper',
    why: 'its record was lost; it stays paused until every Application was looked at',
    since: at,
    until: plusSeconds(now, settings.policy.expectSyncWithinSeconds),
  };
  const holds = record.holds.length > 0 ? record.holds : [recovery];
  return {
    ...record,
    pause: 'ours',
    pausedSince: pool.pausedBy?.at ?? at,
    holds,
    last: { did: 'paused', at, why: recovery.why },
  };
}

function overridden(record: PoolRecord, by: string, snapshot: Snapshot, now: Date): PoolRecord {
  if (snapshot.settings.policy.onOverride === 'enforce' && record.holds.length > 0) return without(record, 'pause');
  const last = { did: 'overridden' as const, at: now.toISOString(), why: `${by} resumed the pool`, by };
  return { ...without(record, 'release', 'pausedSince'), pause: 'overridden', last };
}

function takenOver(record: PoolRecord, by: string, now: Date): PoolRecord {
  const last = { did: 'left' as const, at: now.toISOString(), why: `${by} has paused the pool`, by };
  return { ...without(record, 'release', 'pausedSince'), pause: 'foreign', last };
}
