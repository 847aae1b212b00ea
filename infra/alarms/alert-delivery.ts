import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once, quarterHour } from './evaluation.ts';

/** Messages that Slack, a mailbox or another target does not take. */
export function alertDeliveryAlarms({ functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const of = functions['send-alerts'];
  return [
    {
      kind: 'metric',
      name: 'alerts-refused',
      impact:
        'A channel or mailbox refuses our messages permanently: its people do not hear of degraded or stuck pools.',
      urgency: 'urgent',
      metric: ownMetric({ of, stage, name: 'alertsRefused', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'alerts-delayed',
      impact:
        'Messages have been failing for half an hour: people hear late of degraded or stuck pools, or not at all.',
      urgency: 'urgent',
      metric: ownMetric({ of, stage, name: 'alertsDelayed', period: quarterHour }),
      breach: { above: 0 },
      periods: 2,
      of: 2,
      missingData: 'fine',
    },
  ];
}
