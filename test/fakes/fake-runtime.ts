import type { NewId, Runtime } from '../../functions/ports/time.ts';

export interface FakeRuntime extends Runtime {
  /** Moves the time on; what falls due on the way runs in order, each when all that came before has settled. */
  advance(ms: number): Promise<void>;
  /** Runs until the task has ended, moving the time to what is waited for next. Throws when nothing is. */
  run<T>(task: Promise<T>): Promise<T>;
}

interface Waiting {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Time, turns and chance that stand still until a test moves them, and are the same in every run. */
export function fakeRuntime(start: Date | string = '2026-03-02T10:00:00Z'): FakeRuntime {
  let nowMs = new Date(start).getTime();
  let waiting: readonly Waiting[] = [];
  let drawn = 0;

  function wait(ms: number, wake: () => void): void {
    const dueMs = nowMs + Math.max(0, ms);
    const before = waiting.filter((each) => each.dueMs <= dueMs);
    waiting = [...before, { dueMs, wake }, ...waiting.slice(before.length)];
  }

  /** False: nothing falls due until then. */
  async function wakeNext(untilMs: number): Promise<boolean> {
    await settled();
    const [next, ...rest] = waiting;
    if (next === undefined || next.dueMs > untilMs) return false;
    waiting = rest;
    nowMs = Math.max(nowMs, next.dueMs);
    next.wake();
    await settled();
    return true;
  }

  const sleep = (ms: number) => new Promise<void>((resolve) => wait(ms, resolve));
  return {
    clock: () => new Date(nowMs),
    sleep,
    backgroundSleep: sleep,
    deadline(ms) {
      const controller = new AbortController();
      wait(ms, () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
      return controller.signal;
    },
    yieldToEventLoop: () => sleep(0),
    newId: fakeIds(),
    random: () => {
      drawn += 1;
      return (drawn * 0.618_033_988_749_895) % 1;
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      while (await wakeNext(untilMs));
      nowMs = untilMs;
    },
    async run(task) {
      let ended = false;
      const watched = task.finally(() => {
        ended = true;
      });
      watched.catch(() => {});
      while (!ended) {
        if (!(await wakeNext(Number.POSITIVE_INFINITY)) && !ended) throw new Error('the task waits for no time');
      }
      return watched;
    },
  };
}

/** Ids that count. */
export function fakeIds(): NewId {
  let given = 0;
  return () => {
    given += 1;
    return `id-${given}`;
  };
}

/** Promises resolve in microtasks; one turn of the event loop lets all of them finish. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
