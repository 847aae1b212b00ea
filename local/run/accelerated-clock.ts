import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Runtime } from '../../functions/ports/time.ts';
import { processTime } from './process-time.ts';

/** Time that runs `speed` times as fast as real time, from the moment it is created. The simulated cluster and
 *  Poolkeeper share one, so that delays and policies keep their real values and the demo still takes about a minute.
 *  Faster than real time, it is the time that this process had: on a busy machine all of it slows down together, and
 *  nothing is late because a processor was. */
export interface AcceleratedClock {
  now(): Date;
  /** Runs it after `delayMs` of this clock's time. Timers do not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): { cancel(): void };
  /** What the functions run with. Its deadlines are in real time, because they end real requests. */
  readonly runtime: Runtime;
  readonly speed: number;
  /** How far it has got ahead of real time, milliseconds. 0 if it always ran as fast. */
  aheadMs(): number;
  /** From now on it runs so many times as fast as real time. What waits wakes by the new speed. */
  runAt(speed: number): void;
}

/** Node's longest delay, some 25 days; it takes a longer one for none. */
const delayAtMostMs = 2 ** 31 - 1;

export function acceleratedClock(startSpeed: number): AcceleratedClock {
  const startTick = performance.now();
  const elapsed = startSpeed === 1 ? () => performance.now() - startTick : processTime();
  let speed = startSpeed;
  let since = { ms: Date.now(), elapsed: 0 };
  const nowMs = () => since.ms + (elapsed() - since.elapsed) * speed;
  const now = () => new Date(nowMs());
  /** Sets the timer of each that waits anew. */
  const waiting = new Set<() => void>();

  function after(ring: () => void, delayMs: number, { keepsAlive }: { readonly keepsAlive: boolean }) {
    const due = nowMs() + Math.max(0, delayMs);
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(look, realDelay(due));
      if (!keepsAlive) timer.unref();
    };
    const look = () => {
      if (nowMs() < due) return wait();
      waiting.delete(wait);
      ring();
    };
    const cancel = () => {
      waiting.delete(wait);
      clearTimeout(timer);
    };
    waiting.add(wait);
    wait();
    return { cancel };
  }

  /** Rounded up to whole milliseconds: Node rounds delays down, so that a shorter one would spin. */
  function realDelay(due: number): number {
    return Math.min(delayAtMostMs, Math.max(0, Math.ceil((due - nowMs()) / speed)));
  }

  function sleeping(keepsAlive: boolean): (ms: number) => Promise<void> {
    return (ms) => new Promise((resolve) => void after(resolve, ms, { keepsAlive }));
  }

  return {
    get speed() {
      return speed;
    },
    aheadMs: () => (startSpeed === 1 ? 0 : nowMs() - Date.now()),
    runAt(next) {
      since = { ms: nowMs(), elapsed: elapsed() };
      speed = next;
      for (const wait of waiting) wait();
    },
    now,
    setTimeout: (run, delayMs) => after(run, delayMs, { keepsAlive: false }),
    runtime: { ...systemRuntime, clock: now, sleep: sleeping(true), backgroundSleep: sleeping(false) },
  };
}
