import { Stack } from 'aws-cdk-lib';
import { EventBus, type IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import { addToDeadLetterQueueResourcePolicy } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { DeadLetters } from './dead-letters.ts';
import type { QueueWithDeadLetters } from './queue-with-dead-letters.ts';
import { delivery } from './rule-to-log.ts';

/** Name of the configuration set: names are unique in an account and region, so it is that of the stack. */
export function configurationSetOf(scope: Construct): string {
  return Stack.of(scope).stackName;
}

export interface MailFeedbackProps {
  readonly alerts: QueueWithDeadLetters;
  /** Dead letters of events that one of our rules could not deliver. */
  readonly undelivered: DeadLetters;
}

/** What becomes of our mail after SES has taken it: bounces, complaints and arrivals go to the alert queue. SES
 *  publishes to the default bus only, which everything in the account shares: the rule takes what carries the name of
 *  our configuration set. Source: AWS CloudFormation, AWS::SES::ConfigurationSetEventDestination. */
export class MailFeedback extends Construct {
  constructor(scope: Construct, id: string, { alerts, undelivered }: MailFeedbackProps) {
    super(scope, id);
    const name = configurationSetOf(this);
    const bus = EventBus.fromEventBusName(this, 'DefaultBus', 'default');
    const set = new ConfigurationSet(this, 'Set', { configurationSetName: name });
    set.addEventDestination('ToBus', {
      configurationSetEventDestinationName: 'poolkeeper',
      destination: EventDestination.eventBus(bus),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.DELIVERY],
    });
    new Rule(this, 'Rule', {
      ruleName: `${Stack.of(this).stackName}-mail-feedback`,
      description: 'Tells send-alerts of bounces, complaints and arrivals of its mail',
      eventPattern: {
        source: ['aws.ses'],
        detail: {
          eventType: ['Bounce', 'Complaint', 'Delivery'],
          mail: { tags: { 'ses:configuration-set': [name] } },
        },
      },
      targets: [queueTarget(alerts, undelivered)],
    });
  }
}

/** CDK's target for a queue lets EventBridge read its attributes too: sending is enough. */
function queueTarget({ queue }: QueueWithDeadLetters, undelivered: DeadLetters): IRuleTarget {
  return {
    bind(rule) {
      addToDeadLetterQueueResourcePolicy(rule, undelivered.queue);
      queue.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['sqs:SendMessage'],
          resources: [queue.queueArn],
          conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleRef.ruleArn } },
        }),
      );
      return {
        arn: queue.queueArn,
        deadLetterConfig: { arn: undelivered.queue.queueArn },
        retryPolicy: {
          maximumEventAgeInSeconds: delivery.maxEventAge.toSeconds(),
          maximumRetryAttempts: delivery.retryAttempts,
        },
      };
    },
  };
}
