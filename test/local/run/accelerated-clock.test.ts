import { expect, test } from 'vitest';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { processTime } from '../../../local/run/process-time.ts';

test.each([
  ['waited', { wall: 100, idle: 100, processor: 0 }, 100],
  ['computed', { wall: 100, idle: 0, processor: 100 }, 100],
  ['got no processor', { wall: 100, idle: 10, processor: 5 }, 15],
  ['computed in several threads', { wall: 100, idle: 50, processor: 300 }, 100],
])('[N-27] a process that %s had its own time', (_, passed, had) => {
  const now = { wall: 7, idle: 3, processor: 2 };
  const time = processTime({ wall: () => now.wall, idle: () => now.idle, processor: () => now.processor });

  now.wall += passed.wall;
  now.idle += passed.idle;
  now.processor += passed.processor;

  expect(time()).toBe(had);
});

test('[N-27] its time never goes back', () => {
  const now = { wall: 0, idle: 0, processor: 0 };
  const time = processTime({ wall: () => now.wall, idle: () => now.idle, processor: () => now.processor });

  now.wall = 100;
  now.idle = 80;
  const before = time();
  now.idle = 70;

  expect(time()).toBe(before);
});

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
