import { coversCluster, freezeId, freezesIn } from '../openshift/freeze.ts';
import { fieldManager, type Hold } from '../openshift/hold.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord, type Thaw } from '../openshift/pool-record.ts';
import { isPast } from '../text/instant.ts';
import type { Snapshot } from './snapshot.ts';
import { released, type Step } from './step.ts';

/** What becomes of a freeze that the pool carries. The newest word on it counts, wherever it stands: a later end or a
 *  thaw that is on another pool of the cluster already. */
export function frozenStep(hold: Hold, record: PoolRecord, snapshot: Snapshot, now: Date): Step {
  const others = coversCluster(hold.id) ? trustedRecords(snapshot.pools) : [];
  const records = [record, ...others, ...askedRecords(snapshot.freeze)];
  return nextWord(newestOf(hold.id, records) ?? hold, thawOf(hold.id, [record]), now);
}

/** Freezes of the whole cluster that the pool lacks: it is new, or was not managed until now. */
export function missingFreezes(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly Hold[] {
  if (!isManaged(snapshot.settings, pool)) return [];
  const others = trustedRecords(snapshot.pools);
  const asked = askedRecords(snapshot.freeze).flatMap(freezesIn);
  const records = [record, ...others, { ...emptyRecord, holds: [...asked] }];
  const isForIt = ({ id }: Hold) => coversCluster(id) || (snapshot.freeze?.pool === pool.name && asked[0]?.id === id);
  const ids = new Set(records.flatMap(freezesIn).flatMap((hold) => (isForIt(hold) ? [hold.id] : [])));
  const missing = [...ids].toSorted().flatMap((id) => {
    const newest = newestOf(id, records);
    if (newest === undefined || record.holds.some((hold) => hold.id === id)) return [];
    const isThawed = [thawOf(id, [record]), thawOf(id, others)].some(
      (thaw) => thaw !== undefined && endsFreeze(thaw, newest.since),
    );
    return isThawed || isPast(newest.until, now) ? [] : [newest];
  });
  // One is enough to keep the pool paused: those that last longest.
  const room = Math.max(0, freezesAtMost - freezesIn(record).length);
  return missing.toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until)).slice(0, room);
}

/** Freezes that a pool gets from others, with its own. Whoever may write one pool must not fill the records of all. */
const freezesAtMost = 20;

/** Characters of a freeze or thaw that counts for other pools; ours have some 600. */
const wordAtMost = 2_000;

/** The record with the thaws that concern its freezes. Those of other pools are copied, because the pool on which they
 *  stand may be removed before all others have followed. Whoever resumed the pool has thawed it, for itself alone: if
 *  the freeze stayed, the pool would remain unprotected in every later sync. */
export function withThaws(record: PoolRecord, { pools }: Snapshot, now: Date): PoolRecord {
  const { holds, thawed = [] } = record;
  const others = trustedRecords(pools);
  const added = freezesIn({ holds }).flatMap((freeze): readonly Thaw[] => {
    const { id, since, until, overruled } = freeze;
    if (thawed.some((thaw) => thaw.id === id && endsFreeze(thaw, since))) return [];
    const elsewhere = coversCluster(id) ? thawOf(id, others) : undefined;
    if (elsewhere !== undefined && endsFreeze(elsewhere, since)) return [elsewhere];
    if (overruled === undefined) return [];
    return [thawAt(freeze, now, { by: overruled.by, why: 'resumed the pool', here: true, until })];
  });
  return added.length === 0 ? record : { ...record, thawed: [...thawed, ...added] };
}

/** A thaw that ends the freeze, even if the clock of whoever froze runs ahead. */
export function thawAt({ id, since }: Hold, now: Date, words: Omit<Thaw, 'id' | 'at'>): Thaw {
  return { id, at: new Date(Math.max(now.getTime(), Date.parse(since))).toISOString(), ...words };
}

/** Why a freeze ended early, in words. */
export function thawWords({ by, why }: Pick<Thaw, 'by' | 'why'>): string {
  return `${by} thawed it: ${why}`;
}

function nextWord(freeze: Hold, thaw: Thaw | undefined, now: Date): Step {
  if (thaw !== undefined && endsFreeze(thaw, freeze.since)) return released(thawWords(thaw));
  if (isPast(freeze.until, now)) return released(`the freeze of ${freeze.who} has ended`);
  return { kind: 'hold', hold: freeze };
}

function endsFreeze({ at }: Thaw, since: string): boolean {
  return Date.parse(at) >= Date.parse(since);
}

/** A record that somebody else wrote, as a copy of another pool's in Git, says nothing about other pools. */
function trustedRecords(pools: readonly Pool[]): readonly PoolRecord[] {
  return pools.flatMap(({ record, recordBy = fieldManager }) =>
    record.kind === 'record' && recordBy === fieldManager ? [forOthers(record.record)] : [],
  );
}

function forOthers(record: PoolRecord): PoolRecord {
  const isShort = (word: Hold | Thaw) => JSON.stringify(word).length <= wordAtMost;
  return {
    v: 1,
    holds: freezesIn(record)
      .filter((freeze) => coversCluster(freeze.id) && isShort(freeze))
      .map(({ overruled: _, ...freeze }) => freeze),
    thawed: (record.thawed ?? []).filter((thaw) => thaw.here !== true && isShort(thaw)),
  };
}

/** The freeze that is asked for with this pass, as if another pool carried it already. */
function askedRecords(freeze: Snapshot['freeze']): readonly PoolRecord[] {
  if (freeze === undefined) return [];
  const { pool, who, why, askedAt: since, until } = freeze;
  const id = freezeId(pool === '*' ? 'cluster' : 'pool', who);
  return [{ ...emptyRecord, holds: [{ id, kind: 'freeze', who, why, since, until }] }];
}

function newestOf(id: string, records: readonly PoolRecord[]): Hold | undefined {
  return records
    .flatMap(freezesIn)
    .filter((hold) => hold.id === id)
    .toSorted((a, b) => Date.parse(b.since) - Date.parse(a.since) || Date.parse(b.until) - Date.parse(a.until))[0];
}

function thawOf(id: string, records: readonly PoolRecord[]): Thaw | undefined {
  return records
    .flatMap(({ thawed = [] }) => thawed)
    .filter((thaw) => thaw.id === id)
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))[0];
}
