import { expect, test } from 'vitest';
import { createPace, wholeSeconds } from '../../../local/openshift/pace.ts';
import { createRandom } from '../../../local/openshift/random.ts';
import { createVirtualClock } from './virtual-clock.ts';

const start = new Date('2026-03-02T08:00:00.250Z');

test('delays are divided by the speed and timestamps are not', async () => {
  const clock = createVirtualClock(start);
  const pace = createPace(clock, 10);
  const ran: string[] = [];
  pace.after(60_000, () => ran.push(pace.timestamp()));

  await clock.advance(5_999);
  const early = [...ran];
  await clock.advance(1);

  expect(early).toEqual([]);
  expect(ran).toEqual(['2026-03-02T08:00:06Z']);
  expect(pace.elapsedMs(start)).toBe(60_000);
  expect(pace.inFuture(20_000)).toEqual(new Date('2026-03-02T08:00:08.250Z'));
});

test('nothing runs once the pace has stopped', async () => {
  const clock = createVirtualClock(start);
  const pace = createPace(clock, 1);
  let ran = 0;
  const count = () => {
    ran += 1;
  };
  pace.after(10, count);

  pace.stop();
  pace.after(10, count);
  await clock.advance(100);

  expect(ran).toBe(0);
});

test('calls of one moment run in the order in which they were asked for', async () => {
  const clock = createVirtualClock(start);
  const ran: number[] = [];
  for (const number of [1, 2, 3]) clock.setTimeout(() => ran.push(number), 5);
  clock.setTimeout(() => ran.push(0), 4);

  await clock.advance(5);

  expect(ran).toEqual([0, 1, 2, 3]);
});

test('a moment that never comes is told, not waited for', async () => {
  const clock = createVirtualClock(start);

  await expect(clock.advanceUntil(() => false, 1_000)).rejects.toThrow(/not reached within 1000 ms/);
});

test('times are written as Kubernetes writes them', () => {
  expect(wholeSeconds(start)).toBe('2026-03-02T08:00:00Z');
});

test('one seed makes one sequence of names', () => {
  const names = (seed: number) => {
    const random = createRandom(seed);
    return [random.uid(), random.suffix(), random.uid()];
  };

  expect(names(7)).toEqual(names(7));
  expect(names(7)).not.toEqual(names(8));
  expect(names(7)[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
