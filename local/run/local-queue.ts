import type { AcceleratedClock } from './accelerated-clock.ts';

export interface LocalQueueOptions<Event> {
  readonly name: string;
  readonly clock: AcceleratedClock;
  /** Throws if the event is to be delivered again. */
  readonly handle: (event: Event) => Promise<void>;
  /** Seconds until a failed message is delivered again. SQS: the visibility timeout. */
  readonly retryAfterSeconds: number;
  /** Deliveries before a message becomes a dead letter. SQS: maxReceiveCount. */
  readonly receiveAtMost: number;
  /** Messages processed at the same time. */
  readonly concurrency: number;
  readonly onFailure: (failure: { readonly queue: string; readonly cause: unknown; readonly isDead: boolean }) => void;
}

/** A queue in this process that behaves like SQS: at-least-once delivery, no guaranteed order, retries after a failure,
 *  and dead letters after too many. Messages are copies: nothing is shared by reference. */
export interface LocalQueue<Event> {
  send(event: Event, delaySeconds?: number): Promise<void>;
  /** Dead letters, oldest first. */
  readonly dead: readonly Event[];
  /** Takes no more messages; resolves when none is being processed. */
  stop(): Promise<void>;
}

interface Message {
  readonly body: string;
  receives: number;
}

export function localQueue<Event>(options: LocalQueueOptions<Event>): LocalQueue<Event> {
  const { clock, handle, concurrency } = options;
  const ready: Message[] = [];
  const dead: Event[] = [];
  const working = new Set<Promise<void>>();
  const timers = new Set<{ cancel(): void }>();
  let stopped = false;

  function later(message: Message, seconds: number): void {
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      ready.push(message);
      work();
    }, seconds * 1000);
    timers.add(timer);
  }

  function work(): void {
    while (!stopped && working.size < concurrency) {
      const message = ready.shift();
      if (message === undefined) return;
      const job = receive(message).finally(() => {
        working.delete(job);
        work();
      });
      working.add(job);
    }
  }

  async function receive(message: Message): Promise<void> {
    message.receives += 1;
    try {
      await handle(JSON.parse(message.body));
    } catch (cause) {
      const isDead = message.receives >= options.receiveAtMost;
      options.onFailure({ queue: options.name, cause, isDead });
      if (isDead) dead.push(JSON.parse(message.body));
      else later(message, options.retryAfterSeconds);
    }
  }

  return {
    dead,
    send: async (event, delaySeconds = 0) => {
      if (stopped) return;
      const message = { body: JSON.stringify(event), receives: 0 };
      if (delaySeconds > 0) return later(message, delaySeconds);
      ready.push(message);
      // In a later turn of the event loop: a queue never runs its consumer inside its producer.
      void clock.runtime.yieldToEventLoop().then(work);
    },
    async stop() {
      stopped = true;
      for (const timer of timers) timer.cancel();
      await Promise.all(working);
    },
  };
}
