import { WorkEvent } from '../../events/index.ts';
import { KeepPoolsEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { retryLater } from '../shell/services/retry-later.ts';
import { sequenceKeeper } from '../shell/services/sequence-keeper.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { keep } from './keep.ts';

const telemetry = openTelemetry('keep-pools');

/** Entry of the Lambda function. */
export const handler = queueFunction({
  telemetry,
  event: WorkEvent,
  build: () => sequenceKeeper(readEnvironment(KeepPoolsEnvironment, process.env), telemetry),
  handle: keep,
  retryLater: retryLater(() => readEnvironment(KeepPoolsEnvironment, process.env).WORK_QUEUE_URL),
});
