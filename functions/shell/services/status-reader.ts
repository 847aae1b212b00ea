import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { StatusPorts } from '../../status/read-status.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { StatusEnvironment } from '../environment.ts';
import { liveSecret } from '../live-secret.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of the status page: the table, and no cluster. Readers need the token. Throws Misconfigured. */
export async function statusReader(environment: StatusEnvironment, { logger }: Telemetry): Promise<StatusPorts> {
  const configuration = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  const { clock, newId } = systemRuntime;
  const secrets = secretsManager({ client: openSecretsManager(), clock });
  return {
    ...dynamoTables({ client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId }),
    configuration,
    clock,
    newId,
    token: liveSecret({ secrets, secret: environment.STATUS_TOKEN_SECRET_ARN, clock }),
    logger,
  };
}
