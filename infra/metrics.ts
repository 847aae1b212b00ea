import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { PoolkeeperFunction } from './constructs/poolkeeper-function.ts';
import type { StageName } from './settings.ts';

/** Metrics that the functions publish themselves (functions/shell/metric-names.ts; a test compares the two). */
export const ownMetrics = {
  requestsUnauthorized: 'RequestsUnauthorized',
  recordsHandled: 'RecordsHandled',
  recordsFailed: 'RecordsFailed',
  racesEarly: 'RacesEarly',
  racesInTime: 'RacesInTime',
  racesLate: 'RacesLate',
  racesUnprotected: 'RacesUnprotected',
  poolsPaused: 'PoolsPaused',
  poolsResumed: 'PoolsResumed',
  holds: 'Holds',
  holdsOverdue: 'HoldsOverdue',
  oldestHoldAge: 'OldestHoldAge',
  tickAge: 'TickAge',
  ticksMissed: 'TicksMissed',
  blindClusters: 'BlindClusters',
  silentClusters: 'SilentClusters',
  deliveriesLost: 'DeliveriesLost',
  deliveriesRedelivered: 'DeliveriesRedelivered',
  relaysInOrder: 'RelaysInOrder',
  relaysLate: 'RelaysLate',
  relaysRefused: 'RelaysRefused',
  relaysTooLarge: 'RelaysTooLarge',
  relayWait: 'RelayWait',
  previewsTold: 'PreviewsTold',
  previewsRefused: 'PreviewsRefused',
  alertsDelivered: 'AlertsDelivered',
  alertsDelayed: 'AlertsDelayed',
  alertsRefused: 'AlertsRefused',
} as const;

/** The namespace they are published in. */
const ownNamespace = 'Poolkeeper';

export interface OwnMetric {
  readonly of: PoolkeeperFunction;
  readonly stage: StageName;
  readonly name: keyof typeof ownMetrics;
  readonly period: Duration;
  /** `Sum`, the default, for counts; `Maximum` for gauges such as holds and ages. */
  readonly statistic?: 'Sum' | 'Maximum';
}

/** One function's metric over a period. */
export function ownMetric({ of, stage, name, period, statistic = 'Sum' }: OwnMetric): Metric {
  return new Metric({
    namespace: ownNamespace,
    metricName: ownMetrics[name],
    dimensionsMap: { environment: stage, function: of.entry },
    statistic,
    period,
  });
}
