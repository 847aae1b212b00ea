import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { dynamoTables, openDynamoDb } from '../../functions/adapters/aws/dynamo-tables.ts';
import { fakeClock } from '../fakes/index.ts';
import type { TablesLab } from './tables.contract.ts';

/** The table of the stack in an embedded DynamoDB, through the real adapter and the real SDK. */
export async function dynaliteTablesLab(): Promise<TablesLab & { readonly table: string; readonly endpoint: string }> {
  const table = 'poolkeeper';
  const server: Server = dynalite({ createTableMs: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const client = openDynamoDb({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  const clock = fakeClock();
  return {
    ...dynamoTables({ client, table, clock: clock.now }),
    clock,
    table,
    endpoint,
    async close() {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
