import { WorkEvent } from '../../events/index.ts';
import { KeepPoolsEnvironment, readEnvironment } from '../shell/environment.ts';
import { queueFunction } from '../shell/queue.ts';
import { comeAgain } from '../shell/services/come-again.ts';
import { keeper } from '../shell/services/keeper.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { keep } from './keep.ts';

const telemetry = openTelemetry('keep-pools');

/** Entry of the Lambda function. */
export const handler = queueFunction({
  telemetry,
  event: WorkEvent,
  build: () => keeper(readEnvironment(KeepPoolsEnvironment, process.env), telemetry, { renewsTokens: true }),
  handle: keep,
  comeAgain: comeAgain(() => readEnvironment(KeepPoolsEnvironment, process.env).WORK_QUEUE_URL),
});
