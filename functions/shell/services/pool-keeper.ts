import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { eventBridgeBus, openEventBridge } from '../../adapters/aws/eventbridge.ts';
import { ruleFunctions } from '../../adapters/aws/rule-functions.ts';
import { secretWriter } from '../../adapters/aws/secret-writer.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsAlertQueue, sqsRequestQueue, sqsWorkQueue } from '../../adapters/aws/sqs.ts';
import { calendarServers } from '../../adapters/calendars/calendar-servers.ts';
import { ruleCalls } from '../../adapters/tickets/rule-calls.ts';
import { ticketService } from '../../adapters/tickets/ticket-service.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import type { KeepPorts } from '../../keep-pools/keep-ports.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { KeepPoolsEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { clusters } from './clusters.ts';
import { configurationPath } from './configuration-path.ts';
import { namesAtGithub, pushedChanges } from './pushed-changes.ts';
import { tablesOfRelay } from './tables-of-relay.ts';
import { translatedPorts } from './translated-ports.ts';

export interface PoolKeeperRights {
  /** May write the secrets of the clusters' tokens. Only one function does, so that only one role can. */
  readonly renewsTokens: boolean;
}

/** The dependencies of keep-pools and the handshake. `secrets` also reads the tokens of callers. Throws
 *  Misconfigured. */
export async function poolKeeper(
  environment: KeepPoolsEnvironment,
  { logger, metrics }: Telemetry,
  { renewsTokens }: PoolKeeperRights,
): Promise<KeepPorts & { readonly secrets: Secrets }> {
  const configuration = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  const { clock, deadline, newId, sleep, backgroundSleep, yieldToEventLoop } = systemRuntime;
  const secretStore = openSecretsManager();
  const secrets = secretsManager({ client: secretStore, clock });
  const sqs = openSqs();
  const stored = { client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId, yieldToEventLoop };
  return translatedPorts({
    configuration,
    // A queue belongs to one installation, and its address names account, region and stage.
    installation: fingerprint(environment.WORK_QUEUE_URL),
    secrets,
    ...clusters({
      configuration,
      secrets,
      writer: renewsTokens ? secretWriter(secretStore) : undefined,
      runtime: systemRuntime,
      logger,
    }),
    ...dynamoTables(stored),
    tickets: ticketService({ secrets, clock, deadline }),
    ruleCalls: ruleCalls({ secrets, deadline }),
    ruleFunctions: ruleFunctions({
      credentials: () => sqs.config.credentials(),
      region: () => sqs.config.region(),
      clock,
      deadline,
    }),
    calendarServers: calendarServers({ secrets, deadline }),
    changes: pushedChanges(configuration.github, { secrets, ...systemRuntime }),
    repositoryNames: namesAtGithub(configuration.github, { secrets, ...systemRuntime }),
    ...tablesOfRelay(configuration, stored),
    work: sqsWorkQueue({ client: sqs, url: environment.WORK_QUEUE_URL }),
    requests: sqsRequestQueue({ client: sqs, url: environment.ALERT_QUEUE_URL }),
    alerts: sqsAlertQueue({ client: sqs, url: environment.ALERT_QUEUE_URL }),
    bus: eventBridgeBus({ client: openEventBridge(), bus: environment.BUS_NAME }),
    clock,
    // A wait that is no longer needed must not keep a container alive.
    sleep: backgroundSleep,
    wait: sleep,
    yieldToEventLoop,
    logger,
    metrics,
  });
}
