/** Time that runs `speed` times as fast from the moment it was made. The simulated cluster and Poolkeeper share one,
 *  so that every delay and every policy keeps its real figure and the story still fits a minute. Speed 1 is real
 *  time. */
export interface AcceleratedClock {
  now(): Date;
  /** `delayMs` of this clock's time. Timers do not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): { cancel(): void };
  sleep(ms: number): Promise<void>;
  readonly speed: number;
}

export function acceleratedClock(speed: number): AcceleratedClock {
  const startMs = Date.now();
  const startTick = performance.now();

  function after(run: () => void, delayMs: number): { cancel(): void } {
    const handle = setTimeout(run, Math.max(0, delayMs / speed)).unref();
    return { cancel: () => clearTimeout(handle) };
  }

  return {
    speed,
    now: () => new Date(startMs + (performance.now() - startTick) * speed),
    setTimeout: after,
    sleep: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms / speed);
      }),
  };
}
