import type { Replays } from '../../ports/tables.ts';
import { openTable, type TableOptions } from './table.ts';

/** Accepted requests, one row each, which expires by itself. */
export function replayNotes(options: TableOptions): Replays {
  const table = openTable(options);
  return {
    async isFirst(id, keepSeconds) {
      const written = await table.write(
        { pk: `taken#${id}`, sk: 'request', body: '{}', version: 1, keepSeconds },
        { kind: 'absent' },
      );
      return written.kind === 'written';
    },
  };
}
