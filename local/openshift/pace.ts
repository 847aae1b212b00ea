import type { Clock } from './clock.ts';

/**
 * Delays of the simulated parts, written in the seconds they take on a real cluster and shortened by the speed factor.
 * Timestamps in objects are never shortened: they are the clock's.
 */
export interface Pace {
  /** The clock's time. */
  now(): Date;
  /** The clock's time as Kubernetes writes it: ISO 8601, whole seconds. */
  timestamp(): string;
  /** Runs `run` after `clusterMs` of the cluster's time; answers how to call it off. */
  after(clusterMs: number, run: () => void): () => void;
  sleep(clusterMs: number): Promise<void>;
  /** Cluster milliseconds since `moment`; negative while it lies ahead. */
  elapsedMs(moment: Date): number;
  /** The clock's time `clusterMs` from now. */
  inFuture(clusterMs: number): Date;
  /** Calls off everything that is pending; nothing starts after it. */
  stop(): void;
}

export function createPace(clock: Clock, speed: number): Pace {
  const cancels = new Set<() => void>();
  let stopped = false;

  function after(clusterMs: number, run: () => void): () => void {
    if (stopped) return () => {};
    const timer = clock.setTimeout(() => {
      cancels.delete(cancel);
      run();
    }, clusterMs / speed);
    const cancel = () => {
      cancels.delete(cancel);
      timer.cancel();
    };
    cancels.add(cancel);
    return cancel;
  }

  return {
    now: () => clock.now(),
    timestamp: () => wholeSeconds(clock.now()),
    after,
    sleep: (clusterMs) => new Promise((resolve) => after(clusterMs, resolve)),
    elapsedMs: (moment) => (clock.now().getTime() - moment.getTime()) * speed,
    inFuture: (clusterMs) => new Date(clock.now().getTime() + clusterMs / speed),
    stop() {
      stopped = true;
      for (const cancel of [...cancels]) cancel();
    },
  };
}

/** `metav1.Time`: no fraction of a second. */
export function wholeSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
