import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IScheduleTarget, Schedule, ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { DeadLetters } from './dead-letters.ts';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface SchedulesProps {
  /** Dead letters of runs that Lambda did not accept. */
  readonly undelivered: DeadLetters;
}

/** Functions that run on a schedule, other than the clusters' ticks. They have a schedule group of their own: counted
 *  among the ticks, they would hide from the alarm that the ticks have stopped. */
export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly undelivered: DeadLetters;
  private readonly role: Role;

  constructor(scope: Construct, id: string, { undelivered }: SchedulesProps) {
    super(scope, id);
    const { account, stackName } = Stack.of(this);
    this.undelivered = undelivered;
    this.group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `${stackName}-chores`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not the role that CDK's target makes: it may invoke every version of the function.
    this.role = new Role(this, 'Role', {
      description: `Runs the chores of ${stackName}`,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': this.group.scheduleGroupArn } },
      }),
    });
    undelivered.queue.grant(this.role, 'sqs:SendMessage');
  }

  runEveryFiveMinutes({ fn, entry }: PoolkeeperFunction): void {
    this.role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] }));
    const target: IScheduleTarget = {
      bind: () => ({
        arn: fn.functionArn,
        role: this.role,
        deadLetterConfig: { arn: this.undelivered.queue.queueArn },
        // The next run does everything that this one would have done.
        retryPolicy: { maximumEventAgeInSeconds: Duration.minutes(5).toSeconds(), maximumRetryAttempts: 3 },
      }),
    };
    new Schedule(this, entry, {
      scheduleName: entry,
      scheduleGroup: this.group,
      description: `Runs ${entry} every five minutes`,
      schedule: ScheduleExpression.rate(Duration.minutes(5)),
      target,
    });
    // Lambda's own retries of a failed run would overlap with the next one.
    fn.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) });
  }
}
