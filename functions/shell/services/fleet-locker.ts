import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { FleetLockPorts } from '../../fleet-lock/fleet-lock.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { FleetLockEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of fleet-lock: its groups and their tokens, and the table. Throws Misconfigured. */
export async function fleetLocker(
  { TABLE_NAME, POOLKEEPER_CONFIG }: FleetLockEnvironment,
  telemetry: Telemetry,
): Promise<FleetLockPorts> {
  const { fleetLock } = await loadConfiguration(configurationPath(POOLKEEPER_CONFIG));
  if (fleetLock === undefined) throw new Misconfigured(['fleetLock is missing in the configuration']);
  const { clock, newId } = systemRuntime;
  const { fleetLocks, timeline } = dynamoTables({ client: openDynamoDb(), table: TABLE_NAME, clock, newId });
  return {
    fleetLock,
    locks: fleetLocks,
    timeline,
    secrets: secretsManager({ client: openSecretsManager(), clock }),
    clock,
    newId,
    ...telemetry,
  };
}
