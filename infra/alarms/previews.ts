import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once } from './evaluation.ts';
import { backlogAlarm, deadLetterAlarm } from './queues.ts';

/** Previews on pull requests; none where they are not configured. */
export function previewAlarms({ previews, functions, settings: { stage } }: Resources): readonly MetricAlarm[] {
  const of = functions['preview-changes'];
  if (previews === undefined || of === undefined) return [];
  return [
    {
      kind: 'metric',
      name: 'previews-refused',
      impact:
        'GitHub refuses our status or comment permanently: reviewers do not see what a pull request does to nodes.',
      urgency: 'soon',
      metric: ownMetric({ of, stage, name: 'previewsRefused', period: fiveMinutes }),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
    backlogAlarm(previews, 600, {
      name: 'preview-queue-waiting',
      impact: 'Reviewers wait more than ten minutes to see what a pull request does to nodes, or merge without it.',
      urgency: 'soon',
    }),
    deadLetterAlarm(previews.deadLetters, {
      name: 'preview-queue-dead-letters',
      impact: 'A pull request was not told what it would do, and will not be until its next push.',
      urgency: 'soon',
    }),
  ];
}
