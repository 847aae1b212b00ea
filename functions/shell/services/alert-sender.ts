import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsAlertQueue, sqsWorkQueue } from '../../adapters/aws/sqs.ts';
import { messengersFor } from '../../adapters/messengers/messenger-for.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { AttendPorts } from '../../send-alerts/attend-incident.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { SendAlertsEnvironment } from '../environment.ts';
import { product } from '../product.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of send-alerts: Slack and SES, with secrets read when a message is sent. There is no outbox on AWS
 *  and no SMTP server. Throws Misconfigured. */
export async function alertSender(
  environment: SendAlertsEnvironment,
  { logger, metrics }: Telemetry,
): Promise<AttendPorts> {
  const configuration = await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG));
  const { clock, deadline, newId, random } = systemRuntime;
  const secrets = secretsManager({ client: openSecretsManager(), clock });
  const { approvals, askedRequests, incidents, jointMessages, paces, timeline, views } = dynamoTables({
    client: openDynamoDb(),
    table: environment.TABLE_NAME,
    clock,
    newId,
  });
  const client = openSqs();
  return {
    configuration,
    approvals,
    askedRequests,
    views,
    incidents,
    jointMessages,
    paces,
    timeline,
    alerts: sqsAlertQueue({ client, url: environment.ALERT_QUEUE_URL }),
    work: sqsWorkQueue({ client, url: environment.WORK_QUEUE_URL }),
    messengerOf: messengersFor({
      secrets,
      clock,
      deadline,
      configurationSet: environment.SES_CONFIGURATION_SET,
    }),
    clock,
    random,
    newOwner: newId,
    logger,
    metrics,
    product,
  };
}
