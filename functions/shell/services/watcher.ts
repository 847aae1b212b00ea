import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { WatchPorts } from '../../watch-ticks/watch-ticks.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { WatchTicksEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of watch-ticks: read access to the table. Throws Misconfigured. */
export async function watcher(environment: WatchTicksEnvironment, { logger, metrics }: Telemetry): Promise<WatchPorts> {
  const { clusters } = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  const { clock, newId } = systemRuntime;
  const { checkpoints } = dynamoTables({ client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId });
  return { clusters: clusters.map(({ name }) => name), checkpoints, clock, logger, metrics };
}
