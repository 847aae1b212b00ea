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
      const bodyOf = (version: number) =>
        fittingBody({ ...memory, version }, [withFewJoined, withoutPending, withoutFirstSeen, withoutTold]);
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

function withoutFirstSeen(memory: Checkpoint): Checkpoint {
  return { ...memory, firstSeen: {} };
}

function withoutTold(memory: Checkpoint): Checkpoint {
  return { ...memory, told: {} };
}
