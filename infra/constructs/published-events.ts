import { type Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, type EventPattern, Match } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';
import { RuleToLog } from './rule-to-log.ts';

export interface PublishedEventsProps {
  readonly settings: Settings;
  /** Dead letters of events that one of our rules could not deliver. */
  readonly undelivered: DeadLetters;
}

/** The event bus: one CloudEvent per transition, for anybody who subscribes. */
export class PublishedEvents extends Construct {
  readonly bus: EventBus;
  /** Writes every published event to a log group; copy this rule for a subscriber of your own. */
  readonly everything: RuleToLog;

  constructor(scope: Construct, id: string, { settings, undelivered }: PublishedEventsProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.bus = new EventBus(this, 'Bus', { eventBusName: stackName, description: 'What Poolkeeper did and why' });
    this.bus.archive('Archive', {
      description: 'Every published event, to be replayed to a subscriber that was down',
      eventPattern: publishedByPoolkeeper,
      retention: settings.archiveRetention,
    });
    this.everything = new RuleToLog(this, 'Everything', {
      bus: this.bus,
      ruleName: 'told',
      pattern: publishedByPoolkeeper,
      description: 'Keeps every published event where it can be tailed and queried',
      // EventBridge only writes to log groups under /aws/events/. Source: Amazon EventBridge, "CloudWatch Logs as a
      // target".
      logGroupName: `/aws/events/${stackName}/told`,
      retention: settings.logRetention,
      undelivered,
    });
  }

  grantPutEvents(...publishers: readonly PoolkeeperFunction[]): void {
    for (const publisher of publishers) this.bus.grantPutEventsTo(publisher);
  }

  /** Events that one of our rules could neither deliver nor send to its dead-letter queue. Metrics of rules on a custom
   *  bus have both dimensions. Source: Amazon EventBridge, "Monitoring". */
  lost(rule: string, period: Duration): Metric {
    const { stackName } = Stack.of(this);
    return new Metric({
      namespace: 'AWS/Events',
      metricName: 'InvocationsFailedToBeSentToDlq',
      dimensionsMap: { EventBusName: stackName, RuleName: `${stackName}-${rule}` },
      statistic: 'Sum',
      period,
    });
  }
}

/** Every published type: `poolkeeper.<thing>.<what>.v<n>`. A rule for one of them names its type with the version. */
const publishedByPoolkeeper: EventPattern = { source: ['poolkeeper'], detailType: Match.prefix('poolkeeper.') };
