import { Cron } from 'croner';
import { cronOptions, type Window } from '../configuration/window.ts';
import { calendarEvents } from './calendar-windows.ts';

const schedules = new Map<string, Cron>();

/** Until when the window is open, in milliseconds since the epoch, if it is open at an instant; where openings overlap,
 *  the end of the last one. */
export function openUntil(window: Window, at: number): number | undefined {
  const { schedule, durationSeconds, from, to, timeZone } = window;
  if (isCalendar(window)) {
    const ends = calendarEvents(window, at).filter(({ start, end }) => start <= at && at < end);
    return ends.length === 0 ? undefined : Math.max(...ends.map(({ end }) => end));
  }
  if (from !== undefined && to !== undefined) {
    const end = instantOf(to, timeZone);
    return instantOf(from, timeZone) <= at && at < end ? end : undefined;
  }
  if (schedule === undefined || durationSeconds === undefined) return undefined;
  const second = Math.floor(at / 1000) * 1000;
  // Openings are at whole seconds, and the library gives those before an instant.
  const [last] = cronOf(schedule, timeZone).previousRuns(1, new Date(second + 1000));
  const end = last === undefined ? at : last.getTime() + durationSeconds * 1000;
  return at < end ? end : undefined;
}

/** When the window opens next, after an instant; undefined: never again. */
export function nextStart(window: Window, after: number): number | undefined {
  const { schedule, from, timeZone } = window;
  if (isCalendar(window)) {
    const starts = calendarEvents(window, after).map(({ start }) => start);
    const next = starts.reduce(
      (first, start) => (start > after && start < first ? start : first),
      Number.POSITIVE_INFINITY,
    );
    return next === Number.POSITIVE_INFINITY ? undefined : next;
  }
  if (schedule !== undefined) return cronOf(schedule, timeZone).nextRun(new Date(after))?.getTime();
  const start = from === undefined ? after : instantOf(from, timeZone);
  return start > after ? start : undefined;
}

function isCalendar({ calendar, calendarFrom, ics }: Window): boolean {
  return calendar !== undefined || calendarFrom !== undefined || ics !== undefined;
}

/** Schedules are parsed once, because the gate asks in every pass. */
function cronOf(schedule: string, timeZone: string): Cron {
  const key = `${timeZone} ${schedule}`;
  const known = schedules.get(key) ?? new Cron(schedule, cronOptions(timeZone));
  schedules.set(key, known);
  return known;
}

/** The instant of a local time, which the library takes for a schedule that comes up once. One that a clock change
 *  skips is moved by the change; of one that comes twice, the first counts. */
function instantOf(local: string, timeZone: string): number {
  const time = local.includes('T') ? `${local}:00` : `${local}T00:00:00`;
  return cronOf(time, timeZone).nextRun(new Date(0))?.getTime() ?? Number.NaN;
}
