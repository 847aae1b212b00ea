import type { AcceleratedClock } from '../run/accelerated-clock.ts';

/** Prints the steps of the demo, each with the cluster's time since the demo began, who acted and what happened. */
export interface StepPrinter {
  /** Times count from here on. */
  begin(): void;
  step(who: string, what: string): void;
  /** A line without time and actor. */
  say(line: string): void;
}

export function stepPrinter(clock: AcceleratedClock, write: (line: string) => void): StepPrinter {
  let startMs = clock.now().getTime();
  return {
    begin: () => {
      startMs = clock.now().getTime();
    },
    step: (who, what) => write(`${since(clock.now().getTime() - startMs)}  ${who.padEnd(11)} ${what}`),
    say: write,
  };
}

/** `+  0.4 s`, `+1 m 05 s`: nine characters. */
function since(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `+${seconds.toFixed(1).padStart(5)} s`.padEnd(9);
  const whole = Math.floor(seconds);
  return `+${String(Math.floor(whole / 60)).padStart(2)} m ${String(whole % 60).padStart(2, '0')} s`;
}
