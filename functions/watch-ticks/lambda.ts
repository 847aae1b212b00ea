import { readEnvironment, WatchTicksEnvironment } from '../shell/environment.ts';
import { scheduledFunction } from '../shell/scheduled.ts';
import { watcher } from '../shell/services/watcher.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { watchTicks } from './watch-ticks.ts';

const telemetry = openTelemetry('watch-ticks');

export const handler = scheduledFunction({
  telemetry,
  build: () => watcher(readEnvironment(WatchTicksEnvironment, process.env), telemetry),
  run: watchTicks,
});
