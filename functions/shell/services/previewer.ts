import { openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import { Misconfigured } from '../../core/text/errors.ts';
import type { PreviewPorts } from '../../preview-changes/preview-ports.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { PreviewChangesEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { clusters } from './clusters.ts';
import { configurationPath } from './configuration-path.ts';
import { pullPreviews } from './pull-previews.ts';

/** The dependencies of preview-changes: GitHub's API, the table, and read access to the clusters. It renews no token.
 *  Throws Misconfigured. */
export async function previewer(
  environment: PreviewChangesEnvironment,
  { logger, metrics }: Telemetry,
): Promise<PreviewPorts> {
  const configuration = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  const { github } = configuration;
  if (github?.preview === undefined) throw new Misconfigured(['github.preview is not configured']);
  const secrets = secretsManager({ client: openSecretsManager(), ...systemRuntime });
  return pullPreviews({
    configuration,
    github,
    settings: github.preview,
    ...clusters({ configuration, secrets, writer: undefined, runtime: systemRuntime, logger }),
    stored: { client: openDynamoDb(), table: environment.TABLE_NAME },
    secrets,
    runtime: systemRuntime,
    logger,
    metrics,
  });
}
