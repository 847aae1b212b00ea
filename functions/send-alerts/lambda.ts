import * as z from 'zod';
import { AlertWork, MailFeedback } from '../../events/index.ts';
import { readEnvironment, SendAlertsEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { alertSender } from '../shell/services/alert-sender.ts';
import { retryLater } from '../shell/services/retry-later.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { workOff } from './work-off.ts';

const telemetry = openTelemetry('send-alerts');

export const handler = queueFunction({
  telemetry,
  event: z.union([AlertWork, MailFeedback]),
  build: () => alertSender(readEnvironment(SendAlertsEnvironment, process.env), telemetry),
  handle: workOff,
  retryLater: retryLater(() => readEnvironment(SendAlertsEnvironment, process.env).ALERT_QUEUE_URL),
});
