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
  /** From now on it runs so many times as fast as real time. */
  runAt(speed: number): void;
}

export function acceleratedClock(startSpeed: number): AcceleratedClock {
  const startTick = performance.now();
  const elapsed = startSpeed === 1 ? () => performance.now() - startTick : processTime();
  let speed = startSpeed;
  let since = { ms: Date.now(), elapsed: 0 };
  const nowMs = () => since.ms + (elapsed() - since.elapsed) * speed;
  const now = () => new Date(nowMs());

  function after(run: () => void, delayMs: number): { cancel(): void } {
    const due = nowMs() + Math.max(0, delayMs);
    const wait = () => setTimeout(ring, realDelay(due)).unref();
    const ring = () => {
      if (nowMs() >= due) run();
      else handle = wait();
    };
    let handle = wait();
    return { cancel: () => clearTimeout(handle) };
  }

  /** Rounded up to whole milliseconds: Node rounds delays down, so that a shorter one would spin. */
  function realDelay(due: number): number {
    return Math.max(0, Math.ceil((due - nowMs()) / speed));
  }

  async function sleepWith(sleep: (ms: number) => Promise<unknown>, ms: number): Promise<void> {
    const due = nowMs() + Math.max(0, ms);
    do await sleep(realDelay(due));
    while (nowMs() < due);
  }

  return {
    get speed() {
      return speed;
    },
    runAt(next) {
      since = { ms: nowMs(), elapsed: elapsed() };
      speed = next;
    },
    now,
    setTimeout: after,
    runtime: {
      ...systemRuntime,
      clock: now,
      sleep: (ms) => sleepWith(systemRuntime.sleep, ms),
      backgroundSleep: (ms) => sleepWith(systemRuntime.backgroundSleep, ms),
    },
  };
}
