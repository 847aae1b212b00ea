import type { Pace } from '../pace.ts';

/** client-go's delaying work queue: a key waits for the earliest of its deadlines and is never worked on twice at
 *  once. */
export interface DelayQueue {
  addAfter(key: string, delayMs: number): void;
}

interface QueueOptions {
  readonly pace: Pace;
  /** One look at a key. A rejection brings it back, later each time. */
  readonly sync: (key: string) => Promise<void>;
  readonly workers: number;
}

/** First delay after a failed look; doubled each time. Source: client-go DefaultTypedControllerRateLimiter. */
const firstRetryMs = 5;

export function createDelayQueue({ pace, sync, workers }: QueueOptions): DelayQueue {
  const waiting = new Map<string, { readonly due: Date; readonly cancel: () => void }>();
  const ready: string[] = [];
  const working = new Set<string>();
  const failures = new Map<string, number>();

  function addAfter(key: string, delayMs: number): void {
    const already = waiting.get(key);
    if (already && -pace.elapsedMs(already.due) <= delayMs) return;
    already?.cancel();
    const cancel = pace.after(delayMs, () => {
      waiting.delete(key);
      add(key);
    });
    waiting.set(key, { due: pace.inFuture(delayMs), cancel });
  }

  function add(key: string): void {
    if (!ready.includes(key)) ready.push(key);
    work();
  }

  /** A key that falls due while it is worked on stays ready, and is taken again as soon as that is done. */
  function work(): void {
    while (working.size < workers) {
      const at = ready.findIndex((key) => !working.has(key));
      const [key] = at < 0 ? [] : ready.splice(at, 1);
      if (key === undefined) return;
      working.add(key);
      sync(key)
        .then(
          () => void failures.delete(key),
          () => retry(key),
        )
        .finally(() => {
          working.delete(key);
          work();
        });
    }
  }

  function retry(key: string): void {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    addAfter(key, firstRetryMs * 2 ** Math.min(count, 15));
  }

  return { addAfter };
}
