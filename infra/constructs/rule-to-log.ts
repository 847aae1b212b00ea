import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type EventBus, type EventPattern, type IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import { addToDeadLetterQueueResourcePolicy } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, ResourcePolicy, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { DeadLetters } from './dead-letters.ts';

export interface RuleToLogProps {
  readonly bus: EventBus;
  /** Without the stack's name. */
  readonly ruleName: string;
  readonly pattern: EventPattern;
  readonly description: string;
  readonly logGroupName: string;
  readonly retention: RetentionDays;
  readonly undelivered: DeadLetters;
}

/** How long EventBridge tries to deliver to our targets. With its default of 24 hours and 185 attempts, a subscriber
 *  could receive a pause long after the resume. */
export const delivery = { maxEventAge: Duration.hours(1), retryAttempts: 20 };

/** A rule that writes its events to a log group of its own. CDK's log target would add a custom resource with a Lambda
 *  function; a plain resource policy is enough. */
export class RuleToLog extends Construct {
  readonly ruleName: string;
  readonly logs: LogGroup;

  constructor(scope: Construct, id: string, props: RuleToLogProps) {
    super(scope, id);
    const logs = new LogGroup(this, 'Logs', {
      logGroupName: props.logGroupName,
      retention: props.retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new ResourcePolicy(this, 'LogsPolicy', {
      // These names are unique per account and region, so they carry the stack's name.
      resourcePolicyName: `${Stack.of(this).stackName}-${props.ruleName}`,
      policyStatements: [
        new PolicyStatement({
          principals: [
            new ServicePrincipal('events.amazonaws.com'),
            new ServicePrincipal('delivery.logs.amazonaws.com'),
          ],
          actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: [logs.logGroupArn],
        }),
      ],
    });
    this.logs = logs;
    this.ruleName = props.ruleName;
    new Rule(this, 'Rule', {
      ruleName: `${Stack.of(this).stackName}-${props.ruleName}`,
      eventBus: props.bus,
      description: props.description,
      eventPattern: props.pattern,
      targets: [logTarget(logs, props.undelivered)],
    });
  }
}

function logTarget(logs: LogGroup, { queue }: DeadLetters): IRuleTarget {
  return {
    bind(rule) {
      addToDeadLetterQueueResourcePolicy(rule, queue);
      return {
        arn: plainArn(logs),
        deadLetterConfig: { arn: queue.queueArn },
        retryPolicy: {
          maximumEventAgeInSeconds: delivery.maxEventAge.toSeconds(),
          maximumRetryAttempts: delivery.retryAttempts,
        },
      };
    },
  };
}

/** EventBridge takes the ARN of a log group without the `:*` that CloudFormation's attribute ends in. */
function plainArn(logs: LogGroup): string {
  return logs.stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: logs.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
