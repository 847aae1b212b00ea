import { once } from 'node:events';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { openDynamoDb } from '../../functions/adapters/aws/dynamo-tables.ts';
import { answerForDisk } from './refused-by-disk.ts';
import { soundStore } from './sound-store.ts';

const tableName = 'poolkeeper';

/** A table of DynamoDB, wherever it is. */
export interface OpenTable {
  readonly client: DynamoDBClient;
  /** Its name. */
  readonly table: string;
}

export interface EmbeddedTable extends OpenTable {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** DynamoDB in this process, with the same table as in the stack. Throws Misconfigured for a folder that cannot be
 *  used.
 *  @param path folder that keeps it between runs; undefined: it is in memory
 *  @param tell of a folder that was damaged, what was done */
export async function startEmbeddedTable(
  path?: string,
  tell: (done: string) => void = () => undefined,
): Promise<EmbeddedTable> {
  const done = path === undefined ? undefined : await soundStore(path);
  if (done !== undefined) tell(done);
  answerForDisk();
  const server = dynalite({ createTableMs: 0, ...(path === undefined ? {} : { path }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const endpoint = `http://127.0.0.1:${port}`;
  const client = openDynamoDb({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await createTable(client);
  return {
    client,
    endpoint,
    table: tableName,
    async stop() {
      client.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function createTable(client: DynamoDBClient): Promise<void> {
  const { TableNames: known } = await client.send(new ListTablesCommand({}));
  if (known?.includes(tableName)) return;
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
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
  await waitUntilActive(client);
}

/** The table is created a moment after the request; until then it cannot be read. */
async function waitUntilActive(client: DynamoDBClient): Promise<void> {
  for (let looks = 0; looks < 100; looks += 1) {
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    if (table?.TableStatus === 'ACTIVE') return;
  }
}
