import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type DeployedConfiguration, previews as hasPreviews, relays as hasRelay } from './configuration.ts';
import { DeadLetters } from './constructs/dead-letters.ts';
import { QueueWithDeadLetters } from './constructs/queue-with-dead-letters.ts';
import { timeouts } from './functions.ts';

export interface Queues {
  readonly work: QueueWithDeadLetters;
  readonly alerts: QueueWithDeadLetters;
  /** Undefined: no Argo CD has a relay. */
  readonly relays: QueueWithDeadLetters | undefined;
  /** Undefined: pull requests get no preview. */
  readonly previews: QueueWithDeadLetters | undefined;
  readonly undeliveredTicks: DeadLetters;
  readonly undeliveredEvents: DeadLetters;
}

/** Every queue of the stack, and how long each keeps a message that nobody consumes. */
export function queues(scope: Construct, configuration: DeployedConfiguration): Queues {
  const work = new QueueWithDeadLetters(scope, 'Work', {
    name: 'work-queue',
    consumerTimeout: timeouts['keep-pools'],
    // After a longer stop, the backlog would be ticks that say no more than the next one.
    retention: Duration.hours(4),
  });
  const alerts = new QueueWithDeadLetters(scope, 'Alerts', {
    name: 'alert-queue',
    consumerTimeout: timeouts['send-alerts'],
    retention: Duration.days(1),
  });
  const relays = hasRelay(configuration)
    ? new QueueWithDeadLetters(scope, 'Relays', {
        name: 'relay-queue',
        consumerTimeout: timeouts['relay-pushes'],
        // Argo CD polls every three minutes, so it knows older pushes already.
        retention: Duration.hours(4),
      })
    : undefined;
  const previews = hasPreviews(configuration)
    ? new QueueWithDeadLetters(scope, 'Previews', {
        name: 'preview-queue',
        consumerTimeout: timeouts['preview-changes'],
        // GitHub's rate limit may ask for an hour's wait. Older pull requests get a preview with their next push.
        retention: Duration.hours(12),
      })
    : undefined;
  const undeliveredTicks = new DeadLetters(scope, 'UndeliveredTicks', {
    name: 'ticks-dead-letters',
    of: 'schedules',
  });
  const undeliveredEvents = new DeadLetters(scope, 'UndeliveredTold', { name: 'told-dead-letters', of: 'rules' });
  return { work, alerts, relays, previews, undeliveredTicks, undeliveredEvents };
}
