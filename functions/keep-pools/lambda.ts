import { WorkEvent } from '../../events/index.ts';
import { KeepPoolsEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { poolKeeper } from '../shell/services/pool-keeper.ts';
import { retryLater } from '../shell/services/retry-later.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { keep } from './keep.ts';

const telemetry = openTelemetry('keep-pools');

/** Entry of the Lambda function. */
export const handler = queueFunction({
  telemetry,
  event: WorkEvent,
  build: () => poolKeeper(readEnvironment(KeepPoolsEnvironment, process.env), telemetry, { renewsTokens: true }),
  handle: keep,
  retryLater: retryLater(() => readEnvironment(KeepPoolsEnvironment, process.env).WORK_QUEUE_URL),
});
