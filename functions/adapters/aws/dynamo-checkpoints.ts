import { isSyncClock } from '../../core/judge/sync-clocks.ts';
import type { PoolRecord } from '../../core/openshift/pool-record.ts';
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

/** A needless pause. */
function withoutSpared(memory: Checkpoint): Checkpoint {
  return { ...memory, spared: undefined };
}

/** Of what was published about the pools, what decides whether something new is to be published. Tenants choose most of
 *  the rest: their holds are many, and say why. */
function withToldInShort(memory: Checkpoint): Checkpoint {
  const told = Object.entries(memory.told).map(([pool, record]) => [pool, inShort(record)] as const);
  return { ...memory, told: Object.fromEntries(told) };
}

function inShort({ release: _, ...record }: PoolRecord): PoolRecord {
  const holds = record.holds.map(({ because: _, from: __, via: ___, ...hold }) => ({ ...hold, who: '', why: '' }));
  return { ...record, holds };
}

/** Events of holds may be published again, under the same ids; whose the pause is stays known. */
function withoutToldHolds(memory: Checkpoint): Checkpoint {
  const told = Object.entries(memory.told).map(([pool, record]) => [pool, inShort({ ...record, holds: [] })] as const);
  return { ...memory, told: Object.fromEntries(told) };
}

/** Clocks of syncs that are kept if space is short: two for each. */
const fewSyncClocks = 200;

/** The oldest are kept, which are the next to be reported: clocks that all start anew would never be up. */
function withFewSyncClocks(memory: Checkpoint): Checkpoint {
  const all = Object.entries(memory.firstSeen);
  const others = all.filter(([key]) => !isSyncClock(key));
  const oldest = all
    .filter(([key]) => isSyncClock(key))
    .toSorted(([a, from], [b, to]) => Date.parse(from) - Date.parse(to) || (a < b ? -1 : 1))
    .slice(0, fewSyncClocks);
  return { ...memory, firstSeen: Object.fromEntries([...others, ...oldest]) };
}

function withoutFirstSeen(memory: Checkpoint): Checkpoint {
  return { ...memory, firstSeen: {} };
}

function withoutTold(memory: Checkpoint): Checkpoint {
  return { ...memory, told: {} };
}

/** What can be dropped, least important first. Clocks go last: where they are lost in each pass, nothing that is judged
 *  by our own time is ever reported. */
const cuts = [
  withFewJoined,
  withoutPending,
  withToldInShort,
  withoutRaces,
  withoutSpared,
  withFewSyncClocks,
  withoutToldHolds,
  withoutTold,
  withoutFirstSeen,
];
