import type { Clock } from './clock.ts';

/** Delays of the simulated parts, given as on a real cluster and divided by the speed factor. Timestamps in objects are
 *  the clock's and are not scaled. */
export interface Pace {
  /** The clock's time. */
  now(): Date;
  /** The clock's time in Kubernetes' format: ISO 8601, whole seconds. */
  timestamp(): string;
  /** Runs `run` after `clusterMs` of the cluster's time. The returned function cancels it. */
  after(clusterMs: number, run: () => void): () => void;
  sleep(clusterMs: number): Promise<void>;
  /** Cluster milliseconds since `moment`; negative when it is in the future. */
  elapsedMs(moment: Date): number;
  /** The clock's time `clusterMs` from now. */
  inFuture(clusterMs: number): Date;
  /** Cancels everything that is pending; nothing starts after this. */
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

/** `metav1.Time`: no fractions of a second. */
export function wholeSeconds(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
