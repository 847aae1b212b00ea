import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Runtime } from '../../functions/ports/time.ts';

/** Time that runs `speed` times as fast as real time, from the moment it is created. The simulated cluster and
 *  Poolkeeper share one, so that delays and policies keep their real values and the demo still takes about a minute. */
export interface AcceleratedClock {
  now(): Date;
  /** `delayMs` of this clock's time. Timers do not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): { cancel(): void };
  /** What the functions run with. Its deadlines are in real time, because they end real requests. */
  readonly runtime: Runtime;
  readonly speed: number;
}

export function acceleratedClock(speed: number): AcceleratedClock {
  const startMs = Date.now();
  const startTick = performance.now();
  const now = () => new Date(startMs + (performance.now() - startTick) * speed);

  function after(run: () => void, delayMs: number): { cancel(): void } {
    const handle = setTimeout(run, Math.max(0, delayMs / speed)).unref();
    return { cancel: () => clearTimeout(handle) };
  }

  return {
    speed,
    now,
    setTimeout: after,
    runtime: {
      ...systemRuntime,
      clock: now,
      sleep: (ms) => systemRuntime.sleep(ms / speed),
      backgroundSleep: (ms) => systemRuntime.backgroundSleep(ms / speed),
    },
  };
}
