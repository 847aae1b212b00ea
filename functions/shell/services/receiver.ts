import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsWorkQueue } from '../../adapters/aws/sqs.ts';
import type { Clock, Logger, Metrics, Secrets, WorkQueue } from '../../ports.ts';
import type { Telemetry } from '../telemetry.ts';
import { systemClock } from './system-clock.ts';

export interface ReceiverOptions {
  readonly workQueueUrl: string;
  readonly telemetry: Telemetry;
}

export interface Receiver {
  readonly secrets: Secrets;
  readonly work: WorkQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Tighter than elsewhere: the secret and the queue, each tried twice, are 6 s at most. GitHub hangs up after 10 s, and
 *  Argo CD's notifications wait for us with everybody's messages behind them. Milliseconds. */
const patience = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 1_500, throwOnRequestTimeout: true },
};

/** What the receivers reach: secrets and the work queue, and no cluster. */
export function receiver({ workQueueUrl, telemetry: { logger, metrics } }: ReceiverOptions): Receiver {
  return {
    secrets: secretsManager({ client: openSecretsManager(patience), clock: systemClock }),
    work: sqsWorkQueue({ client: openSqs(patience), url: workQueueUrl }),
    clock: systemClock,
    logger,
    metrics,
  };
}
