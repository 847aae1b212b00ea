import type { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { KeeperFunction } from './constructs/keeper-function.ts';
import type { StageName } from './settings.ts';

/** Figures that the functions write themselves (functions/shell/metric-names.ts, which a test compares with this). */
export const ownFigures = {
  requestsUnauthorized: 'RequestsUnauthorized',
  recordsHandled: 'RecordsHandled',
  recordsFailed: 'RecordsFailed',
} as const;

/** The namespace they are written to. */
export const ownNamespace = 'Poolkeeper';

export interface OwnFigure {
  readonly of: KeeperFunction;
  readonly stage: StageName;
  readonly name: keyof typeof ownFigures;
  readonly period: Duration;
}

/** One function's count of something over a period. */
export function ownFigure({ of, stage, name, period }: OwnFigure): Metric {
  return new Metric({
    namespace: ownNamespace,
    metricName: ownFigures[name],
    dimensionsMap: { environment: stage, function: of.entry },
    statistic: 'Sum',
    period,
  });
}
