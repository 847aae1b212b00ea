import type { AcceleratedClock } from './accelerated-clock.ts';

/** What readers are told while times are not theirs; undefined: nothing. */
export function clockNotice({ speed }: Pick<AcceleratedClock, 'speed'>): string | undefined {
  return speed > 1 ? `This is a simulation; its clock runs ${speed} times as fast.` : undefined;
}
