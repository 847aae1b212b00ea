import type { Clock, Timer } from '../../../local/openshift/clock.ts';

/** A clock that stands still until it is moved. */
export interface VirtualClock extends Clock {
  /** Moves time forward by `ms` and runs what falls due, in order. Everything that a timer triggers has settled before
   *  the next one runs. */
  advance(ms: number): Promise<void>;
  /** Moves from timer to timer until `reached` holds, and returns the milliseconds that took. Throws when `limitMs` is
   *  not enough. */
  advanceUntil(reached: () => boolean, limitMs: number): Promise<number>;
}

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Calls that are due at the same moment run in the order in which they were set, so that every run is repeatable. */
export function createVirtualClock(start: Date): VirtualClock {
  let nowMs = start.getTime();
  let order = 0;
  const pending = new Set<Pending>();

  function earliest(): Pending | undefined {
    let first: Pending | undefined;
    for (const call of pending) {
      if (!first || call.dueMs < first.dueMs || (call.dueMs === first.dueMs && call.order < first.order)) first = call;
    }
    return first;
  }

  async function runNext(untilMs: number): Promise<boolean> {
    const call = earliest();
    if (!call || call.dueMs > untilMs) return false;
    pending.delete(call);
    nowMs = Math.max(nowMs, call.dueMs);
    call.run();
    await settled();
    return true;
  }

  return {
    now: () => new Date(nowMs),
    setTimeout(run, delayMs): Timer {
      const call: Pending = { dueMs: nowMs + Math.max(0, delayMs), order: order++, run };
      pending.add(call);
      return { cancel: () => void pending.delete(call) };
    },
    async advance(ms) {
      await settled();
      const untilMs = nowMs + ms;
      while (await runNext(untilMs)) {
        // runs everything that falls due on the way
      }
      nowMs = untilMs;
    },
    async advanceUntil(reached, limitMs) {
      await settled();
      const startMs = nowMs;
      while (!reached()) {
        if (!(await runNext(startMs + limitMs)))
          throw new Error(`not reached within ${limitMs} ms of simulated time: ${reached}`);
      }
      return nowMs - startMs;
    },
  };
}

/** Promises resolve in microtasks: one turn of the event loop lets all of them finish. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
