import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type DeployedConfiguration, previews as hasPreviews, relays as hasRelay } from './configuration.ts';
import { DeadLetters } from './constructs/dead-letters.ts';
import { QueueWithDeadLetters } from './constructs/queue-with-dead-letters.ts';
import { timeouts } from './functions.ts';

export interface Queues {
  readonly work: QueueWithDeadLetters;
  readonly alerts: QueueWithDeadLetters;
  /** Undefined: no Argo CD has its pushes from us. */
  readonly relays: QueueWithDeadLetters | undefined;
  /** Undefined: pull requests get no preview. */
  readonly previews: QueueWithDeadLetters | undefined;
  readonly undeliveredTicks: DeadLetters;
  readonly undeliveredTold: DeadLetters;
}

/** Every queue of the house, and how long each keeps what nobody took. */
export function queues(scope: Construct, configuration: DeployedConfiguration): Queues {
  const work = new QueueWithDeadLetters(scope, 'Work', {
    name: 'work-queue',
    workerTimeout: timeouts['keep-pools'],
    // A stop longer than this leaves a backlog of ticks that say nothing the next one does not say.
    retention: Duration.hours(4),
  });
  const alerts = new QueueWithDeadLetters(scope, 'Alerts', {
    name: 'alert-queue',
    workerTimeout: timeouts['send-alerts'],
    retention: Duration.days(1),
  });
  const relays = hasRelay(configuration)
    ? new QueueWithDeadLetters(scope, 'Relays', {
        name: 'relay-queue',
        workerTimeout: timeouts['relay-pushes'],
        // Argo CD polls every three minutes: what is older than this it knows.
        retention: Duration.hours(4),
      })
    : undefined;
  const previews = hasPreviews(configuration)
    ? new QueueWithDeadLetters(scope, 'Previews', {
        name: 'preview-queue',
        workerTimeout: timeouts['preview-changes'],
        // GitHub may ask to wait for an hour. A pull request that rests for longer has its next push.
        retention: Duration.hours(12),
      })
    : undefined;
  const undeliveredTicks = new DeadLetters(scope, 'UndeliveredTicks', {
    name: 'ticks-dead-letters',
    of: 'schedules',
  });
  const undeliveredTold = new DeadLetters(scope, 'UndeliveredTold', { name: 'told-dead-letters', of: 'rules' });
  return { work, alerts, relays, previews, undeliveredTicks, undeliveredTold };
}
