import type { Pool } from '../openshift/pool.ts';
import { isLost, lasting, type PoolRecord, type Release, without } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { lostHolds } from './ownership.ts';
import type { PoolAction } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

/** What is written to a pool without a record while nobody can read what was published of it: it may have lost a record
 *  that a freeze or an approval stands in. No pause waits for that, and is noted as what it is. A resume does, for as
 *  long as a push may wait for its sync, and what says nothing of our pause waits until it can be read. */
export function whileUnread(action: PoolAction, pool: Pool, snapshot: Snapshot, now: Date): PoolAction {
  if (action.kind === 'none' || snapshot.isPublishedUnread !== true || !isLost(pool.record)) return action;
  if (!isWritten(action, pool, snapshot, now)) return { kind: 'none' };
  return { ...action, record: { ...action.record, lacksPublished: true } };
}

function isWritten(action: PoolAction, { record }: Pool, { settings }: Snapshot, now: Date): boolean {
  if (action.kind === 'pause') return true;
  if (action.kind === 'none' || record.kind !== 'record') return false;
  const { pausedSince } = record.record;
  if (action.kind === 'record' || pausedSince === undefined) return action.record.pause === 'ours';
  return isPast(plusSeconds(new Date(pausedSince), settings.policy.expectSyncWithinSeconds), now);
}

/** The record of a pool that was paused in that while, with what was published of the one that it had lost: nobody has
 *  ended that, and it pauses a pool again that has resumed since. Where the pause is not ours any more, others have
 *  decided. */
export function withPublished(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  if (record.lacksPublished !== true || snapshot.isPublishedUnread === true) return record;
  const own = without(record, 'lacksPublished');
  const published = snapshot.published[pool.name];
  if (published === undefined || own.pause === 'foreign' || own.pause === 'overridden') return own;
  const lost = lostHolds(pool, snapshot, now);
  const known = new Set(lost.map(({ id }) => id));
  const left = published.pause === 'ours' && own.pause === 'ours' ? published.release : undefined;
  return {
    ...own,
    ...lasting(published, now),
    holds: [...lost, ...own.holds.filter(({ id }) => !known.has(id))],
    ...given({ release: ofBoth(left, own.release) }),
  };
}

/** A pool whose record is lost and could not be put back: as one whose record stands, and cannot be written. What was
 *  published of it is the only copy. */
export function asLastPublished(pool: Pool, snapshot: Snapshot, now: Date): Pool {
  const { record: read } = pool;
  const record =
    read.kind === 'record' ? withPublished(read.record, pool, snapshot, now) : snapshot.published[pool.name];
  return record === undefined ? pool : { ...pool, record: { kind: 'record', record } };
}

function ofBoth(earlier: Release | undefined, later: Release | undefined): Release | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  const all = (...of: readonly (readonly string[] | undefined)[]) => {
    const items = unique(of.flatMap((each) => each ?? []));
    return items.length === 0 ? undefined : items;
  };
  return {
    ...earlier,
    ...later,
    machineConfigs: [...unique([...earlier.machineConfigs, ...later.machineConfigs])],
    ...given({
      pushers: all(earlier.pushers, later.pushers),
      unpushed: all(earlier.unpushed, later.unpushed),
      afterFailed: all(earlier.afterFailed, later.afterFailed),
    }),
  };
}
