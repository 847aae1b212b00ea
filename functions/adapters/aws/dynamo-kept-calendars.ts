import { Transient } from '../../core/text/errors.ts';
import type { KeptCalendars } from '../../ports/tables.ts';
import { readBody } from './body.ts';
import { packText, unpackText } from './packed-text.ts';
import { StoredKeptCalendar } from './stored/kept-calendar.ts';
import type { Table } from './table.ts';

/** Seconds: longer than any copy counts, so that the gate can say how old it is. */
const keepSeconds = 30 * 24 * 3600;

/** Characters of base64; DynamoDB limits an item to 400 KiB. A calendar of 1 MiB has about a tenth of it. */
const packedAtMost = 380 * 1024;

/** Copies of calendars, one compressed row each. The version is the time of the attempt. */
export function dynamoKeptCalendars(table: Table): KeptCalendars {
  const keyOf = (id: string) => ({ pk: `calendar#${id}`, sk: 'copy' });
  return {
    async load(id) {
      const row = await table.read(keyOf(id));
      if (row === undefined) return undefined;
      const body = await unpackText(row.body);
      return readBody(StoredKeptCalendar, { ...row, body: body ?? '' });
    },
    async save(kept) {
      const body = await packText(JSON.stringify(kept));
      if (body.length > packedAtMost) throw new Transient('a calendar is too long to be kept');
      await table.write(
        { ...keyOf(kept.id), body, version: Date.parse(kept.triedAt), keepSeconds },
        { kind: 'not later' },
      );
    },
  };
}
