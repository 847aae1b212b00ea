import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface DeadLettersProps {
  readonly name: string;
  /** Whose messages. cdk-nag recognises the dead-letter queue of a queue by itself, but not that of schedules and
   *  rules. */
  readonly of: 'a queue' | 'schedules' | 'rules';
}

/** A dead-letter queue: messages that could not be delivered or processed wait here for a person. */
export class DeadLetters extends Construct {
  readonly queue: Queue;
  readonly label: string;

  constructor(scope: Construct, id: string, props: DeadLettersProps) {
    super(scope, id);
    this.label = props.name;
    this.queue = new Queue(this, 'Queue', {
      queueName: `${Stack.of(this).stackName}-${props.name}`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // The most that SQS allows: a failure on the first day of a holiday is still there afterwards.
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    if (props.of !== 'a queue') {
      Validations.of(this.queue).acknowledge({
        id: 'AwsSolutions-SQS3',
        reason: `It is a dead-letter queue itself, that of ${props.of}; cdk-nag knows those of queues only.`,
      });
    }
  }

  /** Messages in the queue, including those in flight because somebody is looking at them. */
  count(period: Duration): MathExpression {
    // Ids must be unique among all queues of one graph.
    const id = this.label.replaceAll('-', '_');
    return new MathExpression({
      expression: `${id}_waiting + ${id}_in_flight`,
      label: this.label,
      period,
      usingMetrics: {
        [`${id}_waiting`]: this.queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
        [`${id}_in_flight`]: this.queue.metricApproximateNumberOfMessagesNotVisible({ period, statistic: 'Maximum' }),
      },
    });
  }
}
