import type { ClusterMemory, Memories } from '../../ports.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredMemory } from './stored/memory.ts';
import type { Table } from './table.ts';

/** Seconds, 30 days after the last pass. */
const keepSeconds = 30 * 24 * 3600;

/** What each cluster's passes remember, under an optimistic lock. */
export function dynamoMemories(table: Table): Memories {
  return {
    async load(cluster) {
      const row = await table.read({ pk: 'memory', sk: cluster });
      return row && readBody(StoredMemory, row);
    },
    save(memory) {
      const key = { pk: 'memory', sk: memory.cluster };
      const bodyOf = (version: number) => fittingBody({ ...memory, version }, [withoutFirstSeen, withoutTold]);
      return saveVersion(table, { ...key, keepSeconds, version: memory.version, bodyOf });
    },
  };
}

function withoutFirstSeen(memory: ClusterMemory): ClusterMemory {
  return { ...memory, firstSeen: {} };
}

function withoutTold(memory: ClusterMemory): ClusterMemory {
  return { ...memory, told: {} };
}
