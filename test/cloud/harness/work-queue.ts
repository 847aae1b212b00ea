import { GetQueueAttributesCommand, GetQueueUrlCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { onTestFinished } from 'vitest';
import type { Aws } from './aws.ts';
import { stackName } from './cdk.ts';

export interface Impatience {
  readonly visibilitySeconds: number;
  readonly attempts: number;
}

/** Makes the work queue give up after fewer attempts and wait shorter for a worker that died, because a suite cannot
 *  wait for minutes. What the stack says comes back when the test is over. */
export async function makeImpatient({ sqs }: Aws, { visibilitySeconds, attempts }: Impatience): Promise<void> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: `${stackName}-work-queue` }));
  const names = ['VisibilityTimeout', 'RedrivePolicy'] as const;
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }));
  const set = (attributes: Readonly<Record<string, string>>) =>
    sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: attributes }));
  const redrive = { ...JSON.parse(Attributes['RedrivePolicy'] ?? '{}'), maxReceiveCount: attempts };
  await set({ VisibilityTimeout: String(visibilitySeconds), RedrivePolicy: JSON.stringify(redrive) });
  onTestFinished(async () => {
    await set({
      VisibilityTimeout: Attributes['VisibilityTimeout'] ?? '',
      RedrivePolicy: Attributes['RedrivePolicy'] ?? '',
    });
  });
}
