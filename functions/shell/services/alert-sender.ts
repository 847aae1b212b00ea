import { dynamoApprovals } from '../../adapters/aws/dynamo-approvals.ts';
import { dynamoAskedRequests } from '../../adapters/aws/dynamo-asked-requests.ts';
import { dynamoIncidents } from '../../adapters/aws/dynamo-incidents.ts';
import { dynamoJointMessages } from '../../adapters/aws/dynamo-joint-messages.ts';
import { dynamoPaces } from '../../adapters/aws/dynamo-paces.ts';
import { openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { dynamoTimeline } from '../../adapters/aws/dynamo-timeline.ts';
import { dynamoViews } from '../../adapters/aws/dynamo-views.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsAlertQueue, sqsWorkQueue } from '../../adapters/aws/sqs.ts';
import { openTable } from '../../adapters/aws/table.ts';
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
  // Not all that the table has: what a bundle does not need makes cold starts slower.
  const table = openTable({ client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId });
  const client = openSqs();
  return {
    configuration,
    approvals: dynamoApprovals(table),
    askedRequests: dynamoAskedRequests(table),
    views: dynamoViews(table),
    incidents: dynamoIncidents(table),
    jointMessages: dynamoJointMessages(table),
    paces: dynamoPaces(table),
    timeline: dynamoTimeline(table),
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
