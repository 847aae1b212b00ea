import type { MetricAlarm } from '../constructs/alarms.ts';
import type { DeadLetters } from '../constructs/dead-letters.ts';
import type { QueueWithDeadLetters } from '../constructs/queue-with-dead-letters.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once } from './evaluation.ts';
import { ageWhileWaiting } from './metric-math.ts';

/** The queues and dead-letter queues that every deployment has. */
export function queueAlarms({ work, alerts, undeliveredTicks, undeliveredEvents }: Resources): readonly MetricAlarm[] {
  return [
    // The machine config controller targets its first node within seconds: after two minutes it is too late.
    backlogAlarm(work, 120, {
      name: 'work-queue-waiting',
      impact: 'Pauses come minutes after the push or the sync that needs them: too late for the first nodes.',
      urgency: 'urgent',
    }),
    backlogAlarm(alerts, 300, {
      name: 'alert-queue-waiting',
      impact: 'Messages about degraded and stuck pools come more than five minutes late.',
      urgency: 'soon',
    }),
    deadLetterAlarm(work.deadLetters, {
      name: 'work-queue-dead-letters',
      impact: 'A push, an operation or a look at a cluster failed five times and was given up.',
      urgency: 'urgent',
    }),
    deadLetterAlarm(alerts.deadLetters, {
      name: 'alert-queue-dead-letters',
      impact: 'Somebody was not told of an incident, and will not be until its next change or reminder.',
      urgency: 'urgent',
    }),
    deadLetterAlarm(undeliveredTicks, {
      name: 'ticks-dead-letters',
      impact: 'For a minute a cluster was not looked at.',
      urgency: 'soon',
    }),
    deadLetterAlarm(undeliveredEvents, {
      name: 'told-dead-letters',
      impact: 'Subscribers of the event bus, including the log of published events, miss what happened.',
      urgency: 'soon',
    }),
  ];
}

type AlarmText = Pick<MetricAlarm, 'name' | 'impact' | 'urgency'>;

/** The oldest waiting message has been older than `maxAgeSeconds` for five minutes. */
export function backlogAlarm(queue: QueueWithDeadLetters, maxAgeSeconds: number, text: AlarmText): MetricAlarm {
  return {
    kind: 'metric',
    ...text,
    metric: ageWhileWaiting(queue),
    breach: { above: maxAgeSeconds },
    periods: 5,
    of: 5,
    missingData: 'fine',
  };
}

/** A dead-letter queue is not empty. */
export function deadLetterAlarm(deadLetters: DeadLetters, text: AlarmText): MetricAlarm {
  return {
    kind: 'metric',
    ...text,
    metric: deadLetters.count(fiveMinutes),
    breach: { above: 0 },
    ...once,
    // SQS publishes no metrics for a queue that has been empty for six hours.
    missingData: 'fine',
  };
}
