import { Cron } from 'croner';
import { cronOptions, type Window } from '../configuration/window.ts';

/** One time that a window is open, in milliseconds since the epoch; `end` is no longer part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const schedules = new Map<string, Cron>();

/** The span that the window is in at an instant; the longest lasting if openings overlap. */
export function spanAt(window: Window, at: number): Span | undefined {
  const { schedule, durationSeconds } = window;
  if (schedule === undefined || durationSeconds === undefined) {
    const once = onceOf(window);
    return once !== undefined && once.start <= at && at < once.end ? once : undefined;
  }
  const [last] = cronOf(schedule, window.timeZone).previousRuns(1, new Date(at + 1000));
  const start = last?.getTime();
  const end = start === undefined ? at : start + durationSeconds * 1000;
  return start !== undefined && start <= at && at < end ? { start, end } : undefined;
}

/** When the window opens next, after an instant; undefined: never again. */
export function nextStart(window: Window, after: number): number | undefined {
  const { schedule } = window;
  if (schedule !== undefined) return cronOf(schedule, window.timeZone).nextRun(new Date(after))?.getTime();
  const once = onceOf(window);
  return once !== undefined && once.start > after ? once.start : undefined;
}

/** Schedules are parsed once, because the gate asks in every pass. */
function cronOf(schedule: string, timeZone: string): Cron {
  const key = `${timeZone} ${schedule}`;
  const known = schedules.get(key) ?? new Cron(schedule, cronOptions(timeZone));
  schedules.set(key, known);
  return known;
}

function onceOf({ from, to, timeZone }: Window): Span | undefined {
  if (from === undefined || to === undefined) return undefined;
  return { start: instantOf(from, timeZone), end: instantOf(to, timeZone) };
}

/** The instant of a local time. One that a clock change skips is moved by the change; of one that comes twice, the
 *  first counts. */
function instantOf(local: string, timeZone: string): number {
  const wall = Date.parse(`${local.includes('T') ? local : `${local}T00:00`}Z`);
  const candidates = [wall - 24 * 3_600_000, wall + 24 * 3_600_000].map((near) => wall - offsetAt(near, timeZone));
  const exact = candidates.filter((instant) => instant + offsetAt(instant, timeZone) === wall);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
}

/** Milliseconds that local time is ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return local - Math.floor(instant / 1000) * 1000;
}
