import type { IncidentDue, PublishedEvent, WorkEvent } from '../../events/index.ts';
import type { EventBus } from '../../functions/ports/messages.ts';
import type { AlertQueue, WorkQueue } from '../../functions/ports/queues.ts';
import type { Clock } from '../../functions/ports/time.ts';
import { createFaults, type Faults } from './faults.ts';

export interface Queued<Event> {
  readonly event: Event;
  /** When it becomes visible. */
  readonly dueAt: Date;
}

export interface FakeQueue<Event> {
  /** Everything ever sent, oldest first. */
  readonly sent: readonly Queued<Event>[];
  /** Messages not taken yet, earliest due first. */
  waiting(): readonly Queued<Event>[];
  /** Takes what is visible now, earliest due first. Putting it back is the test's business: `back`. */
  take(): readonly Queued<Event>[];
  /** A message comes again at once, as after a failed consumer or a duplicate delivery. */
  back(message: Queued<Event>): void;
  send(event: Event, delaySeconds?: number): Promise<void>;
}

export function fakeWorkQueue(clock: Clock, faults: Faults = createFaults()): FakeQueue<WorkEvent> & WorkQueue {
  return queue('work.send', clock, faults);
}

export function fakeAlertQueue(clock: Clock, faults: Faults = createFaults()): FakeQueue<IncidentDue> & AlertQueue {
  return queue('alerts.send', clock, faults);
}

export interface FakeBus extends EventBus {
  readonly published: readonly PublishedEvent[];
}

export function fakeBus(faults: Faults = createFaults()): FakeBus {
  const published: PublishedEvent[] = [];
  return {
    published,
    publish: (events) =>
      faults.run('bus.publish', () => {
        published.push(...events);
      }),
  };
}

function queue<Event>(op: 'work.send' | 'alerts.send', clock: Clock, faults: Faults): FakeQueue<Event> {
  const sent: Queued<Event>[] = [];
  let waiting: Queued<Event>[] = [];

  function enqueue(message: Queued<Event>): void {
    waiting = [...waiting, message].sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
  }

  return {
    sent,
    waiting: () => waiting,
    take() {
      const now = clock().getTime();
      const due = waiting.filter(({ dueAt }) => dueAt.getTime() <= now);
      waiting = waiting.filter(({ dueAt }) => dueAt.getTime() > now);
      return due;
    },
    back: (message) => enqueue({ ...message, dueAt: clock() }),
    send: (event, delaySeconds = 0) =>
      faults.run(op, () => {
        const message = { event, dueAt: new Date(clock().getTime() + delaySeconds * 1000) };
        sent.push(message);
        enqueue(message);
      }),
  };
}
