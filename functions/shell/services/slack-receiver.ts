import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { replayNotes } from '../../adapters/aws/replay-notes.ts';
import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsAttentionQueue, sqsRequestQueue } from '../../adapters/aws/sqs.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { ReceiveSlackPorts } from '../../receive-slack/receive-slack-ports.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { ReceiveSlackEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** Milliseconds. Slack hangs up after 3 s, including a cold start. */
const patience = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 500, requestTimeout: 800, throwOnRequestTimeout: true },
};

/** The dependencies of receive-slack: its secret, its notes of accepted requests, and the alert queue. Throws
 *  Misconfigured. */
export async function slackReceiver(
  { ALERT_QUEUE_URL, TABLE_NAME, SLACK_SIGNING_SECRET_ARN, POOLKEEPER_CONFIG }: ReceiveSlackEnvironment,
  { logger, metrics }: Telemetry,
): Promise<ReceiveSlackPorts> {
  const { clock, newId } = systemRuntime;
  const stored = { client: openDynamoDb(patience), table: TABLE_NAME, clock, newId };
  const { approvals, askedRequests, sequenceRequests, timeline } = dynamoTables(stored);
  const queue = { client: openSqs(patience), url: ALERT_QUEUE_URL };
  return {
    configuration: await loadConfiguration(configurationPath(POOLKEEPER_CONFIG)),
    secrets: secretsManager({ client: openSecretsManager(patience), clock }),
    secret: SLACK_SIGNING_SECRET_ARN,
    attention: sqsAttentionQueue(queue),
    requests: sqsRequestQueue(queue),
    askedRequests,
    replays: replayNotes(stored),
    approvals,
    // Only read: its rows are not written from here (infra/grants.ts).
    incidents: dynamoTables(stored).incidents,
    sequenceRequests,
    timeline,
    clock,
    newId,
    logger,
    metrics,
  };
}
