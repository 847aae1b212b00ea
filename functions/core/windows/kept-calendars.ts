import type { CalendarAddress } from '../configuration/calendar-address.ts';
import type { KeptState, Window } from '../configuration/window.ts';
import { duration } from '../text/durations.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { secondsSince } from '../text/instant.ts';
import type { Observed } from '../text/observed.ts';
import { unique } from '../text/unique.ts';
import { calendarHost } from './window-text.ts';

/** What is kept of a calendar that is read by its address. */
export interface KeptCalendar {
  readonly id: string;
  /** ISO instant of the last attempt to read it. */
  readonly triedAt: string;
  /** The text that was understood last; absent: none was so far. */
  readonly copy?: CalendarCopy | undefined;
  /** Since when it cannot be read or understood, and why now; absent: the last attempt succeeded. */
  readonly failure?: { readonly since: string; readonly why: string } | undefined;
  /** Why our table could not be read now: this is what it gave before, and something newer may be kept. */
  readonly unreadNow?: string | undefined;
}

export interface CalendarCopy {
  readonly text: string;
  /** ISO instant at which its server last said that this is the calendar. */
  readonly readAt: string;
  /** The server's own marks of this text, for the next request. */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Seconds for which a copy counts while its calendar cannot be read. */
const copyAtMostSeconds = 24 * 3600;
/** Seconds between two reads. People plan holidays and freezes by the day. */
const refreshEverySeconds = 3600;
/** Seconds after a failed read: a sweep later. */
const retryAfterSeconds = 200;

/** What is kept is kept for the address and the secret that it is read with. */
export function calendarId({ url, header, headerSecret = '' }: CalendarAddress): string {
  return fingerprint(JSON.stringify([url, header, headerSecret]));
}

/** The calendars that these windows read by their addresses, each once. */
export function calendarsOf(windows: readonly Window[]): readonly CalendarAddress[] {
  const found = new Map(windows.flatMap(({ calendarFrom: from }) => (from ? [[calendarId(from), from] as const] : [])));
  return [...found.values()];
}

export function isReadDue(kept: KeptCalendar | undefined, now: Date): boolean {
  if (kept === undefined) return true;
  const every = kept.failure === undefined && kept.copy !== undefined ? refreshEverySeconds : retryAfterSeconds;
  const age = secondsSince(kept.triedAt, now);
  // One that was tried later than now was tried by a clock that was set back since.
  return age >= every || age < 0;
}

/** After an attempt that failed, or gave what is no calendar: the copy stays. */
export function withFailure(kept: KeptCalendar | undefined, id: string, why: string, now: Date): KeptCalendar {
  const at = now.toISOString();
  return { ...kept, id, triedAt: at, failure: { since: kept?.failure?.since ?? at, why } };
}

function uncopied(why: string): string {
  return `its copy could not be read: ${why}`;
}

/** The windows with what is kept of their calendars. */
export function withKeptCalendars(
  windows: readonly Window[],
  calendars: Observed<readonly KeptCalendar[]>,
  now: Date,
): readonly Window[] {
  if (calendars.kind === 'not-asked') return windows;
  return windows.map((window) => {
    const { calendarFrom } = window;
    if (calendarFrom === undefined) return window;
    if (calendars.kind === 'unreadable') return { ...window, kept: { fault: uncopied(calendars.why) } };
    const id = calendarId(calendarFrom);
    return {
      ...window,
      ...usable(
        calendars.value.find((each) => each.id === id),
        calendarHost(calendarFrom),
        now,
      ),
    };
  });
}

/** Whether what is kept of the window's calendar has still to be read. */
export function isCalendarUnread({ calendarFrom, kept }: Window): boolean {
  return calendarFrom !== undefined && kept === undefined;
}

/** Of what was read before, only that it may be out of date is said: what is kept now may say something else. */
function usable(
  kept: KeptCalendar | undefined,
  host: string,
  now: Date,
): { readonly kept: KeptState; readonly ics?: string } {
  const own = usableAlone(kept, host, now);
  if (kept?.unreadNow === undefined) return own;
  const why = uncopied(kept.unreadNow);
  return own.ics === undefined ? { kept: { fault: why } } : { ics: own.ics, kept: { doubt: why } };
}

function usableAlone(
  kept: KeptCalendar | undefined,
  host: string,
  now: Date,
): { readonly kept: KeptState; readonly ics?: string } {
  const failed = kept?.failure === undefined ? '' : `: ${kept.failure.why}`;
  if (kept?.copy === undefined) return { kept: { fault: `it has not been read yet${failed}` } };
  const { text, readAt } = kept.copy;
  // A copy from the future counts no longer than one from the past.
  const age = Math.abs(now.getTime() - Date.parse(readAt)) / 1000;
  const copy = `its copy is ${duration(age)} old, of ${readAt}`;
  if (!(age <= copyAtMostSeconds))
    return { kept: { fault: `it could not be read for more than ${duration(copyAtMostSeconds)}${failed}; ${copy}` } };
  if (kept.failure === undefined) return { ics: text, kept: {} };
  const { since, why } = kept.failure;
  return { ics: text, kept: { notice: `the calendar at ${host} could not be read since ${since} (${why}); ${copy}` } };
}

/** What is to be said of the windows' calendars, though they count. */
export function calendarNotices(windows: readonly Window[]): readonly string[] {
  return unique(windows.flatMap(({ kept }) => kept?.notice ?? []));
}
