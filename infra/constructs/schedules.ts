import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IScheduleTarget, Schedule, ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { DeadLetters } from './dead-letters.ts';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface SchedulesProps {
  /** Where runs go that Lambda did not take. */
  readonly undelivered: DeadLetters;
}

/** What runs by the clock but is no tick of a cluster. A schedule group of its own: were these counted among the
 *  ticks, the alarm for ticks that stopped would take them for ticks. */
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
    // Not the role that CDK's own target makes: it may invoke every version of the function.
    this.role = new Role(this, 'Role', {
      description: `Runs the chores of ${stackName}`,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': this.group.scheduleGroupArn } },
      }),
    });
    undelivered.queue.grant(this.role, 'sqs:SendMessage');
  }

  /** Runs a function every five minutes. */
  run({ fn, entry }: PoolkeeperFunction): void {
    this.role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] }));
    const target: IScheduleTarget = {
      bind: () => ({
        arn: fn.functionArn,
        role: this.role,
        deadLetterConfig: { arn: this.undelivered.queue.queueArn },
        // The next run does all that this one would have done.
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
    // Lambda's own retries of a failed run would come into the next one.
    fn.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) });
  }
}
