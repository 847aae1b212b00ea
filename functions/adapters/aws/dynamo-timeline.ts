import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { Timeline } from '../../ports/tables.ts';
import { inPieces } from '../in-pieces.ts';
import { fittingBody, readBody } from './body.ts';
import { StoredTimelineEntry } from './stored/view.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days, enough to review a month's changes. */
const keepSeconds = 30 * 24 * 3600;

/** All entries in one partition, by time, so that the newest are one query. A repeated entry may have another time (if
 *  a pass crashed and is repeated): the sort key that its id got first is stored and used again. */
export function dynamoTimeline(table: Table): Timeline {
  async function append(entry: TimelineEntry, index: number): Promise<void> {
    const place = `${new Date(entry.at).toISOString()}#${String(index).padStart(4, '0')}`;
    const first = await table.remember({ pk: `told#${entry.id}`, sk: 'place' }, place, keepSeconds);
    const body = fittingBody(entry, [(large) => ({ ...large, text: large.text.slice(0, 4096) })]);
    await table.write(
      { pk: 'timeline', sk: `${first}#${entry.id}`, body, version: 0, keepSeconds },
      { kind: 'absent' },
    );
  }

  return {
    async append(entries) {
      await inPieces(entries, atOnce, append);
    },
    async latest(limit) {
      const rows = await table.query({ pk: 'timeline', newestFirst: true, limit });
      return rows.map((row) => readBody(StoredTimelineEntry, row));
    },
  };
}

/** Parallel writes. */
const atOnce = 10;
