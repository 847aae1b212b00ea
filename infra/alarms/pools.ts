import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once } from './evaluation.ts';
import { sum } from './metric-math.ts';

/** Pauses that came too late and holds that outlive their end. Passes run in keep-pools and, for one Application, in
 *  the handshake. */
export function poolAlarms({ functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const { 'keep-pools': keepPools, handshake } = functions;
  return [
    {
      kind: 'metric',
      name: 'races-lost',
      impact: 'A sync was not protected: nodes were already rebooting when its pause took effect, or it never did.',
      urgency: 'soon',
      metric: sum(
        [keepPools, handshake].flatMap((of) => [
          ownMetric({ of, stage, name: 'racesLate', period: fiveMinutes }),
          ownMetric({ of, stage, name: 'racesUnprotected', period: fiveMinutes }),
        ]),
        { label: 'lost', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'holds-overdue',
      impact: 'A pool stays paused past the end of its hold, and gets no configuration and no update.',
      urgency: 'soon',
      metric: ownMetric({ of: keepPools, stage, name: 'holdsOverdue', period: fiveMinutes, statistic: 'Maximum' }),
      breach: { above: 0 },
      // A hold that has just ended is released by the next tick.
      periods: 3,
      of: 3,
      missingData: 'fine',
    },
  ];
}
