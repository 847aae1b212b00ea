import { duration } from '../../functions/core/text/durations.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';

/** What readers are told while times are not theirs; undefined: nothing. */
export function clockNotice({ speed, aheadMs }: Pick<AcceleratedClock, 'speed' | 'aheadMs'>): string | undefined {
  if (speed > 1) return `This is a simulation; its clock runs ${speed} times as fast.`;
  const aheadSeconds = aheadMs() / 1000;
  if (aheadSeconds < 1) return undefined;
  return `This is a simulation; its clock runs as fast as yours, and is ${duration(aheadSeconds)} ahead of it.`;
}
