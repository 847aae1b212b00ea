import { unpaced } from '../../core/alerts/pace.ts';
import type { Paces } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredPace } from './stored/pace.ts';
import type { Table } from './table.ts';

/** Seconds: a day. Longer than any turn that is given out. */
const keepSeconds = 24 * 3600;

/** One row for each channel, under an optimistic lock. */
export function dynamoPaces(table: Table): Paces {
  return {
    async load(channel) {
      const row = await table.read(keyOf(channel));
      return row === undefined ? unpaced : { ...readBody(StoredPace, row), version: row.version };
    },
    save(channel, pace) {
      const { version } = pace;
      return saveVersion(table, { ...keyOf(channel), keepSeconds, version, bodyOf: () => fittingBody(pace, []) });
    },
  };
}

function keyOf(channel: string) {
  return { pk: 'pace', sk: channel };
}
