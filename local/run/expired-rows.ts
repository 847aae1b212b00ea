import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { Logger } from '../../functions/ports/telemetry.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { OpenTable } from './embedded-table.ts';

/** Seconds between two sweeps: a day. Rows that have expired no longer count; they only take space. */
const sweepEverySeconds = 24 * 3600;

/** Deletes what has expired from a table whose server does not: now and once a day. The returned function ends it. */
export function startDeletingExpired(table: OpenTable, clock: AcceleratedClock, logger: Logger): () => Promise<void> {
  let timer: { cancel(): void } | undefined;
  let stopped = false;
  let sweeping = sweep();

  async function sweep(): Promise<void> {
    try {
      const deleted = await deleteExpired(table, clock.now(), () => stopped);
      if (deleted > 0) logger.info('expired rows are deleted', { deleted });
    } catch (error) {
      logger.warn('expired rows could not be deleted; tried again tomorrow', { error });
    }
    if (!stopped) timer = clock.setTimeout(again, sweepEverySeconds * 1000);
  }

  function again(): void {
    sweeping = sweep();
  }

  return async () => {
    stopped = true;
    timer?.cancel();
    await sweeping;
  };
}

/** How many rows were deleted. A row without expiry, such as a counter, stays. */
async function deleteExpired({ client, table }: OpenTable, now: Date, isEnough: () => boolean): Promise<number> {
  const expired = {
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now.getTime() / 1000)) } },
  };
  let deleted = 0;
  let start: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ...expired,
        FilterExpression: '#ttl <= :now',
        ProjectionExpression: 'pk, sk',
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
    );
    for (const { pk, sk } of page.Items ?? []) {
      if (isEnough() || pk === undefined || sk === undefined) return deleted;
      const row = { TableName: table, Key: { pk, sk }, ConditionExpression: '#ttl <= :now', ...expired };
      if (await deleteOne(client, row)) deleted += 1;
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return deleted;
}

/** False: it was written anew meanwhile. */
async function deleteOne(client: DynamoDBClient, row: DeleteItemCommandInput): Promise<boolean> {
  try {
    await client.send(new DeleteItemCommand(row));
    return true;
  } catch (cause) {
    if (cause instanceof ConditionalCheckFailedException) return false;
    throw cause;
  }
}
