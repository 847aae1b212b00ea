import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Runtime } from '../../functions/ports/time.ts';
import { timeWaited } from './time-waited.ts';

/** Time that runs `speed` times as fast as real time, from the moment it is created. The simulated cluster and
 *  Poolkeeper share one, so that delays and policies keep their real values and the demo still takes about a minute.
 *  Faster than real time, it stands still while this process computes, and does not pass the moment at which somebody
 *  is to wake before that one is awake: on a busy machine all of it slows down together, and nothing is late because a
 *  processor was. */
export interface AcceleratedClock {
  now(): Date;
  /** Runs it after `delayMs` of this clock's time. Timers do not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): { cancel(): void };
  /** What the functions run with. Its deadlines are in real time, because they end real requests. */
  readonly runtime: Runtime;
  readonly speed: number;
  /** How far it has got ahead of real time, milliseconds. 0 if it always ran as fast. */
  aheadMs(): number;
  /** From now on it runs so many times as fast as real time. What waits wakes by the new speed. */
  runAt(speed: number): void;
}

interface Waiting {
  /** Milliseconds of this clock since 1970. */
  readonly due: number;
  /** Sets its timer anew. */
  readonly wait: () => void;
}

/** Node's longest delay, some 25 days; it takes a longer one for none. */
const delayAtMostMs = 2 ** 31 - 1;

export function acceleratedClock(startSpeed: number): AcceleratedClock {
  const waited = timeWaited();
  let speed = startSpeed;
  const elapsed = () => (speed > 1 ? waited() : performance.now());
  let last = { ms: Date.now(), elapsed: elapsed() };
  const now = () => new Date(nowMs());
  const waiting = new Set<Waiting>();

  function nowMs(): number {
    const passed = elapsed();
    const ms = last.ms + (passed - last.elapsed) * speed;
    last = { ms: speed > 1 ? Math.max(last.ms, Math.min(ms, nextDue())) : ms, elapsed: passed };
    return last.ms;
  }

  function nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of waiting) next = Math.min(next, due);
    return next;
  }

  function after(ring: () => void, delayMs: number, { keepsAlive }: { readonly keepsAlive: boolean }) {
    const due = nowMs() + Math.max(0, delayMs);
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(look, realDelay(due));
      if (!keepsAlive) timer.unref();
    };
    const one: Waiting = { due, wait };
    const look = () => {
      if (nowMs() < due) return wait();
      waiting.delete(one);
      ring();
    };
    const cancel = () => {
      waiting.delete(one);
      clearTimeout(timer);
    };
    waiting.add(one);
    wait();
    return { cancel };
  }

  /** Rounded up to whole milliseconds: Node rounds delays down, so that a shorter one would spin. */
  function realDelay(due: number): number {
    return Math.min(delayAtMostMs, Math.max(0, Math.ceil((due - nowMs()) / speed)));
  }

  function sleeping(keepsAlive: boolean): (ms: number) => Promise<void> {
    return (ms) => new Promise((resolve) => void after(resolve, ms, { keepsAlive }));
  }

  return {
    get speed() {
      return speed;
    },
    aheadMs: () => (startSpeed === 1 ? 0 : nowMs() - Date.now()),
    runAt(next) {
      const ms = nowMs();
      speed = next;
      last = { ms, elapsed: elapsed() };
      for (const { wait } of waiting) wait();
    },
    now,
    setTimeout: (run, delayMs) => after(run, delayMs, { keepsAlive: false }),
    runtime: { ...systemRuntime, clock: now, sleep: sleeping(true), backgroundSleep: sleeping(false) },
  };
}

/** The clock of this machine, as it is: an accelerated one goes on from when it began, and would be wrong for ever once
 *  the machine has slept or its clock was set. */
export function machineClock(runtime: Runtime = systemRuntime): AcceleratedClock {
  return { ...acceleratedClock(1), now: runtime.clock, runtime };
}
