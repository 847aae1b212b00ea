import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { SqsSendMessage } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { DeadLetters } from './dead-letters.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';

export interface ClusterTicksProps {
  /** Names of the clusters. */
  readonly clusters: readonly string[];
  readonly work: QueueWithDeadLetters;
  /** Dead letters of ticks that the work queue did not accept. */
  readonly undelivered: DeadLetters;
}

/** One tick per cluster and minute. Because of it, no event has to arrive: events only make things happen sooner. */
export class ClusterTicks extends Construct {
  readonly group: ScheduleGroup;

  constructor(scope: Construct, id: string, { clusters, work, undelivered }: ClusterTicksProps) {
    super(scope, id);
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: Stack.of(this).stackName,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const cluster of clusters) {
      new Schedule(this, cluster, {
        scheduleName: cluster,
        scheduleGroup: this.group,
        description: `Looks at ${cluster} every minute`,
        schedule: ScheduleExpression.rate(Duration.minutes(1)),
        target: new SqsSendMessage(work.queue, {
          input: ScheduleTargetInput.fromObject(tickOf(cluster)),
          deadLetterQueue: undelivered.queue,
          // The next tick says the same a minute later, so an old one is not worth retrying for longer.
          maxEventAge: Duration.minutes(1),
          retryAttempts: 3,
        }),
      });
    }
  }

  /** Ticks that Scheduler tried to send; no data at all once it has stopped. */
  attempts(period: Duration): Metric {
    return this.metric('InvocationAttemptCount', period);
  }

  /** Ticks that Scheduler gave up on. */
  dropped(period: Duration): Metric {
    return this.metric('InvocationDroppedCount', period);
  }

  private metric(metricName: string, period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/Scheduler',
      metricName,
      dimensionsMap: { ScheduleGroup: this.group.scheduleGroupName },
      statistic: 'Sum',
      period,
    });
  }
}

/** The CloudEvent `poolkeeper.tick.v1` (events/seen.ts). The same minute of a cluster always has the same id, so a tick
 *  that Scheduler delivers twice is recognised. */
function tickOf(cluster: string) {
  const id = `${cluster}/${ContextAttribute.scheduledTime}`;
  return {
    specversion: '1.0',
    type: 'poolkeeper.tick.v1',
    id,
    source: '/poolkeeper/schedule',
    subject: cluster,
    time: ContextAttribute.scheduledTime,
    datacontenttype: 'application/json',
    correlation: id,
    data: { cluster, why: 'clock' },
  };
}
