import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** One item of the table. The content is one JSON text: its size is known before the write, and DynamoDB's limit of 32
 *  nested levels does not apply. */
export interface Row {
  readonly pk: string;
  readonly sk: string;
  readonly body: string;
  /** Optimistic lock; 0 if unused. */
  readonly version: number;
  /** Id of the writer, one per write: distinguishes a lost race from a lost answer. */
  readonly writer: string;
  /** Unix seconds after which the row no longer counts, deleted or not. */
  readonly ttl: number;
}

export type Item = Record<string, AttributeValue>;

export function itemOf(row: Row): Item {
  return {
    pk: { S: row.pk },
    sk: { S: row.sk },
    body: { S: row.body },
    version: { N: String(row.version) },
    writer: { S: row.writer },
    ttl: { N: String(row.ttl) },
  };
}

export function rowOf(item: Item): Row {
  return {
    pk: item['pk']?.S ?? '',
    sk: item['sk']?.S ?? '',
    body: item['body']?.S ?? '',
    version: Number(item['version']?.N ?? 0),
    writer: item['writer']?.S ?? '',
    ttl: Number(item['ttl']?.N ?? 0),
  };
}
