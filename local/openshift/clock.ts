/** A pending call of a {@link Clock}. */
export interface Timer {
  /** Cancels it; does nothing when it has run already. */
  cancel(): void;
}

/** Time as the simulated cluster sees it. Injected, so that tests can move it. */
export interface Clock {
  now(): Date;
  setTimeout(run: () => void, delayMs: number): Timer;
}

/** The machine's own time. Timers do not keep the process alive: whoever starts a cluster also stops it. */
export function realClock(): Clock {
  return {
    now: () => new Date(),
    setTimeout: (run, delayMs) => {
      const handle = setTimeout(run, delayMs).unref();
      return { cancel: () => clearTimeout(handle) };
    },
  };
}
