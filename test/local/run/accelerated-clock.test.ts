import { expect, test } from 'vitest';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { acceleratedClock, machineClock } from '../../../local/run/accelerated-clock.ts';

test('[N-27] what waits for a time is not late, however long something computes', async () => {
  const clock = acceleratedClock(1_000);
  const begun = clock.now().getTime();
  const woken: number[] = [];
  for (const seconds of [1, 2, 3])
    clock.setTimeout(() => void woken.push(clock.now().getTime() - begun), seconds * 1000);

  compute(20);
  const computed = clock.now().getTime() - begun;
  await clock.runtime.sleep(4000);

  expect(computed).toBeLessThanOrEqual(1000);
  expect(woken).toEqual([1000, 2000, 3000]);
});

/** Milliseconds of this thread. */
function compute(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('timers and sleeps end when this clock says so, not before', async () => {
  const clock = acceleratedClock(50);
  const begun = clock.now().getTime();

  await clock.runtime.sleep(5000);
  const slept = clock.now().getTime() - begun;
  const rung = await new Promise<number>((done) => {
    const at = clock.now().getTime();
    clock.setTimeout(() => done(clock.now().getTime() - at), 2000);
  });

  expect(slept).toBeGreaterThanOrEqual(5000);
  expect(rung).toBeGreaterThanOrEqual(2000);
});

test('[N-32] it goes on at another speed from where it is, and what waits wakes by the new one', async () => {
  const clock = acceleratedClock(1000);
  await clock.runtime.sleep(60_000);
  const before = clock.now().getTime();
  const slept = clock.runtime.sleep(20);

  clock.runAt(1);
  const after = clock.now().getTime();
  const real = performance.now();
  await slept;

  expect(after).toBeGreaterThanOrEqual(before);
  expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(20);
  // A hundred times what real time passed would still be the old speed.
  expect(clock.now().getTime() - after).toBeLessThan(100 * Math.max(1, performance.now() - real));
});

test('[N-32] what began to wait while it was slow wakes by the new speed when it gets faster', async () => {
  const clock = acceleratedClock(20);
  clock.runAt(1);
  const before = clock.now().getTime();
  const anHour = 3_600_000;
  const slept = Promise.all([clock.runtime.sleep(anHour), clock.runtime.backgroundSleep(anHour)]);
  const rung = new Promise<void>((resolve) => void clock.setTimeout(resolve, anHour));
  const cancelled = clock.setTimeout(() => expect.unreachable(), anHour);

  cancelled.cancel();
  clock.runAt(100_000);
  await Promise.all([slept, rung]);

  expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(anHour);
  expect(clock.aheadMs()).toBeGreaterThan(anHour / 2);
});

test('a wait that is longer than Node can wait does not end at once', async () => {
  const clock = acceleratedClock(1);
  let isOver = false;

  const timer = clock.setTimeout(() => {
    isOver = true;
  }, 2 ** 32);
  await clock.runtime.sleep(20);
  timer.cancel();

  expect(isOver).toBe(false);
  expect(clock.aheadMs()).toBe(0);
});

test('[N-8] [N-30] the clock of real clusters is that of the machine, also after it has slept or its clock was set', () => {
  let at = new Date('2026-03-02T22:00:00Z');
  const clock = machineClock({ ...systemRuntime, clock: () => at });

  at = new Date('2026-03-03T06:00:00Z');

  expect([clock.now(), clock.runtime.clock()]).toEqual([at, at]);
});
