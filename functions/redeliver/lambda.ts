import { RedeliverEnvironment, readEnvironment } from '../shell/environment.ts';
import { scheduledFunction } from '../shell/scheduled.ts';
import { redeliverer } from '../shell/services/redeliverer.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { redeliver } from './redeliver.ts';

const telemetry = openTelemetry('redeliver');

export const handler = scheduledFunction({
  telemetry,
  build: () => redeliverer(readEnvironment(RedeliverEnvironment, process.env), telemetry),
  run: redeliver,
});
