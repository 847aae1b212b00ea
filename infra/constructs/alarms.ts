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

/** `urgent`: look now, nodes may reboot under a sync or nobody may hear of it. `soon`: in working hours. */
export type Urgency = 'urgent' | 'soon';

interface Watched {
  /** Name of the alarm without the house, and of its section in docs/runbook.md. */
  readonly name: string;
  /** What a person loses while this lasts. The first line that whoever is woken reads. */
  readonly loses: string;
  readonly urgency: Urgency;
}

/** A figure that CloudWatch watches. */
export interface MetricAlarm extends Watched {
  readonly kind: 'figure';
  readonly figure: IMetric;
  readonly breach: { readonly above: number } | { readonly below: number };
  /** So many of the last `of` periods of the figure must breach. */
  readonly periods: number;
  readonly of: number;
  /** `fine`: a figure that is only written when something happened. `alarming`: silence is what this alarm is about. */
  readonly silence: 'fine' | 'alarming';
}

/** An incident of Poolkeeper about itself, told on the bus. It comes here without send-alerts, Slack and SES. */
export interface EventAlarm extends Watched {
  readonly kind: 'told';
  readonly pattern: EventPattern;
}

export type AlarmSpec = MetricAlarm | EventAlarm;

export interface AlarmsProps {
  readonly settings: Settings;
  readonly dashboardName: string;
}

/** How the people who run Poolkeeper hear of its own failures: two topics, one per urgency. */
export class Alarms extends Construct {
  readonly topics: Readonly<Record<Urgency, Topic>>;
  /** Alarms made so far, for the dashboard. */
  readonly alarms: Alarm[] = [];
  private readonly props: AlarmsProps;
  /** What the bus publishes with. A topic policy for EventBridge cannot say which account's rules it means. */
  private readonly ringer: Role;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.props = props;
    this.topics = { urgent: this.topic('urgent'), soon: this.topic('soon') };
    this.ringer = new Role(this, 'Ringer', {
      description: `Publishes what ${this.house} tells about itself`,
      assumedBy: new ServicePrincipal('events.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
  }

  /** Makes an alarm of a figure. */
  watch(spec: MetricAlarm): void {
    const { figure, breach, periods, of, silence } = spec;
    const alarm = new Alarm(this, spec.name, {
      alarmName: `${this.house}-${spec.name}`,
      alarmDescription: this.text(spec).join('\n'),
      metric: figure,
      ...('above' in breach
        ? { threshold: breach.above, comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD }
        : { threshold: breach.below, comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD }),
      evaluationPeriods: of,
      datapointsToAlarm: periods,
      treatMissingData: silence === 'fine' ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    });
    const action = new SnsAction(this.topics[spec.urgency]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    this.alarms.push(alarm);
  }

  /** Sends people what the bus tells of, in their words. */
  passOn(spec: EventAlarm, told: PublishedEvents, undelivered: DeadLetters): void {
    new Rule(this, spec.name, {
      ruleName: `${this.house}-${spec.name}`,
      description: `Loses: ${spec.loses}`.slice(0, 512),
      eventBus: told.bus,
      eventPattern: spec.pattern,
      targets: [
        new SnsTopic(this.topics[spec.urgency], {
          ...delivery,
          deadLetterQueue: undelivered.queue,
          role: this.ringer,
          message: RuleTargetInput.fromMultilineText(
            [
              `${this.house}-${spec.name}`,
              `${EventField.fromPath('$.detail.data.cluster')}/${EventField.fromPath('$.detail.data.pool')}: ${EventField.fromPath('$.detail.data.headline')}`,
              ...this.text(spec),
            ].join('\n'),
          ),
        }),
      ],
    });
  }

  private get house(): string {
    return Stack.of(this).stackName;
  }

  private text({ name, loses, urgency }: Watched): readonly string[] {
    const { region } = Stack.of(this);
    const { settings, dashboardName } = this.props;
    return [
      `Loses: ${loses}`,
      `Urgency: ${urgency}`,
      `Runbook: ${settings.runbook}#${name}`,
      `Dashboard: https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`,
    ];
  }

  /** Not encrypted with a key of our own: CloudWatch cannot publish through the AWS managed one, a customer managed one
   *  costs a dollar a month, and these texts hold names of clusters and alarms, nothing secret. */
  private topic(urgency: Urgency): Topic {
    const topic = new Topic(this, urgency, {
      topicName: `${this.house}-alarms-${urgency}`,
      displayName: `Poolkeeper ${this.props.settings.stage}, ${urgency}`,
      enforceSSL: true,
    });
    // A policy of our own, which enforceSSL makes, replaces the one that lets the account's alarms publish.
    const { account, region } = Stack.of(this);
    topic.addToResourcePolicy(
      new PolicyStatement({
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
              resourceName: `${this.house}-*`,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    for (const mailbox of this.props.settings.alarmMailboxes[urgency]) {
      topic.addSubscription(new EmailSubscription(mailbox));
    }
    return topic;
  }
}
