import { dynamoTables } from '../../functions/adapters/aws/dynamo-tables.ts';
import type { TableOptions } from '../../functions/adapters/aws/table.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { startEmbeddedTable } from '../../local/run/embedded-table.ts';
import { fakeClock } from '../fakes/index.ts';
import type { TablesLab } from './tables.contract.ts';

/** The table of the stack in an embedded DynamoDB, through the real adapter and the real SDK. */
export async function dynaliteTablesLab(
  options: Pick<TableOptions, 'yieldToEventLoop'> = {},
): Promise<TablesLab & { readonly table: string; readonly endpoint: string }> {
  const { client, table, endpoint, stop } = await startEmbeddedTable();
  const clock = fakeClock();
  return {
    ...dynamoTables({ newId: systemRuntime.newId, client, table, clock: clock.now, ...options }),
    clock,
    table,
    endpoint,
    close: stop,
  };
}
