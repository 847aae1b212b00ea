import type { ShownSequence } from '../../core/sequences/shown-sequence.ts';
import { Transient } from '../../core/text/errors.ts';
import type { SequenceViews } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import type { Row } from './row.ts';
import { StoredShownSequence } from './stored/shown-sequence.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days. Each sweep writes it again. */
const keepSeconds = 30 * 24 * 3600;

/** One row per sequence. A slow pass does not overwrite what a later look found. */
export function dynamoSequenceViews(table: Table): SequenceViews {
  return {
    async save(view) {
      const version = Date.parse(view.readAt);
      const draft = { pk: 'sequence', sk: view.sequence, body: fittingBody(view, cuts), version, keepSeconds };
      await table.write(draft, { kind: 'not later' });
    },
    async list() {
      const rows = await table.query({ pk: 'sequence' });
      return rows.flatMap(viewOf);
    },
  };
}

/** What an earlier or later version wrote is replaced by the next sweep, and hides no other. */
function viewOf(row: Row): readonly ShownSequence[] {
  try {
    return [readBody(StoredShownSequence, row)];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [];
  }
}

const cuts = [
  (view: ShownSequence): ShownSequence => ({
    ...view,
    log: view.log.slice(-5),
    waves: view.waves.map((wave) => ({ ...wave, shown: wave.shown.slice(0, 3) })),
  }),
];
