import type { Pace } from '../pace.ts';

/** client-go's delaying work queue: a key waits for the earliest of its deadlines and is never synced twice at once. */
export interface DelayQueue {
  addAfter(key: string, delayMs: number): void;
}

interface QueueOptions {
  readonly pace: Pace;
  /** Syncs a key. After a rejection it is retried, with a growing delay. */
  readonly sync: (key: string) => Promise<void>;
  readonly workers: number;
}

/** First delay after a failed sync; doubled each time. Source: client-go DefaultTypedControllerRateLimiter. */
const firstRetryMs = 5;

export function createDelayQueue(options: QueueOptions): DelayQueue {
  return new EarliestDeadlineQueue(options);
}

class EarliestDeadlineQueue implements DelayQueue {
  private readonly options: QueueOptions;
  private readonly waiting = new Map<string, { readonly due: Date; readonly cancel: () => void }>();
  private readonly ready: string[] = [];
  private readonly syncing = new Set<string>();
  private readonly failures = new Map<string, number>();

  constructor(options: QueueOptions) {
    this.options = options;
  }

  addAfter(key: string, delayMs: number): void {
    const { pace } = this.options;
    const already = this.waiting.get(key);
    if (already && -pace.elapsedMs(already.due) <= delayMs) return;
    already?.cancel();
    const cancel = pace.after(delayMs, () => {
      this.waiting.delete(key);
      this.add(key);
    });
    this.waiting.set(key, { due: pace.inFuture(delayMs), cancel });
  }

  private add(key: string): void {
    if (!this.ready.includes(key)) this.ready.push(key);
    this.work();
  }

  /** A key that falls due while it is being synced stays ready and is taken again right afterwards. */
  private work(): void {
    const { sync, workers } = this.options;
    while (this.syncing.size < workers) {
      const at = this.ready.findIndex((key) => !this.syncing.has(key));
      const [key] = at < 0 ? [] : this.ready.splice(at, 1);
      if (key === undefined) return;
      this.syncing.add(key);
      sync(key)
        .then(
          () => void this.failures.delete(key),
          () => this.retry(key),
        )
        .finally(() => {
          this.syncing.delete(key);
          this.work();
        });
    }
  }

  private retry(key: string): void {
    const count = this.failures.get(key) ?? 0;
    this.failures.set(key, count + 1);
    this.addAfter(key, firstRetryMs * 2 ** Math.min(count, 15));
  }
}
