import {
  ChangeMessageVisibilityCommand,
  SendMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import type {
  AlertQueue,
  ApprovalQueue,
  AttentionQueue,
  PreviewQueue,
  RelayQueue,
  RequestQueue,
  WorkQueue,
} from '../../ports/queues.ts';
import { awsFailure } from './aws-failure.ts';
import { clientSettings } from './client-settings.ts';
import { messageGroup, type QueuedEvent } from './message-group.ts';

/** Seconds. Longest delay of a message. Source: SQS, DelaySeconds. */
const longestDelaySeconds = 900;

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly url: string;
}

/** A client with time limits; created once per cold start. */
export function openSqs(config: SQSClientConfig = {}): SQSClient {
  return new SQSClient({ ...clientSettings, ...config });
}

/** A client for the region of the queue, whatever region the AWS profile names. */
export function openSqsOf(queueUrl: string): SQSClient {
  const region = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\./.exec(queueUrl)?.[1];
  return openSqs(region === undefined ? {} : { region });
}

export function sqsWorkQueue(options: SqsQueueOptions): WorkQueue {
  return { send: (event, delaySeconds) => send(options, event, delaySeconds) };
}

export function sqsAlertQueue(options: SqsQueueOptions): AlertQueue {
  return { send: (event, delaySeconds) => send(options, event, delaySeconds) };
}

export function sqsAttentionQueue(options: SqsQueueOptions): AttentionQueue {
  return { send: (event, delaySeconds) => send(options, event, delaySeconds) };
}

export function sqsApprovalQueue(options: SqsQueueOptions): ApprovalQueue {
  return { send: (event) => send(options, event) };
}

export function sqsRequestQueue(options: SqsQueueOptions): RequestQueue {
  return { send: (event) => send(options, event) };
}

export function sqsPreviewQueue(options: SqsQueueOptions): PreviewQueue {
  return { send: (event, delaySeconds) => send(options, event, delaySeconds) };
}

export function sqsRelayQueue(options: SqsQueueOptions): RelayQueue {
  return { send: (event, delaySeconds) => send(options, event, delaySeconds) };
}

/** Seconds: 12 h, the longest visibility timeout of SQS. */
const longestVisibilitySeconds = 43_200;

/** Has a received message that was not completed redelivered after so many seconds. */
export function sqsRetryLater({ client, url }: SqsQueueOptions) {
  return async (receiptHandle: string, afterSeconds: number): Promise<void> => {
    const seconds = Math.min(Math.max(Math.ceil(afterSeconds), 0), longestVisibilitySeconds);
    await client
      .send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: url,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: seconds,
        }),
      )
      .catch((cause: unknown) => {
        throw awsFailure('SQS ChangeMessageVisibility', cause);
      });
  };
}

/** SQS refuses a message with one of these two characters, which anybody may put into the name of a file or branch.
 *  Escaped they say the same. Source: Amazon SQS, SendMessage, MessageBody. */
function bodyOf(event: QueuedEvent): string {
  return JSON.stringify(event).replace(/[\uFFFE\uFFFF]/g, (refused) => `\\u${refused.charCodeAt(0).toString(16)}`);
}

/** A delay beyond the limit of SQS arrives early; consumers check the clock, not the delay. */
async function send({ client, url }: SqsQueueOptions, event: QueuedEvent, delaySeconds = 0): Promise<void> {
  const delay = Math.min(Math.max(Math.ceil(delaySeconds), 0), longestDelaySeconds);
  await client
    .send(
      new SendMessageCommand({
        QueueUrl: url,
        MessageBody: bodyOf(event),
        DelaySeconds: delay,
        MessageGroupId: messageGroup(event),
      }),
    )
    .catch((cause: unknown) => {
      throw awsFailure('SQS SendMessage', cause);
    });
}
