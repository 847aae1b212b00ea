import { WebhookDue } from '../../events/index.ts';
import { RelayPushesEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { relayer } from '../shell/services/relayer.ts';
import { retryLater } from '../shell/services/retry-later.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { relay } from './relay.ts';

const telemetry = openTelemetry('relay-pushes');

export const handler = queueFunction({
  telemetry,
  event: WebhookDue,
  build: () => relayer(readEnvironment(RelayPushesEnvironment, process.env), telemetry),
  handle: relay,
  retryLater: retryLater(() => readEnvironment(RelayPushesEnvironment, process.env).RELAY_QUEUE_URL),
});
