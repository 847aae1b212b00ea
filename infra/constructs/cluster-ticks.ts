import { Duration, NestedStack, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
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

/** How many clusters the stack itself has schedules for, beside its up to 150 other resources. Source: CloudFormation
 *  quotas, 500 resources and 1,000,000 bytes a template. */
const ownClusters = 200;

/** How many clusters a nested stack has schedules for, by the same quotas. */
const nestedClusters = 400;

/** One tick per cluster and minute. Because of it, no event has to arrive: events only make things happen sooner.
 *  Schedules of large fleets have nested stacks, each with a schedule group of its own: a cluster that moves from one
 *  to the next when another is taken out has two schedules of one name for a moment, which say the same. */
export class ClusterTicks extends Construct {
  private readonly groupNames: string[] = [];

  constructor(scope: Construct, id: string, props: ClusterTicksProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const { clusters } = props;
    this.scheduleAll(this, stackName, { ...props, clusters: clusters.slice(0, ownClusters) });
    for (let from = ownClusters, n = 2; from < clusters.length; from += nestedClusters, n += 1) {
      const nested = new NestedStack(this, `Group${n}`, { description: `Poolkeeper: looks at further clusters, ${n}` });
      const part = clusters.slice(from, from + nestedClusters);
      this.scheduleAll(nested, `${stackName}-${n}`, { ...props, clusters: part });
    }
  }

  private scheduleAll(scope: Construct, groupName: string, { clusters, work, undelivered }: ClusterTicksProps): void {
    const group = new ScheduleGroup(scope, 'Group', {
      scheduleGroupName: groupName,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.groupNames.push(groupName);
    for (const cluster of clusters) {
      new Schedule(scope, cluster, {
        scheduleName: cluster,
        scheduleGroup: group,
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
  attempts(period: Duration): Metric | MathExpression {
    return this.metric('InvocationAttemptCount', period);
  }

  /** Ticks that Scheduler gave up on. */
  dropped(period: Duration): Metric | MathExpression {
    return this.metric('InvocationDroppedCount', period);
  }

  private metric(metricName: string, period: Duration): Metric | MathExpression {
    const metrics = this.groupNames.map((ScheduleGroup) => {
      const dimensionsMap = { ScheduleGroup };
      return new Metric({ namespace: 'AWS/Scheduler', metricName, dimensionsMap, statistic: 'Sum', period });
    });
    const [first, ...others] = metrics;
    if (first !== undefined && others.length === 0) return first;
    // Ids are of a graph, which shows both metrics.
    const numbered = metrics.map((metric, n) => [
      `${metricName.charAt(0).toLowerCase()}${metricName.slice(1)}${n}`,
      metric,
    ]);
    const expression = `SUM([${numbered.map(([id]) => id).join(', ')}])`;
    return new MathExpression({ expression, label: metricName, period, usingMetrics: Object.fromEntries(numbered) });
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
