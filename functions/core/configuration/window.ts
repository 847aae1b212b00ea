import { Cron } from 'croner';
import * as z from 'zod';
import { ifGiven } from '../text/if-given.ts';
import { CalendarAddress } from './calendar-address.ts';
import {
  hour,
  listOf,
  mapping,
  matching,
  minute,
  objectName,
  oneOf,
  seconds,
  timeZone,
  type Values,
} from './fields.ts';

const defaultZone = 'UTC';

const longest = 31 * 24 * hour;

/** Wall-clock time of the window's zone, to the minute. */
const localTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d)?$/;

const mustLocal = 'must be a day or a local time, like 2026-12-15 or 2026-12-15T18:00, without a zone: timeZone has it';

const mustCalendar = 'must be the path of an .ics file, relative to poolkeeper.yaml';

const calendarFile = /^[^:\0]{1,300}\.ics$/i;

/** When pools may resume, in the words of Argo CD's sync windows (`kind`, `schedule`, `duration`, `timeZone`), or once,
 *  from one local time to another. */
export const Window = mapping({
  kind: oneOf('allow', 'deny').describe(
    'allow: with at least one, a pool resumes only while one of them is open. deny: no pool resumes while it is open, whatever is allowed.',
  ),
  schedule: z
    .string({ error: 'must be a cron expression of five fields, like 0 22 * * 2' })
    .optional()
    .describe(
      'When it opens: cron with five fields; `2#2` is the second Tuesday, `5L` the last Friday, `L` the last day of a month.',
    ),
  durationSeconds: seconds(minute, longest).optional().describe('How long it stays open after each opening.'),
  from: matching(localTime, mustLocal).optional().describe('Instead of schedule: when it opens, once.'),
  to: matching(localTime, mustLocal).optional().describe('With from: when it closes. A day alone is its beginning.'),
  calendar: matching(calendarFile, mustCalendar)
    .optional()
    .describe('Instead of schedule: a calendar file (.ics) beside poolkeeper.yaml; open during its events.'),
  calendarFrom: CalendarAddress.optional().describe(
    'Instead of schedule: a calendar that is read by its address, about once an hour; open during its events.',
  ),
  ics: z
    .string({ error: 'must be the text of a calendar (.ics)' })
    .max(1024 * 1024, { error: 'must be at most 1 MiB' })
    .optional()
    .describe('The events themselves, as the text of a calendar; of a file it is filled in.'),
  timeZone: timeZone()
    .default(defaultZone)
    .describe('IANA name of the zone in which its times are, and events without a zone of their own.'),
  pools: listOf(objectName(), 'must be a list of pool names')
    .default([])
    .describe('The pools that it is for, by name; empty: by their labels, or all.'),
  labels: z
    .record(z.string(), z.string({ error: 'must be the text of a label' }), {
      error: 'must be a mapping of labels to their values',
    })
    .default({})
    .describe('Only pools that have all of these labels.'),
  description: z
    .string({ error: 'must be text' })
    .max(100, { error: 'must be at most 100 characters' })
    .optional()
    .describe('Shown wherever the window is named.'),
}).superRefine((window, context) => {
  for (const { key, must } of windowProblems(window)) {
    context.addIssue({ code: 'custom', path: ifGiven(key), message: must });
  }
});
export type Window = Values<typeof Window> & {
  /** Of a window with `calendarFrom`, whose `ics` is what is kept of it; absent: nobody has asked for that yet. */
  readonly kept?: KeptState | undefined;
};

/** `fault`: why what is kept does not count; completes "the calendar of a window cannot be used: ...". `notice`: what
 *  is to be said where it does, because it could not be read lately. `doubt`: why something newer may be kept, so that
 *  a rollout under way goes on by it, and no pool resumes; completes the same as `fault`. */
export interface KeptState {
  readonly fault?: string | undefined;
  readonly doubt?: string | undefined;
  readonly notice?: string | undefined;
}

export const Windows = listOf(Window, 'must be a list of windows');

/** What is wrong with a window as a whole; its fields are right by themselves. */
export interface WindowProblem {
  /** The field that is wrong; undefined: all of it. */
  readonly key: string | undefined;
  readonly must: string;
}

/** A window opens by its schedule or once, and opens at all. */
export function windowProblems(window: Readonly<Record<string, unknown>>): readonly WindowProblem[] {
  const { schedule, durationSeconds, from, to, calendar, calendarFrom, ics, timeZone: zone = defaultZone } = window;
  const given = [schedule, from, calendar ?? ics, calendarFrom].filter((each) => each !== undefined);
  if (given.length !== 1)
    return [
      { key: undefined, must: 'must have either schedule and duration, or from and to, or calendar, or calendarFrom' },
    ];
  if ((schedule === undefined) !== (durationSeconds === undefined))
    return [{ key: 'durationSeconds', must: 'must stand beside schedule' }];
  if ((from === undefined) !== (to === undefined)) return [{ key: 'to', must: 'must stand beside from' }];
  for (const [key, day] of Object.entries({ from, to })) {
    if (typeof day === 'string' && !isDay(day.slice(0, 10))) return [{ key, must: 'must be a day that exists' }];
  }
  if (typeof from === 'string' && typeof to === 'string' && !endsAfter(from, to, zone))
    return [{ key: 'to', must: 'must be later than from: such a window never opens' }];
  if (typeof schedule === 'string' && !everOpens(schedule))
    return [{ key: 'schedule', must: 'must be a cron expression of five fields that comes up, like 0 22 * * 2' }];
  return [];
}

/** Dates read 2026-02-30 as the 2nd of March. */
function isDay(day: string): boolean {
  const read = new Date(`${day}T00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

/** By instants: a time may be moved by a change of the clocks, and a day is its first one. In a zone that nobody knows,
 *  which is told by itself, it may. */
function endsAfter(from: string, to: string, zone: unknown): boolean {
  try {
    const [start = 0, end = 0] = [from, to].map((local) =>
      new Cron(onceAt(local), cronOptions(String(zone))).nextRun(new Date(beforeAnyYear))?.getTime(),
    );
    return start < end;
  } catch {
    return true;
  }
}

/** As a schedule that comes up once: the local time of a `from` or `to`, of which a day alone is its beginning. One
 *  that a change of the clocks skips is moved by the change; of one that comes twice, the first counts. */
export function onceAt(local: string): string {
  return local.includes('T') ? `${local}:00` : `${local}T00:00:00`;
}

/** Earlier than any local time of a window, in milliseconds since the epoch. */
export const beforeAnyYear = Date.UTC(-1, 0);

function everOpens(schedule: string): boolean {
  try {
    return schedule.length <= 120 && new Cron(schedule, cronOptions('UTC')).nextRun(new Date(0)) !== null;
  } catch {
    return false;
  }
}

/** How every schedule is read. Five fields, as Argo CD's; a day of the month and a day of the week are alternatives, as
 *  in cron. */
export function cronOptions(timeZone: string) {
  return { timezone: timeZone, mode: '5-part', paused: true } as const;
}
