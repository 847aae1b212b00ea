import { openSqs, sqsRetryLater } from '../../adapters/aws/sqs.ts';

/** Redelivers a message of the queue after a delay. The client is opened when the first message fails. */
export function retryLater(queueUrl: () => string): (receiptHandle: string, afterSeconds: number) => Promise<void> {
  let opened: ReturnType<typeof sqsRetryLater> | undefined;
  return async (receiptHandle, afterSeconds) => {
    opened ??= sqsRetryLater({ client: openSqs(), url: queueUrl() });
    await opened(receiptHandle, afterSeconds);
  };
}
