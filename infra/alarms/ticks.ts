import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once } from './evaluation.ts';

/** The clock: are ticks sent, do passes end, is every cluster reached? Missing data is what these are about. */
export function tickAlarms({ ticks, functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const { 'keep-pools': keepPools, 'watch-ticks': watchTicks } = functions;
  return [
    {
      kind: 'metric',
      name: 'ticks-stopped',
      impact: 'No cluster is looked at regularly: nothing makes up for a lost webhook, and holds do not end in time.',
      urgency: 'urgent',
      metric: ticks.attempts(fiveMinutes),
      breach: { below: 1 },
      ...once,
      missingData: 'breaching',
    },
    {
      kind: 'metric',
      name: 'passes-stopped',
      impact: 'No pass over any cluster succeeded for ten minutes: pools are neither paused nor resumed.',
      urgency: 'urgent',
      metric: ownMetric({ of: keepPools, stage, name: 'recordsHandled', period: fiveMinutes }),
      breach: { below: 1 },
      periods: 2,
      of: 2,
      missingData: 'breaching',
    },
    {
      kind: 'metric',
      name: 'clusters-silent',
      impact: 'At least one cluster was not seen for ten minutes: it is neither protected nor watched.',
      urgency: 'urgent',
      metric: ownMetric({
        of: watchTicks,
        stage,
        name: 'silentClusters',
        period: fiveMinutes,
        statistic: 'Maximum',
      }),
      breach: { above: 0 },
      // Two, because a run every five minutes can leave one five-minute period empty.
      periods: 2,
      of: 2,
      missingData: 'breaching',
    },
  ];
}
