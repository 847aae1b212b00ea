import type { RuleCallbacks } from '../../ports/tables.ts';
import type { NewId } from '../../ports/time.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredRuleCallback } from './stored/rule-callback.ts';
import type { Table } from './table.ts';

/** Seconds, 30 days: an attempt lasts a week at most, and its turn may wait for a person after it. */
const keepSeconds = 30 * 24 * 3600;

/** One row for each event. A token is two random UUIDs: 244 bits. */
export function dynamoRuleCallbacks(table: Table, newId: NewId): RuleCallbacks {
  return {
    newToken: () => `${newId()}${newId()}`.replaceAll('-', ''),
    async load(id) {
      const row = await table.read(keyOf(id));
      return row === undefined ? undefined : { ...readBody(StoredRuleCallback, row), version: row.version };
    },
    save(callback) {
      const { version } = callback;
      return saveVersion(table, { ...keyOf(callback.id), keepSeconds, version, bodyOf: () => fittingBody(callback) });
    },
  };
}

function keyOf(id: string) {
  return { pk: `rule-callback#${id}`, sk: 'callback' };
}
