import { expect, test } from 'vitest';
import { clockNotice } from '../../../local/run/clock-notice.ts';

test.each([
  [20, 90_000, 'This is a simulation; its clock runs 20 times as fast.'],
  [1, 90_000, 'This is a simulation; its clock runs as fast as yours, and is 1 min ahead of it.'],
  [1, 0, undefined],
  // A machine that slept.
  [1, -90_000, undefined],
])('[N-32] at %s times the speed of time and %s ms ahead of it, it is said: %s', (speed, aheadMs, said) => {
  expect(clockNotice({ speed, aheadMs: () => aheadMs })).toBe(said);
});
