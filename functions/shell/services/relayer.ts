import { argocdWebhooks } from '../../adapters/argocd/argocd-webhooks.ts';
import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { eventBridgeBus, openEventBridge } from '../../adapters/aws/eventbridge.ts';
import { pushOutcomes } from '../../adapters/aws/push-outcomes.ts';
import { relayNotes } from '../../adapters/aws/relay-notes.ts';
import { openSqs, sqsRelayQueue } from '../../adapters/aws/sqs.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { RelayPorts } from '../../relay-pushes/relay-ports.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import type { RelayPushesEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';
import { configurationPath } from './configuration-path.ts';

/** The dependencies of relay-pushes: table, bus, its own queue and Argo CD's webhook servers. No secret and no cluster.
 *  Throws Misconfigured. */
export async function relayer(
  environment: RelayPushesEnvironment,
  { logger, metrics }: Telemetry,
): Promise<RelayPorts> {
  const { clock, deadline, newId } = systemRuntime;
  const stored = { client: openDynamoDb(), table: environment.TABLE_NAME, clock, newId };
  const { races, checkpoints, timeline } = dynamoTables(stored);
  return {
    configuration: await loadConfiguration(configurationPath(environment.POOLKEEPER_CONFIG)),
    outcomes: pushOutcomes(stored),
    races,
    checkpoints,
    notes: relayNotes(stored),
    webhooks: argocdWebhooks({ deadline }),
    relays: sqsRelayQueue({ client: openSqs(), url: environment.RELAY_QUEUE_URL }),
    timeline,
    bus: eventBridgeBus({ client: openEventBridge(), bus: environment.BUS_NAME }),
    clock,
    logger,
    metrics,
  };
}
