import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { EventField, type EventPattern, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { PublishedEvents } from './published-events.ts';
import { delivery } from './rule-to-log.ts';

/** `urgent`: look now, nodes may reboot under a sync or alerts may not be sent. `soon`: in working hours. */
export type Urgency = 'urgent' | 'soon';

interface AlarmText {
  /** Name of the alarm without the stack's, and heading of its section in docs/runbook.md. */
  readonly name: string;
  /** What people lose while this lasts: the first line of the message, after "Loses:". */
  readonly impact: string;
  readonly urgency: Urgency;
}

/** A CloudWatch alarm on a metric. */
export interface MetricAlarm extends AlarmText {
  readonly kind: 'metric';
  readonly metric: IMetric;
  readonly breach: { readonly above: number } | { readonly below: number };
  /** How many of the last `of` periods must breach. */
  readonly periods: number;
  readonly of: number;
  /** `fine`: the metric is only published when something happened. `breaching`: missing data is what this alarm is
   *  about. */
  readonly missingData: 'fine' | 'breaching';
}

/** An alarm on a published event: an incident of Poolkeeper about itself. It reaches people without send-alerts, Slack
 *  and SES. */
export interface EventAlarm extends AlarmText {
  readonly kind: 'event';
  readonly pattern: EventPattern;
}

export type AlarmSpec = MetricAlarm | EventAlarm;

export interface AlarmsProps {
  readonly settings: Settings;
  readonly dashboardName: string;
}

/** Alarms about Poolkeeper itself, and the two SNS topics that they notify, one per urgency. */
export class Alarms extends Construct {
  readonly topics: Readonly<Record<Urgency, Topic>>;
  /** The metric alarms made so far, for the dashboard. */
  readonly metricAlarms: Alarm[] = [];
  private readonly props: AlarmsProps;
  /** EventBridge publishes with this role: a topic policy for EventBridge cannot say which account's rules it means. */
  private readonly eventsRole: Role;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.props = props;
    this.topics = { urgent: this.topic('urgent'), soon: this.topic('soon') };
    this.eventsRole = new Role(this, 'Ringer', {
      description: `Publishes what ${this.stackName} tells about itself`,
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
  }

  /** Makes a CloudWatch alarm that notifies when it begins and when it ends. */
  addMetricAlarm(spec: MetricAlarm): void {
    const { metric, breach, periods, of, missingData } = spec;
    const alarm = new Alarm(this, spec.name, {
      alarmName: `${this.stackName}-${spec.name}`,
      alarmDescription: this.text(spec).join('\n'),
      metric,
      ...('above' in breach
        ? { threshold: breach.above, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD }
        : { threshold: breach.below, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      evaluationPeriods: of,
      datapointsToAlarm: periods,
      treatMissingData: missingData === 'fine' ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    });
    const action = new SnsAction(this.topics[spec.urgency]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    this.metricAlarms.push(alarm);
  }

  /** Makes an EventBridge rule that sends matching events to the topic, in the same words as a metric alarm. */
  addEventAlarm(spec: EventAlarm, events: PublishedEvents, undelivered: DeadLetters): void {
    new Rule(this, spec.name, {
      ruleName: `${this.stackName}-${spec.name}`,
      description: `Loses: ${spec.impact}`.slice(0, 512),
      eventBus: events.bus,
      eventPattern: spec.pattern,
      targets: [
        new SnsTopic(this.topics[spec.urgency], {
          ...delivery,
          deadLetterQueue: undelivered.queue,
          role: this.eventsRole,
          message: RuleTargetInput.fromMultilineText(
            [
              `${this.stackName}-${spec.name}`,
              `${EventField.fromPath('$.detail.data.cluster')}/${EventField.fromPath('$.detail.data.pool')}: ${EventField.fromPath('$.detail.data.headline')}`,
              ...this.text(spec),
            ].join('\n'),
          ),
        }),
      ],
    });
  }

  private get stackName(): string {
    return Stack.of(this).stackName;
  }

  private text({ name, impact, urgency }: AlarmText): readonly string[] {
    const { region } = Stack.of(this);
    const { settings, dashboardName } = this.props;
    return [
      `Loses: ${impact}`,
      `Urgency: ${urgency}`,
      `Runbook: ${settings.runbook}#${name}`,
      `Dashboard: https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`,
    ];
  }

  /** Not encrypted with a KMS key: CloudWatch cannot publish through the AWS managed one, a customer managed one costs
   *  a dollar a month, and these texts hold names of clusters and alarms, nothing secret. */
  private topic(urgency: Urgency): Topic {
    const topic = new Topic(this, urgency, {
      topicName: `${this.stackName}-alarms-${urgency}`,
      displayName: `Poolkeeper ${this.props.settings.stage}, ${urgency}`,
      enforceSSL: true,
    });
    topic.addToResourcePolicy(this.alarmsMayPublish(topic));
    for (const mailbox of this.props.settings.alarmMailboxes[urgency]) {
      topic.addSubscription(new EmailSubscription(mailbox));
    }
    return topic;
  }

  /** The topic policy that enforceSSL makes replaces the default one, which lets the account's alarms publish. */
  private alarmsMayPublish(topic: Topic): PolicyStatement {
    const { account, region } = Stack.of(this);
    return new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: {
          'aws:SourceArn': Stack.of(this).formatArn({
            service: 'cloudwatch',
            region,
            resource: 'alarm',
            resourceName: `${this.stackName}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    });
  }
}
