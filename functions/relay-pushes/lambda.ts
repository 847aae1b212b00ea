import { WebhookDue } from '../../events/index.ts';
import { RelayPushesEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { comeAgain } from '../shell/services/come-again.ts';
import { relayer } from '../shell/services/relayer.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { relay } from './relay.ts';

const telemetry = openTelemetry('relay-pushes');

/** Entry of the Lambda function. */
export const handler = queueFunction({
  telemetry,
  event: WebhookDue,
  build: () => relayer(readEnvironment(RelayPushesEnvironment, process.env), telemetry),
  handle: relay,
  comeAgain: comeAgain(() => readEnvironment(RelayPushesEnvironment, process.env).RELAY_QUEUE_URL),
});
