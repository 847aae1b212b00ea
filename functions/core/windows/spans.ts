import { Cron } from 'croner';
import { beforeAnyYear, cronOptions, onceAt, type Window } from '../configuration/window.ts';
import { answered } from './answered.ts';
import { calendarNextStart, calendarOpenUntil } from './calendar-windows.ts';

/** A schedule and its runs before and after the instants that were asked for. The library takes some 50 µs for each,
 *  and a closed gate asks for the openings of a year in every pass. */
interface Schedule {
  readonly cron: Cron;
  readonly last: Map<number, number | undefined>;
  readonly next: Map<number, number | undefined>;
}

const schedules = new Map<string, Schedule>();

/** Until when the window is open, in milliseconds since the epoch, if it is open at an instant; where openings overlap,
 *  the end of the last one. */
export function openUntil(window: Window, at: number): number | undefined {
  const { schedule, durationSeconds, from, to, timeZone } = window;
  if (isCalendar(window)) return calendarOpenUntil(window, at);
  if (from !== undefined && to !== undefined) {
    const end = instantOf(to, timeZone);
    return instantOf(from, timeZone) <= at && at < end ? end : undefined;
  }
  if (schedule === undefined || durationSeconds === undefined) return undefined;
  const last = lastRun(scheduleOf(schedule, timeZone), at);
  const end = last === undefined ? at : last + durationSeconds * 1000;
  return at < end ? end : undefined;
}

/** When the window opens next, after an instant; undefined: never again. */
export function nextStart(window: Window, after: number): number | undefined {
  const { schedule, from, timeZone } = window;
  if (isCalendar(window)) return calendarNextStart(window, after);
  if (schedule !== undefined) return nextRun(scheduleOf(schedule, timeZone), after);
  const start = from === undefined ? after : instantOf(from, timeZone);
  return start > after ? start : undefined;
}

function isCalendar({ calendar, calendarFrom, ics }: Window): boolean {
  return calendar !== undefined || calendarFrom !== undefined || ics !== undefined;
}

/** Schedules are parsed once, because the gate asks in every pass. */
function scheduleOf(schedule: string, timeZone: string): Schedule {
  const key = `${timeZone} ${schedule}`;
  const known = schedules.get(key) ?? {
    cron: new Cron(schedule, cronOptions(timeZone)),
    last: new Map(),
    next: new Map(),
  };
  schedules.set(key, known);
  return known;
}

/** The last run up to an instant. Runs are at whole seconds, and the library gives those before an instant. */
function lastRun({ cron, last }: Schedule, at: number): number | undefined {
  const second = Math.floor(at / 1000) * 1000;
  return answered(last, second, () => cron.previousRuns(1, new Date(second + 1000))[0]?.getTime());
}

/** The first run after an instant. */
function nextRun({ cron, next }: Schedule, after: number): number | undefined {
  return answered(next, after, () => cron.nextRun(new Date(after))?.getTime());
}

/** The instant of a local time of a window. */
function instantOf(local: string, timeZone: string): number {
  return nextRun(scheduleOf(onceAt(local), timeZone), beforeAnyYear) ?? Number.NaN;
}
