import type { SequenceRequests } from '../../ports/tables.ts';
import { readBody } from './body.ts';
import { StoredSequenceRequest } from './stored/sequence-request.ts';
import type { Table } from './table.ts';

/** Seconds: a day, after which nobody means it any more. */
const keepSeconds = 24 * 3600;
/** People ask a few times a day. */
const mostLoaded = 100;

/** One row for each request. The record of the sequence says which are taken. */
export function dynamoSequenceRequests(table: Table): SequenceRequests {
  return {
    async save(asked) {
      const version = Date.parse(asked.request.said.at);
      const row = { pk: partitionOf(asked.sequence), sk: asked.id, body: JSON.stringify(asked), version, keepSeconds };
      await table.write(row, { kind: 'not newer' });
    },
    async list(sequence) {
      const rows = await table.query({ pk: partitionOf(sequence), limit: mostLoaded, consistent: true });
      return rows.map((row) => readBody(StoredSequenceRequest, row));
    },
  };
}

function partitionOf(sequence: string): string {
  return `sequence-request#${sequence}`;
}
