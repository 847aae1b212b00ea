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
  /** Where events go that a rule of ours could not deliver. */
  readonly undelivered: DeadLetters;
}

/** Where Poolkeeper tells what it did, one CloudEvent per transition, for everybody who wants to know. */
export class PublishedEvents extends Construct {
  readonly bus: EventBus;
  /** Writes everything told to a log group: the rule to copy for a subscriber of your own. */
  readonly everything: RuleToLog;

  constructor(scope: Construct, id: string, { settings, undelivered }: PublishedEventsProps) {
    super(scope, id);
    const house = Stack.of(this).stackName;
    this.bus = new EventBus(this, 'Bus', { eventBusName: house, description: 'What Poolkeeper did and why' });
    this.bus.archive('Archive', {
      description: 'Everything told, to be replayed to a subscriber that was down',
      eventPattern: toldByPoolkeeper,
      retention: settings.archiveRetention,
    });
    this.everything = new RuleToLog(this, 'Everything', {
      bus: this.bus,
      ruleName: 'told',
      pattern: toldByPoolkeeper,
      description: 'Keeps everything told where it can be tailed and queried',
      // EventBridge writes to groups under /aws/events/ only. Source: Amazon EventBridge, "CloudWatch Logs as a
      // target".
      logGroupName: `/aws/events/${house}/told`,
      retention: settings.logRetention,
      undelivered,
    });
  }

  toldBy(...tellers: readonly PoolkeeperFunction[]): void {
    for (const teller of tellers) this.bus.grantPutEventsTo(teller);
  }

  /** Events that a rule of ours could neither deliver nor put among the dead letters. Rules on a bus of one's own are
   *  measured under both names. Source: Amazon EventBridge, "Monitoring". */
  lost(rule: string, period: Duration): Metric {
    const house = Stack.of(this).stackName;
    return new Metric({
      namespace: 'AWS/Events',
      metricName: 'InvocationsFailedToBeSentToDlq',
      dimensionsMap: { EventBusName: house, RuleName: `${house}-${rule}` },
      statistic: 'Sum',
      period,
    });
  }
}

/** Every published type: `poolkeeper.<thing>.<what>.v<n>`. A rule for one thing names its type, version included. */
const toldByPoolkeeper: EventPattern = { source: ['poolkeeper'], detailType: Match.prefix('poolkeeper.') };
