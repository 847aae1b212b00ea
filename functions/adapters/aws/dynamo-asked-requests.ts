import { AskedRequest } from '../../core/requests/asked-request.ts';
import type { AskedRequests } from '../../ports/tables.ts';
import { readBody } from './body.ts';
import type { Table } from './table.ts';

/** Seconds: a day, after which nobody means it any more. */
const keepSeconds = 24 * 3600;

/** One row for each request. */
export function dynamoAskedRequests(table: Table): AskedRequests {
  return {
    async load(id) {
      const row = await table.read(keyOf(id));
      return row && readBody(AskedRequest, row);
    },
    async save(asked) {
      const { version: was } = asked;
      const version = was + 1;
      const draft = { ...keyOf(asked.id), body: JSON.stringify({ ...asked, version }), version, keepSeconds };
      const written = await table.write(draft, was === 0 ? { kind: 'absent' } : { kind: 'version', version: was });
      return written.kind === 'written';
    },
  };
}

function keyOf(id: string) {
  return { pk: `asked-request#${id}`, sk: 'request' };
}
