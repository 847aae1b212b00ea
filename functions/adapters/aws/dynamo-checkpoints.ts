import { holdOfSyncClock, isSyncClock } from '../../core/judge/sync-clocks.ts';
import { type Hold, ownerOfHold } from '../../core/openshift/hold.ts';
import type { PoolRecord } from '../../core/openshift/pool-record.ts';
import { byTurns } from '../../core/text/rounds.ts';
import { shortSteps } from '../../core/timeline/told-steps.ts';
import type { Checkpoint, Checkpoints } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredCheckpoint } from './stored/checkpoint.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days after the last pass. */
const keepSeconds = 30 * 24 * 3600;

/** The checkpoint of each cluster, under an optimistic lock. */
export function dynamoCheckpoints(table: Table): Checkpoints {
  return {
    async load(cluster) {
      const row = await table.read({ pk: 'memory', sk: cluster });
      return row && readBody(StoredCheckpoint, row);
    },
    save(memory) {
      const key = { pk: 'memory', sk: memory.cluster };
      const bodyOf = (version: number) => fittingBody({ ...memory, version }, cuts);
      return saveVersion(table, { ...key, keepSeconds, version: memory.version, bodyOf });
    },
  };
}

/** Joined nodes kept per paused pool if space is short. */
const fewJoined = 5;

function withFewJoined(memory: Checkpoint): Checkpoint {
  const pauses = Object.entries(memory.pauses ?? {}).map(
    ([pool, paused]) => [pool, { ...paused, joined: paused.joined.slice(-fewJoined) }] as const,
  );
  return { ...memory, pauses: Object.fromEntries(pauses) };
}

/** Dropped if space is short: the next pass reads it again and publishes it under the same ids. */
function withoutPending(memory: Checkpoint): Checkpoint {
  return { ...memory, pending: undefined };
}

/** Verdicts of races without a hold may be late, or left out. */
function withoutRaces(memory: Checkpoint): Checkpoint {
  return { ...memory, races: undefined };
}

/** Bytes of syncs that may run without a pause, if space is short: some 50. */
const fewSparedBytes = 32 * 1024;

/** A needless pause, for those that are left out: of each namespace one after the other is kept. */
function withFewSpared(memory: Checkpoint): Checkpoint {
  const inTurns = memory.spared && byTurns(memory.spared, ({ hold }) => ownerOfHold({ id: hold }));
  return { ...memory, spared: inTurns && whileTheyFit(inTurns, fewSparedBytes) };
}

/** Of what was published about the pools, what decides whether something new is to be published. Tenants choose most of
 *  the rest: their holds are many, and say why. */
function withToldInShort(memory: Checkpoint): Checkpoint {
  const told = Object.entries(memory.told).map(([pool, record]) => [pool, inShort(record)] as const);
  return { ...memory, told: Object.fromEntries(told) };
}

function inShort({ release: _, ...record }: PoolRecord): PoolRecord {
  return { ...record, holds: record.holds.map(holdInShort) };
}

/** Those of people are put back as they are published, where a pool has lost its record; of syncs what decides. */
function holdInShort({ because: _, from: __, via: ___, leftFailed: ____, ...hold }: Hold): Hold {
  return hold.kind === 'sync' ? { ...hold, who: '', why: '' } : hold;
}

/** Bytes of told holds that are kept if space is short: some 250 holds. */
const fewToldBytes = 64 * 1024;

function withFewToldHolds(memory: Checkpoint): Checkpoint {
  return withToldHolds(memory, fewToldBytes);
}

/** What ended of them while a pass died is not told. */
function withoutToldSyncs(memory: Checkpoint): Checkpoint {
  return withToldHolds(memory, 0);
}

/** Those of people, and of the syncs as many as there is room for, of each owner one after the other: whoever has
 *  many leaves room for others. Of the rest is kept what decides whether something new is to be published: otherwise
 *  every pass would publish thousands of events again. */
function withToldHolds(memory: Checkpoint, syncBytes: number): Checkpoint {
  const holds = Object.values(memory.told).flatMap((record) => record.holds);
  const isSync = ({ kind }: Hold) => kind === 'sync';
  const inTurns = byTurns(holds.filter(isSync), ownerOfHold);
  const kept = new Set([...holds.filter((hold) => !isSync(hold)), ...whileTheyFit(inTurns, syncBytes)]);
  const pools = Object.entries(memory.told).map(([pool, record]) => {
    const rest = record.holds.filter((hold) => !kept.has(hold));
    const steps = `${memory.toldSteps?.[pool] ?? ''}${shortSteps(rest)}`;
    return { pool, steps, record: { ...record, holds: record.holds.filter((hold) => kept.has(hold)) } };
  });
  return {
    ...memory,
    told: Object.fromEntries(pools.map(({ pool, record }) => [pool, record])),
    toldSteps: Object.fromEntries(pools.flatMap(({ pool, steps }) => (steps === '' ? [] : [[pool, steps]]))),
  };
}

/** One that is too large leaves room for those behind it. */
function whileTheyFit<T>(items: readonly T[], most: number): readonly T[] {
  let left = most;
  return items.filter((item) => {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}

/** Clocks of syncs that are kept if space is short: two for each. */
const fewSyncClocks = 200;

/** The oldest of each namespace are kept, which are the next to be reported: clocks that all start anew would never be
 *  up. Whoever has many that stand for long lets those of others run. */
function withFewSyncClocks(memory: Checkpoint): Checkpoint {
  const all = Object.entries(memory.firstSeen);
  const others = all.filter(([key]) => !isSyncClock(key));
  const oldestFirst = all
    .filter(([key]) => isSyncClock(key))
    .toSorted(([a, from], [b, to]) => Date.parse(from) - Date.parse(to) || (a < b ? -1 : 1));
  // Both of one hold, or none.
  const ofHolds = [...Map.groupBy(oldestFirst, ([key]) => holdOfSyncClock(key))];
  const kept = byTurns(ofHolds, ([id]) => ownerOfHold({ id }))
    .flatMap(([, clocks]) => clocks)
    .slice(0, fewSyncClocks);
  return { ...memory, firstSeen: Object.fromEntries([...others, ...kept]) };
}

function withoutFirstSeen(memory: Checkpoint): Checkpoint {
  return { ...memory, firstSeen: {} };
}

function withoutTold(memory: Checkpoint): Checkpoint {
  return { ...memory, told: {}, toldSteps: undefined };
}

/** What can be dropped: first what tenants may make any number of, in turns, so that nobody else loses anything by it,
 *  then the least important first. Clocks go last: where they are lost in each pass, nothing that is judged by our own
 *  time is ever reported. */
const cuts = [
  withFewJoined,
  withToldInShort,
  withFewToldHolds,
  withFewSpared,
  withFewSyncClocks,
  withoutToldSyncs,
  withoutPending,
  withoutRaces,
  withoutTold,
  withoutFirstSeen,
];
