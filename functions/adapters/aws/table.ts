import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { given } from '../../core/text/given.ts';
import type { Clock, NewId, YieldToEventLoop } from '../../ports/time.ts';
import { awsFailure } from './aws-failure.ts';
import { readsTogether } from './reads-together.ts';
import { type Item, itemOf, type Row, rowOf } from './row.ts';

export interface TableOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
  /** Id of the writer of a row. */
  readonly newId: NewId;
  /** Reads that begin together are one request, for which the right to BatchGetItem is needed; absent: each is one. */
  readonly yieldToEventLoop?: YieldToEventLoop | undefined;
}

export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

/** A row to be written; `writer` and `ttl` are filled in. */
export interface Draft extends RowKey {
  readonly body: string;
  readonly version: number;
  /** Seconds from now to its expiry. */
  readonly keepSeconds: number;
}

/** On what condition a draft is written. `absent`: nothing is stored, or it has expired. `version`: that version is
 *  stored. `not newer`: the stored version is not higher. `not later`: the same of versions that are instants in
 *  milliseconds, but one of more than an hour from now counts as earlier: a clock that was set back since has written
 *  it, and nothing else would be stored until then. */
export type Condition =
  | { readonly kind: 'absent' }
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'not newer' }
  | { readonly kind: 'not later' };

export type Written =
  | { readonly kind: 'written' }
  /** The condition did not hold; `stored` is the row that is there. */
  | { readonly kind: 'refused'; readonly stored: Row | undefined };

export interface QueryOptions {
  readonly pk: string;
  /** What the sort key begins with. */
  readonly prefix?: string;
  readonly newestFirst?: boolean;
  /** Rows in total, over all pages. */
  readonly limit?: number;
  readonly consistent?: boolean;
}

/** The one table: keys `pk` and `sk`, expiry `ttl`. Expiry is always tested here; DynamoDB's own deletion (days late)
 *  only cleans up. Throws Transient and nothing else. */
export interface Table {
  read(key: RowKey): Promise<Row | undefined>;
  query(options: QueryOptions): Promise<readonly Row[]>;
  write(draft: Draft, condition: Condition): Promise<Written>;
  /** Adds one to a counter and returns it. */
  increment(key: RowKey): Promise<number>;
  /** The first text ever stored under the key: `text` itself, or an earlier one. */
  remember(key: RowKey, text: string, keepSeconds: number): Promise<string>;
}

export function openTable({ client, table, clock, newId, yieldToEventLoop }: TableOptions): Table {
  const nowSeconds = () => Math.floor(clock().getTime() / 1000);
  const isLive = (row: Row) => row.ttl > nowSeconds();

  async function readOne(key: RowKey): Promise<Row | undefined> {
    const { Item: item } = await client
      .send(new GetItemCommand({ TableName: table, Key: keyOf(key), ConsistentRead: true }))
      .catch(failed('GetItem'));
    const row = item && rowOf(item);
    return row && isLive(row) ? row : undefined;
  }

  async function readSeveral(keys: readonly RowKey[]): Promise<readonly (Row | undefined | 'left')[]> {
    const asked = { [table]: { Keys: keys.map(keyOf), ConsistentRead: true } };
    const { Responses: found = {}, UnprocessedKeys: left = {} } = await client
      .send(new BatchGetItemCommand({ RequestItems: asked }))
      .catch(failed('BatchGetItem'));
    const rows = (found[table] ?? []).map(rowOf);
    const unread = (left[table]?.Keys ?? []).map(rowOf);
    return keys.map(({ pk, sk }) => {
      const isIt = (row: Row) => row.pk === pk && row.sk === sk;
      if (unread.some(isIt)) return 'left';
      return rows.find((row) => isIt(row) && isLive(row));
    });
  }

  const read =
    yieldToEventLoop === undefined ? readOne : readsTogether({ one: readOne, several: readSeveral, yieldToEventLoop });

  async function write(draft: Draft, condition: Condition): Promise<Written> {
    const { keepSeconds, ...rest } = draft;
    const row: Row = { ...rest, writer: newId(), ttl: nowSeconds() + keepSeconds };
    try {
      await client.send(
        new PutItemCommand({
          TableName: table,
          Item: itemOf(row),
          ...conditionOf(condition, draft, nowSeconds()),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { kind: 'written' };
    } catch (cause) {
      if (!(cause instanceof ConditionalCheckFailedException)) throw awsFailure('DynamoDB PutItem', cause);
      const stored = cause.Item === undefined ? await readOne(draft) : rowOf(cause.Item);
      // The answer to our own write was lost, and the SDK repeated the write.
      return stored?.writer === row.writer ? { kind: 'written' } : { kind: 'refused', stored };
    }
  }

  async function query({ limit = Number.POSITIVE_INFINITY, ...options }: QueryOptions): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let start: Item | undefined;
    do {
      const page = await client
        .send(new QueryCommand({ TableName: table, ...queryOf(options), ...pageOf(start, limit) }))
        .catch(failed('Query'));
      rows.push(...(page.Items ?? []).map(rowOf).filter(isLive));
      start = page.LastEvaluatedKey;
    } while (start !== undefined && rows.length < limit);
    return rows.slice(0, limit);
  }

  async function increment(key: RowKey): Promise<number> {
    const { Attributes: attributes } = await client
      .send(
        new UpdateItemCommand({
          TableName: table,
          Key: keyOf(key),
          UpdateExpression: 'ADD #count :one',
          ExpressionAttributeNames: { '#count': 'count' },
          ExpressionAttributeValues: { ':one': { N: '1' } },
          ReturnValues: 'UPDATED_NEW',
        }),
      )
      .catch(failed('UpdateItem'));
    return Number(attributes?.['count']?.N);
  }

  async function remember(key: RowKey, text: string, keepSeconds: number): Promise<string> {
    const { Attributes: attributes } = await client
      .send(
        new UpdateItemCommand({
          TableName: table,
          Key: keyOf(key),
          UpdateExpression: 'SET #text = if_not_exists(#text, :text), #ttl = if_not_exists(#ttl, :ttl)',
          ExpressionAttributeNames: { '#text': 'body', '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':text': { S: text }, ':ttl': { N: String(nowSeconds() + keepSeconds) } },
          ReturnValues: 'ALL_NEW',
        }),
      )
      .catch(failed('UpdateItem'));
    return attributes?.['body']?.S ?? text;
  }

  return { read, query, write, increment, remember };
}

function keyOf({ pk, sk }: RowKey): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** Seconds by which two clocks may differ. */
const furthestSeconds = 3600;

function conditionOf(condition: Condition, draft: Draft, nowSeconds: number) {
  const expired = { names: { '#ttl': 'ttl' }, values: { ':now': { N: String(nowSeconds) } } };
  switch (condition.kind) {
    case 'absent':
      return {
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
        ExpressionAttributeNames: expired.names,
        ExpressionAttributeValues: expired.values,
      };
    case 'version':
      return {
        ConditionExpression: '#version = :version AND #ttl > :now',
        ExpressionAttributeNames: { ...expired.names, '#version': 'version' },
        ExpressionAttributeValues: { ...expired.values, ':version': { N: String(condition.version) } },
      };
    case 'not newer':
      return {
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now OR #version <= :version',
        ExpressionAttributeNames: { ...expired.names, '#version': 'version' },
        ExpressionAttributeValues: { ...expired.values, ':version': { N: String(draft.version) } },
      };
    case 'not later':
      return {
        ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now OR #version <= :version OR #version > :furthest',
        ExpressionAttributeNames: { ...expired.names, '#version': 'version' },
        ExpressionAttributeValues: {
          ...expired.values,
          ':version': { N: String(draft.version) },
          ':furthest': { N: String((nowSeconds + furthestSeconds) * 1000) },
        },
      };
    default:
      return condition satisfies never;
  }
}

function queryOf({ pk, prefix, newestFirst = false, consistent = false }: Omit<QueryOptions, 'limit'>) {
  return {
    KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: {
      ':pk': { S: pk },
      ...(prefix === undefined ? {} : { ':prefix': { S: prefix } }),
    },
    ScanIndexForward: !newestFirst,
    ConsistentRead: consistent,
  };
}

function pageOf(start: Item | undefined, limit: number) {
  return {
    ...given({ ExclusiveStartKey: start }),
    ...(Number.isFinite(limit) ? { Limit: limit } : {}),
  };
}

function failed(operation: string): (cause: unknown) => never {
  return (cause) => {
    throw awsFailure(`DynamoDB ${operation}`, cause);
  };
}
