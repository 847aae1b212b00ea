import type { CalendarAddress } from '../configuration/calendar-address.ts';
import type { Window } from '../configuration/window.ts';
import { duration } from '../text/durations.ts';

/** A window in a few words: `allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights`. */
export function windowText(window: Window): string {
  const { kind, timeZone, description } = window;
  const when = whenText(window);
  return `${kind} ${when} (${timeZone})${description === undefined ? '' : `: ${description}`}`;
}

function whenText({ schedule, durationSeconds = 0, from, to, calendar, calendarFrom }: Window): string {
  if (schedule !== undefined) return `${schedule} for ${duration(durationSeconds)}`;
  if (from !== undefined) return `${from} to ${to}`;
  if (calendarFrom !== undefined) return `events of the calendar at ${calendarHost(calendarFrom)}`;
  return calendar === undefined ? 'events of its calendar' : `events of ${calendar}`;
}

/** Paths and queries of calendars are often secrets: who knows them may read the calendar. */
export function calendarHost({ url }: CalendarAddress): string {
  return URL.parse(url)?.host ?? 'an unknown host';
}
