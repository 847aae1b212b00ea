import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once } from './evaluation.ts';
import { sum } from './metric-math.ts';
import { backlogAlarm, deadLetterAlarm } from './queues.ts';

/** Pushes that are forwarded to Argo CD; none where no Argo CD is configured with a relay. */
export function relayAlarms({ relays, functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const { 'relay-pushes': of, 'receive-github': receiver } = functions;
  if (relays === undefined || of === undefined) return [];
  return [
    {
      kind: 'metric',
      name: 'relays-late',
      impact:
        'A push was passed on to Argo CD before its pools were confirmed paused: nodes may reboot during its sync.',
      urgency: 'soon',
      metric: ownMetric({ of, stage, name: 'relaysLate', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'relays-refused',
      impact: 'An Argo CD was not told of a push, or refused it: its Applications follow it only by polling.',
      urgency: 'soon',
      metric: sum(
        [
          ownMetric({ of, stage, name: 'relaysRefused', period: fiveMinutes }),
          ownMetric({ of: receiver, stage, name: 'relaysTooLarge', period: fiveMinutes }),
        ],
        { label: 'refused', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
    backlogAlarm(relays, 120, {
      name: 'relay-queue-waiting',
      impact: 'Argo CD hears of pushes minutes late, or finds them by polling first.',
      urgency: 'soon',
    }),
    deadLetterAlarm(relays.deadLetters, {
      name: 'relay-queue-dead-letters',
      impact: 'An Argo CD could not be reached for three minutes and was not told of a push: it finds it by polling.',
      urgency: 'soon',
    }),
  ];
}
