import type { Window } from '../configuration/window.ts';
import { duration } from '../text/durations.ts';

/** A window in a few words: `allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights`. */
export function windowText({ kind, schedule, durationSeconds = 0, from, to, timeZone, description }: Window): string {
  const when = schedule === undefined ? `${from} to ${to}` : `${schedule} for ${duration(durationSeconds)}`;
  return `${kind} ${when} (${timeZone})${description === undefined ? '' : `: ${description}`}`;
}
