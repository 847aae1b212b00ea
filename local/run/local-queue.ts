import { Transient } from '../../functions/core/text/errors.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';

export interface LocalQueueOptions<Event> {
  readonly name: string;
  readonly clock: AcceleratedClock;
  /** Whose message it is: those who have messages waiting take turns. Undefined: nobody's, which waits for no turn. */
  readonly groupOf: (event: Event) => string | undefined;
  /** Throws if the event is to be delivered again. */
  readonly handle: (event: Event) => Promise<void>;
  /** Seconds until a failed message is delivered again, at least. SQS: the visibility timeout. */
  readonly retryAfterSeconds: number;
  /** Deliveries before a message becomes a dead letter. SQS: maxReceiveCount. */
  readonly receiveAtMost: number;
  /** Messages processed at the same time. */
  readonly concurrency: number;
  readonly onFailure: (failure: { readonly queue: string; readonly cause: unknown; readonly isDead: boolean }) => void;
  /** Absent: what is in the queue is lost with the process. */
  readonly kept?: KeptMessages<Event> | undefined;
}

/** Where messages outlast the process. */
export interface KeptMessages<Event> {
  /** Its id there; undefined: it is not kept. Throws Transient. */
  keep(event: Event): Promise<string | undefined>;
  /** It has been handled. Throws Transient. */
  done(id: string): Promise<void>;
}

/** A queue in this process that behaves like SQS: at-least-once delivery, no guaranteed order but that of turns, so
 *  that whoever sends much holds up nobody else, retries after a failure, and dead letters after too many. Messages are
 *  copies: nothing is shared by reference. */
export interface LocalQueue<Event> {
  /** Resolves once it is kept, if it is to be kept; then it throws Transient if that fails. */
  send(event: Event, delaySeconds?: number): Promise<void>;
  /** Dead letters, oldest first. */
  readonly dead: readonly Event[];
  /** Takes no more messages; resolves when none is being processed, with those that still wait, in no order. */
  stop(): Promise<readonly Event[]>;
}

interface Message {
  readonly body: string;
  readonly group: string | undefined;
  /** Undefined: it is lost with the process. */
  readonly keptAs: string | undefined;
  receives: number;
}

export function localQueue<Event>(options: LocalQueueOptions<Event>): LocalQueue<Event> {
  return new InProcessQueue(options);
}

class InProcessQueue<Event> implements LocalQueue<Event> {
  readonly dead: Event[] = [];
  private readonly options: LocalQueueOptions<Event>;
  /** Of each group the oldest first; the groups in the order of their turns. */
  private readonly ready = new Map<string | undefined, Message[]>();
  private readonly processing = new Set<Promise<void>>();
  private readonly timers = new Map<{ cancel(): void }, Message>();
  /** What came or failed once it was stopped. */
  private readonly left: Message[] = [];
  private stopped = false;

  constructor(options: LocalQueueOptions<Event>) {
    this.options = options;
  }

  async send(event: Event, delaySeconds = 0): Promise<void> {
    const keptAs = await this.options.kept?.keep(event);
    const message = { body: JSON.stringify(event), group: this.options.groupOf(event), keptAs, receives: 0 };
    if (delaySeconds > 0) return this.deliverLater(message, delaySeconds);
    this.enqueue(message);
    // In a later turn of the event loop: a queue never runs its consumer inside its producer.
    void this.options.clock.runtime.yieldToEventLoop().then(() => this.process());
  }

  async stop(): Promise<readonly Event[]> {
    this.stopped = true;
    for (const timer of this.timers.keys()) timer.cancel();
    await Promise.all(this.processing);
    const waiting = [...this.timers.values(), ...[...this.ready.values()].flat(), ...this.left.splice(0)];
    this.timers.clear();
    this.ready.clear();
    return waiting.map(({ body }) => JSON.parse(body));
  }

  private deliverLater(message: Message, seconds: number): void {
    if (this.stopped) return void this.left.push(message);
    const timer = this.options.clock.setTimeout(() => {
      this.timers.delete(timer);
      this.enqueue(message);
      this.process();
    }, seconds * 1000);
    this.timers.set(timer, message);
  }

  /** A group that had nothing waiting has its turn after all others. */
  private enqueue(message: Message): void {
    const waiting = this.ready.get(message.group);
    if (waiting === undefined) this.ready.set(message.group, [message]);
    else waiting.push(message);
  }

  private process(): void {
    while (!this.stopped && this.processing.size < this.options.concurrency) {
      const message = this.next();
      if (message === undefined) return;
      const job = this.receive(message).finally(() => {
        this.processing.delete(job);
        this.process();
      });
      this.processing.add(job);
    }
  }

  private next(): Message | undefined {
    const [group] = this.ready.has(undefined) ? [undefined] : this.ready.keys();
    const waiting = this.ready.get(group) ?? [];
    const message = waiting.shift();
    this.ready.delete(group);
    if (waiting.length > 0) this.ready.set(group, waiting);
    return message;
  }

  private async receive(message: Message): Promise<void> {
    const { name, handle, receiveAtMost, retryAfterSeconds, onFailure, kept } = this.options;
    message.receives += 1;
    try {
      await handle(JSON.parse(message.body));
      if (message.keptAs !== undefined) await kept?.done(message.keptAs);
    } catch (cause) {
      const isDead = message.receives >= receiveAtMost;
      onFailure({ queue: name, cause, isDead });
      if (isDead) this.dead.push(JSON.parse(message.body));
      else this.deliverLater(message, Math.max(retryAfterSeconds, askedToWaitSeconds(cause)));
    }
  }
}

function askedToWaitSeconds(cause: unknown): number {
  return cause instanceof Transient ? (cause.retryAfterSeconds ?? 0) : 0;
}
