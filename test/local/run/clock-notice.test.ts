import { expect, test } from 'vitest';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { clockNotice } from '../../../local/run/clock-notice.ts';

test('[N-32] while the clock runs faster than real time it is said how much, and nothing afterwards', () => {
  const clock = acceleratedClock(20);

  const fast = clockNotice(clock);
  clock.runAt(1);

  expect([fast, clockNotice(clock)]).toEqual(['This is a simulation; its clock runs 20 times as fast.', undefined]);
});
