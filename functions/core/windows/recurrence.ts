/** Recurrence rules of RFC 5545 as calendars of holidays and freezes use them: by days, weeks, months and years. Rules
 *  that recur within a day, and parts that hardly any calendar has (BYWEEKNO, BYYEARDAY), are not understood. Every
 *  step is one period or one day of it, and they are counted, so that no rule takes long. */
export interface Rule {
  readonly every: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  /** How many times, the first included; undefined: without end. */
  readonly count: number | undefined;
  /** Milliseconds, of a local time as if it were UTC, unless `isUntilUtc`. */
  readonly until: number | undefined;
  readonly isUntilUtc: boolean;
  readonly months: readonly number[];
  /** Negative: from the end of the month. */
  readonly monthDays: readonly number[];
  /** 0 is Sunday. `nth` 0: every one. */
  readonly weekdays: readonly { readonly nth: number; readonly day: number }[];
  readonly positions: readonly number[];
  /** First day of a week; 0 is Sunday. */
  readonly weekStart: number;
}

/** Steps that are left for one calendar. */
export interface Budget {
  steps: number;
}

/** A calendar, or a part of it, that cannot be understood. The message says why. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}

const dayMs = 24 * 3_600_000;
const weekdayNames = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const known = new Set('FREQ INTERVAL COUNT UNTIL BYMONTH BYMONTHDAY BYDAY BYSETPOS WKST'.split(' '));

/** @param readTime milliseconds of a date or time as written, and whether it is UTC. Throws NotUnderstood. */
export function readRule(
  text: string,
  readTime: (text: string) => { readonly at: number; readonly isUtc: boolean },
): Rule {
  const parts = new Map(
    text
      .toUpperCase()
      .split(';')
      .filter(Boolean)
      .map((part): readonly [string, string] => {
        const [key = '', value = ''] = part.split('=');
        return [key, value];
      }),
  );
  const unknown = [...parts.keys()].find((key) => !known.has(key));
  if (unknown !== undefined) throw new NotUnderstood(`recurrences with ${unknown.slice(0, 20)} are not understood`);
  const every = parts.get('FREQ');
  if (every !== 'DAILY' && every !== 'WEEKLY' && every !== 'MONTHLY' && every !== 'YEARLY')
    throw new NotUnderstood('only recurrences by days, weeks, months and years are understood');
  const until = parts.get('UNTIL');
  const end = until === undefined ? undefined : readTime(until);
  const weekStart = parts.get('WKST');
  return {
    every,
    interval: wholeIn(parts.get('INTERVAL') ?? '1', 1, 1000),
    count: parts.has('COUNT') ? wholeIn(parts.get('COUNT') ?? '', 1, 100_000) : undefined,
    until: end?.at,
    isUntilUtc: end?.isUtc === true,
    months: listIn(parts.get('BYMONTH'), 1, 12),
    monthDays: listIn(parts.get('BYMONTHDAY'), -31, 31),
    weekdays: (parts.get('BYDAY') ?? '').split(',').filter(Boolean).slice(0, 400).map(weekdayOf),
    positions: listIn(parts.get('BYSETPOS'), -366, 366),
    weekStart: weekStart === undefined ? 1 : weekdayOf(weekStart).day,
  };
}

function wholeIn(text: string, least: number, most: number): number {
  const value = /^[+-]?\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most) || value === 0) throw new NotUnderstood('a recurrence has a wrong number');
  return value;
}

function listIn(text: string | undefined, least: number, most: number): readonly number[] {
  const items = (text ?? '').split(',').filter(Boolean);
  if (items.length > 400) throw new NotUnderstood('a recurrence has too many parts');
  return items.map((item) => wholeIn(item, least, most));
}

function weekdayOf(text: string): { readonly nth: number; readonly day: number } {
  const [, nth = '', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const day = weekdayNames.indexOf(name);
  if (day < 0) throw new NotUnderstood('a recurrence has a wrong day of the week');
  return { nth: Number(nth), day };
}

export interface Expansion {
  /** First occurrence, a local time as if it were UTC, milliseconds. */
  readonly start: number;
  /** Only occurrences between these are returned; what is before them is counted all the same. */
  readonly from: number;
  readonly to: number;
  /** Whether a local time is after the end of the rule. */
  readonly isOver: (local: number) => boolean;
}

/** Occurrences in order. Throws NotUnderstood when the budget is used up. */
export function occurrences(rule: Rule, expansion: Expansion, budget: Budget): readonly number[] {
  const { from, to } = expansion;
  const found: number[] = [];
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (const at of everyOccurrence(rule, expansion, budget)) {
    if (left <= 0) break;
    left -= 1;
    if (at >= from && at <= to) found.push(at);
  }
  return found;
}

/** Without a count, what is long past is left out. */
function* everyOccurrence(rule: Rule, { start, from, to, isOver }: Expansion, budget: Budget): Generator<number> {
  const timeOfDay = mod(start, dayMs);
  for (let period = rule.count === undefined ? firstPeriod(rule, start, from) : 0; ; period += 1) {
    const { first, matching } = daysOf(rule, start, period, budget);
    if (first + timeOfDay > to || isOver(first)) return;
    const times = matching.map((day) => day + timeOfDay).filter((at) => at >= start);
    yield* times.filter((at) => !isOver(at));
  }
}

/** Number of the last period that begins before `from`, with one to spare. */
function firstPeriod({ every, interval }: Rule, start: number, from: number): number {
  const longest = { DAILY: 1, WEEKLY: 7, MONTHLY: 31, YEARLY: 366 }[every];
  return Math.max(0, Math.floor((from - start) / dayMs / longest / interval) - 2);
}

/** The days of a period that match, in order; `first` is the day on which it begins. */
function daysOf(rule: Rule, start: number, period: number, budget: Budget) {
  const { first, length } = periodOf(rule, start, period);
  budget.steps -= 1 + length;
  if (budget.steps < 0) throw new NotUnderstood('its recurrences take too long to work out');
  const own = new Date(start);
  const all = Array.from({ length }, (_, index) => first + index * dayMs).filter((day) => matches(rule, day, own));
  const { positions } = rule;
  const matching =
    positions.length === 0
      ? all
      : all.filter((_, index) => positions.includes(index + 1) || positions.includes(index - all.length));
  return { first, matching };
}

function periodOf({ every, interval, weekStart }: Rule, start: number, period: number) {
  const day = start - mod(start, dayMs);
  const own = new Date(day);
  const n = period * interval;
  switch (every) {
    case 'DAILY':
      return { first: day + n * dayMs, length: 1 };
    case 'WEEKLY':
      return { first: day - mod(own.getUTCDay() - weekStart, 7) * dayMs + n * 7 * dayMs, length: 7 };
    case 'MONTHLY':
      return span(own.getUTCFullYear(), own.getUTCMonth() + n, 1);
    case 'YEARLY':
      return span(own.getUTCFullYear() + n, 0, 12);
    default:
      return every satisfies never;
  }
}

function span(year: number, month: number, months: number) {
  const first = Date.UTC(year, month, 1);
  return { first, length: Math.round((Date.UTC(year, month + months, 1) - first) / dayMs) };
}

/** Whether a day is in the rule. What the rule leaves open is as on the first occurrence. */
function matches(rule: Rule, at: number, own: Date): boolean {
  const { every, months, monthDays, weekdays } = rule;
  const date = new Date(at);
  const monthLength = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const day = date.getUTCDate();
  if (months.length > 0 && !months.includes(date.getUTCMonth() + 1)) return false;
  if (monthDays.length > 0 && !monthDays.includes(day) && !monthDays.includes(day - monthLength - 1)) return false;
  if (weekdays.length > 0) return weekdays.some((each) => isNth(each, date, rule));
  if (monthDays.length > 0 || every === 'DAILY') return true;
  if (every === 'WEEKLY') return date.getUTCDay() === own.getUTCDay();
  if (day !== own.getUTCDate()) return false;
  return every === 'MONTHLY' || months.length > 0 || date.getUTCMonth() === own.getUTCMonth();
}

/** In a year without BYMONTH the weekdays are numbered in the year, else in the month. */
function isNth(
  { nth, day }: Rule['weekdays'][number],
  date: Date,
  { every, months }: Pick<Rule, 'every' | 'months'>,
): boolean {
  if (date.getUTCDay() !== day) return false;
  if (nth === 0 || every === 'DAILY' || every === 'WEEKLY') return true;
  const inYear = every === 'YEARLY' && months.length === 0;
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const first = inYear ? Date.UTC(year, 0, 1) : Date.UTC(year, month, 1);
  const end = inYear ? Date.UTC(year + 1, 0, 1) : Date.UTC(year, month + 1, 1);
  const before = Math.floor((date.getTime() - first) / dayMs / 7);
  const after = Math.floor((end - dayMs - date.getTime()) / dayMs / 7);
  return nth > 0 ? before === nth - 1 : after === -nth - 1;
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
