import type { ShownRun } from '../../core/node-turns/shown-run.ts';
import { Transient } from '../../core/text/errors.ts';
import type { RunViews } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import type { Row } from './row.ts';
import { StoredShownRun } from './stored/shown-run.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days. */
const keepSeconds = 30 * 24 * 3600;

/** One row per run. A slow pass does not overwrite what a later look found. */
export function dynamoRunViews(table: Table): RunViews {
  return {
    async save(view) {
      const version = Date.parse(view.readAt);
      const draft = { pk: 'run', sk: view.run, body: fittingBody(view, cuts), version, keepSeconds };
      await table.write(draft, { kind: 'not later' });
    },
    async list() {
      const rows = await table.query({ pk: 'run' });
      return rows.flatMap(viewOf);
    },
  };
}

/** What an earlier or later version wrote is replaced by the next look, and hides no other. */
function viewOf(row: Row): readonly ShownRun[] {
  try {
    return [readBody(StoredShownRun, row)];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [];
  }
}

const cuts = [
  (view: ShownRun): ShownRun => ({ ...view, log: view.log.slice(-5), tiles: view.tiles.map(withoutTail) }),
  (view: ShownRun): ShownRun => ({ ...view, log: [], tiles: view.tiles.slice(0, 30).map(withoutTail) }),
];

function withoutTail(tile: ShownRun['tiles'][number]): ShownRun['tiles'][number] {
  return { ...tile, tail: [] };
}
