import { noLocks } from '../../core/fleet-lock/locks.ts';
import type { FleetLocks } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredLocks } from './stored/locks.ts';
import type { Table } from './table.ts';

/** Seconds, ten years: a slot ends by an unlock or by a person, never by itself. */
const keepSeconds = 10 * 365 * 24 * 3600;

const key = { pk: 'fleet-lock', sk: 'locks' };

/** The slots that machines have taken, in one row under an optimistic lock. A lock that is forgotten is a machine too
 *  many that is down, so nothing is left out. */
export function dynamoFleetLocks(table: Table): FleetLocks {
  return {
    async load() {
      const row = await table.read(key);
      return row === undefined ? noLocks : { ...readBody(StoredLocks, row), version: row.version };
    },
    save(locks) {
      const { version } = locks;
      return saveVersion(table, { ...key, keepSeconds, version, bodyOf: () => fittingBody(locks) });
    },
  };
}
