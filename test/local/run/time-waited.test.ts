import { expect, test } from 'vitest';
import { timeWaited } from '../../../local/run/time-waited.ts';

test.each([
  ['waited', { wall: 100, idle: 100 }, 100],
  ['computed', { wall: 100, idle: 0 }, 0],
  ['got no processor', { wall: 100, idle: 10 }, 10],
  ['waited more than passed, by the meters', { wall: 100, idle: 101 }, 100],
])('[N-27] of a process that %s, the time in which it waited counts', (_, passed, waited) => {
  const now = { wall: 7, idle: 3 };
  const time = timeWaited({ wall: () => now.wall, idle: () => now.idle });

  now.wall += passed.wall;
  now.idle += passed.idle;

  expect(time()).toBe(waited);
});

test('[N-27] its time never goes back', () => {
  const now = { wall: 0, idle: 0 };
  const time = timeWaited({ wall: () => now.wall, idle: () => now.idle });

  now.wall = 100;
  now.idle = 80;
  const before = time();
  now.idle = 70;

  expect(time()).toBe(before);
});
