import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetters } from './dead-letters.ts';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface QueueWithDeadLettersProps {
  readonly name: string;
  /** Timeout of the function that consumes this queue. */
  readonly consumerTimeout: Duration;
  /** A message is dropped after this. Must leave room for all attempts. */
  readonly retention: Duration;
}

export interface ConsumerProps {
  readonly maxConcurrency: number;
}

/** Messages of one invocation. A second one would share the first one's time: what hangs on a cluster or a channel
 *  would cut off the message of another, five times, until it is a dead letter. */
const batchSize = 1;

/** Attempts before a message becomes a dead letter. Source: AWS Lambda, "Configuring a queue to use with Lambda": at
 *  least 5. */
const attempts = 5;
/** Visibility timeout as a multiple of the consumer's timeout, so that a message does not reappear while Lambda still
 *  retries its invocation. Source: the same page: at least 6. */
const visibilityPerTimeout = 6;

/** A queue that loses nothing silently: what fails five times stays in the dead-letter queue for fourteen days. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
  readonly label: string;

  constructor(scope: Construct, id: string, props: QueueWithDeadLettersProps) {
    super(scope, id);
    const visibilityTimeout = Duration.seconds(visibilityPerTimeout * props.consumerTimeout.toSeconds());
    if (props.retention.toSeconds() <= attempts * visibilityTimeout.toSeconds()) {
      throw new Error(`Queue ${props.name} would drop messages before their attempt ${attempts}: keep them longer.`);
    }
    this.label = props.name;
    this.deadLetters = new DeadLetters(this, 'DeadLetters', { name: `${props.name}-dead-letters`, of: 'a queue' });
    this.queue = new Queue(this, 'Queue', {
      queueName: `${Stack.of(this).stackName}-${props.name}`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout,
      retentionPeriod: props.retention,
      deadLetterQueue: { queue: this.deadLetters.queue, maxReceiveCount: attempts },
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** Makes a function consume this queue, one message at a time; it reports a message that failed. */
  addConsumer(consumer: PoolkeeperFunction, { maxConcurrency }: ConsumerProps): void {
    consumer.target.addEventSource(
      new SqsEventSource(this.queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
  }

  grantSend(...senders: readonly PoolkeeperFunction[]): void {
    for (const sender of senders) this.queue.grant(sender, 'sqs:SendMessage');
  }

  /** Messages that wait for a consumer; those in flight or delayed on purpose do not count. */
  waiting(period: Duration): Metric {
    return this.queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' });
  }

  oldestAgeSeconds(period: Duration): Metric {
    return this.queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' });
  }
}
