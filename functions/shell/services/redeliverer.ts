import { openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { redeliveryNotes } from '../../adapters/aws/redelivery-notes.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { githubAuthorization } from '../../adapters/github/github-authorization.ts';
import { githubDeliveries } from '../../adapters/github/github-deliveries.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { RedeliverPorts } from '../../redeliver/redeliver-ports.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { RedeliverEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of redeliver: GitHub's API with the configured token, and the table. Throws Misconfigured. */
export async function redeliverer(
  environment: RedeliverEnvironment,
  { logger, metrics }: Telemetry,
): Promise<RedeliverPorts> {
  const { github } = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  if (github === undefined) throw new Misconfigured(['github is not configured']);
  const { clock, deadline, newId } = systemRuntime;
  const secrets = secretsManager({ client: openSecretsManager(), clock });
  return {
    hooks: github.hooks,
    hasLimitPerOwner: github.app !== undefined,
    deliveries: githubDeliveries({
      api: github.api,
      authorization: githubAuthorization({ settings: github, secrets, clock, deadline }),
      deadline,
    }),
    notes: redeliveryNotes({ client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId }),
    clock,
    logger,
    metrics,
  };
}
