import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { KeeperFunction } from './constructs/keeper-function.ts';
import type { StageName } from './settings.ts';

/** Figures that the functions write themselves (functions/shell/metric-names.ts, which a test compares with this). */
export const ownFigures = {
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

/** The namespace they are written to. */
export const ownNamespace = 'Poolkeeper';

export interface OwnFigure {
  readonly of: KeeperFunction;
  readonly stage: StageName;
  readonly name: keyof typeof ownFigures;
  readonly period: Duration;
  /** `Sum` of what is counted, the default; `Maximum` of what stands, as holds and ages. */
  readonly statistic?: 'Sum' | 'Maximum';
}

/** One function's figure over a period. */
export function ownFigure({ of, stage, name, period, statistic = 'Sum' }: OwnFigure): Metric {
  return new Metric({
    namespace: ownNamespace,
    metricName: ownFigures[name],
    dimensionsMap: { environment: stage, function: of.entry },
    statistic,
    period,
  });
}
