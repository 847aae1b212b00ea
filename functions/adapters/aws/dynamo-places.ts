import { noPlaces } from '../../core/budget/place.ts';
import type { BudgetPlaces } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredPlaces } from './stored/places.ts';
import type { Table } from './table.ts';

/** Seconds: longer than any place counts, so that only what ended long ago is forgotten. */
const keepSeconds = 30 * 24 * 3600;

const key = { pk: 'budget', sk: 'places' };

/** The places of the budget in one row, under an optimistic lock. Nothing is left out where space is short: a place
 *  that is forgotten is a place too many. */
export function dynamoPlaces(table: Table): BudgetPlaces {
  return {
    async load() {
      const row = await table.read(key);
      return row === undefined ? noPlaces : { ...readBody(StoredPlaces, row), version: row.version };
    },
    save(places) {
      const { version } = places;
      return saveVersion(table, { ...key, keepSeconds, version, bodyOf: () => fittingBody(places, []) });
    },
  };
}
