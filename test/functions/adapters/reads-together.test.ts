import { BatchGetItemCommand, type DynamoDBClient, type GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { openDynamoDb } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { openTable } from '../../../functions/adapters/aws/table.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { dynaliteTablesLab } from '../../contracts/dynalite-labs.ts';
import { startStub } from './stub-server.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** The real table, the names of its commands, and a way to answer one of them otherwise. */
async function tableLab() {
  const lab = await dynaliteTablesLab();
  const client = openDynamoDb({ endpoint: lab.endpoint, region: 'us-east-1', credentials });
  const sent: (BatchGetItemCommand | GetItemCommand)[] = [];
  const send = client.send.bind(client);
  const noted = {
    send: (command: BatchGetItemCommand | GetItemCommand) => {
      sent.push(command);
      return send(command as GetItemCommand);
    },
  } as unknown as DynamoDBClient;
  const { newId, yieldToEventLoop } = systemRuntime;
  const table = openTable({ client: noted, table: lab.table, clock: lab.clock.now, newId, yieldToEventLoop });
  for (const sk of ['a', 'b', 'c', 'd', 'e'])
    await table.write({ pk: 'row', sk, body: sk, version: 1, keepSeconds: 60 }, { kind: 'absent' });
  sent.splice(0);
  return {
    table,
    clock: lab.clock,
    commands: () => sent.map((command) => (command instanceof BatchGetItemCommand ? 'several' : 'one')),
    consistent: () =>
      sent.every(({ input }) =>
        'RequestItems' in input
          ? Object.values(input.RequestItems ?? {}).every(({ ConsistentRead }) => ConsistentRead === true)
          : 'ConsistentRead' in input && input.ConsistentRead === true,
      ),
    read: async (...keys: readonly string[]) =>
      (await Promise.all(keys.map((sk) => table.read({ pk: 'row', sk })))).map((row) => row?.body),
    stop: async () => {
      client.destroy();
      await lab.close();
    },
  };
}

describe('reads of the table that begin together', () => {
  test('[C-1] are one consistent request, in the order of their keys, with each row once', async () => {
    const lab = await tableLab();

    const rows = await lab.read('b', 'none', 'a', 'b');

    expect(rows).toEqual(['b', undefined, 'a', 'b']);
    expect(lab.commands()).toEqual(['several']);
    expect(lab.consistent()).toBe(true);
    await lab.stop();
  });

  test('of which there are many are several requests, and one alone is one', async () => {
    const lab = await tableLab();

    const many = await lab.read('a', 'b', 'c', 'd', 'e');
    const alone = await lab.read('e');

    expect([...many, ...alone]).toEqual(['a', 'b', 'c', 'd', 'e', 'e']);
    expect(lab.commands().toSorted()).toEqual(['one', 'one', 'several']);
    expect(lab.consistent()).toBe(true);
    await lab.stop();
  });

  test('find no row that has expired', async () => {
    const lab = await tableLab();
    lab.clock.advance(61);

    expect(await lab.read('a', 'b')).toEqual([undefined, undefined]);
    await lab.stop();
  });

  test('fail together, with what DynamoDB says', async () => {
    const stub = await startStub(() => ({ status: 400, body: { __type: 'ValidationException', message: 'said so' } }));
    const client = openDynamoDb({ endpoint: stub.url, region: 'us-east-1', credentials, maxAttempts: 1 });
    const { newId, clock, yieldToEventLoop } = systemRuntime;
    const table = openTable({ client, table: 'state', clock, newId, yieldToEventLoop });

    const ended = await Promise.allSettled(['a', 'b'].map((sk) => table.read({ pk: 'row', sk })));

    expect(ended.map((each) => each.status === 'rejected' && each.reason)).toEqual([
      expect.any(Transient),
      expect.any(Transient),
    ]);
    expect(stub.seen).toHaveLength(1);
    client.destroy();
  });

  test('what DynamoDB leaves of them is read by itself: throttled does not mean absent', async () => {
    const item = (sk: string) => ({
      ...{ pk: { S: 'row' }, sk: { S: sk }, body: { S: sk } },
      ...{ version: { N: '1' }, writer: { S: 'w' }, ttl: { N: '9999999999' } },
    });
    const stub = await startStub(({ headers }) =>
      String(headers['x-amz-target']).endsWith('.BatchGetItem')
        ? {
            body: {
              Responses: { state: [item('a')] },
              UnprocessedKeys: { state: { Keys: [{ pk: { S: 'row' }, sk: { S: 'b' } }] } },
            },
          }
        : { body: { Item: item('b') } },
    );
    const client = openDynamoDb({ endpoint: stub.url, region: 'us-east-1', credentials });
    const { newId, clock, yieldToEventLoop } = systemRuntime;
    const table = openTable({ client, table: 'state', clock, newId, yieldToEventLoop });

    const rows = await Promise.all(['a', 'b'].map((sk) => table.read({ pk: 'row', sk })));

    expect(rows.map((row) => row?.body)).toEqual(['a', 'b']);
    expect(stub.seen.map(({ headers }) => headers['x-amz-target'])).toEqual([
      'DynamoDB_20120810.BatchGetItem',
      'DynamoDB_20120810.GetItem',
    ]);
    client.destroy();
  });
});
