import { openSecretsManager, secretsManager } from '../../adapters/aws/secrets-manager.ts';
import { openSqs, sqsPreviewQueue, sqsRelayQueue, sqsWorkQueue } from '../../adapters/aws/sqs.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { PreviewQueue, RelayQueue, WorkQueue } from '../../ports/queues.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Logger, Metrics } from '../../ports/telemetry.ts';
import type { Clock, NewId } from '../../ports/time.ts';
import type { Telemetry } from '../telemetry.ts';

export interface ReceiverOptions {
  readonly workQueueUrl: string;
  readonly previewQueueUrl?: string | undefined;
  readonly relayQueueUrl?: string | undefined;
  readonly telemetry: Telemetry;
}

export interface Receiver {
  readonly secrets: Secrets;
  readonly work: WorkQueue;
  /** Undefined: pull requests get no preview. */
  readonly previews: PreviewQueue | undefined;
  /** Undefined: pushes are relayed to no Argo CD. */
  readonly relays: RelayQueue | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Milliseconds; tighter than elsewhere: the secret and the queue, each tried twice, are 6 s at most. GitHub hangs up
 *  after 10 s, and Argo CD's notifications wait for us with everyone's messages behind them. */
const patience = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 1_500, throwOnRequestTimeout: true },
};

/** The dependencies of the receivers: secrets and the work queue, and no cluster. */
export function receiver({
  workQueueUrl,
  previewQueueUrl,
  relayQueueUrl,
  telemetry: { logger, metrics },
}: ReceiverOptions): Receiver {
  const client = openSqs(patience);
  const { clock, newId } = systemRuntime;
  return {
    secrets: secretsManager({ client: openSecretsManager(patience), clock }),
    work: sqsWorkQueue({ client, url: workQueueUrl }),
    previews: previewQueueUrl === undefined ? undefined : sqsPreviewQueue({ client, url: previewQueueUrl }),
    relays: relayQueueUrl === undefined ? undefined : lastInLine(relayQueueUrl),
    clock,
    newId,
    logger,
    metrics,
  };
}

/** Called after everything else, so it is tried once: 1.5 s more, still within GitHub's limit. */
function lastInLine(url: string): RelayQueue {
  return sqsRelayQueue({ client: openSqs({ ...patience, maxAttempts: 1 }), url });
}
