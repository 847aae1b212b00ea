import type { Clock } from '../../functions/ports/time.ts';

export interface FakeClock {
  readonly now: Clock;
  /** Seconds. */
  advance(seconds: number): void;
  set(at: Date | string): void;
}

/** A clock that moves only when the test says so. */
export function fakeClock(start: Date | string = '2026-03-02T10:00:00Z'): FakeClock {
  let ms = new Date(start).getTime();
  return {
    now: () => new Date(ms),
    advance: (seconds) => {
      ms += seconds * 1000;
    },
    set: (at) => {
      ms = new Date(at).getTime();
    },
  };
}

/** As the API server prints instants: whole seconds, UTC. */
export function kubernetesTime(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
