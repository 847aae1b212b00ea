import { byName } from '../text/by-name.ts';
import { isUtc, isZone } from '../text/zones.ts';
import { instantOfLocal, offsetAt } from './local-time.ts';
import { type Budget, NotUnderstood, occurrences, type Rule, readRule } from './recurrence.ts';

/** The time that an event takes, milliseconds; `end` is no longer part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Characters, lines and events of a calendar, and how deep its components may be nested. Bank holidays of twenty
 *  countries for twenty years are 200 KB. */
const atMost = { characters: 1024 * 1024, lines: 60_000, events: 3000, depth: 8, dates: 10_000, spans: 10_000 };
/** Days and periods that are looked at for all recurrences together: some tenths of a second. */
const stepsAtMost = 300_000;
/** Milliseconds. */
const longestEvent = 400 * 24 * 3_600_000;
const dayMs = 24 * 3_600_000;

interface Property {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

type Event = readonly Property[];

interface Range {
  readonly from: number;
  readonly to: number;
  /** Of events that name no zone, all-day ones among them. */
  readonly timeZone: string;
}

/** When the events of a calendar (RFC 5545) are, in no order. Work is bounded whatever the text is. Throws
 *  NotUnderstood: a calendar that is understood in part would open what it must keep closed. */
export function calendarSpans(text: string, range: Range): readonly Span[] {
  const events = eventsIn(text);
  const budget: Budget = { steps: stepsAtMost };
  const moved = movedOccurrences(events, range);
  const spans: Span[] = [];
  for (const event of events) {
    if (byName(event, 'STATUS')?.value.toUpperCase() === 'CANCELLED') continue;
    spans.push(...spansOf(event, range, { budget, moved }));
    if (spans.length > atMost.spans) throw new NotUnderstood('it has too many events');
  }
  return spans.filter(({ start, end }) => end > start);
}

function eventsIn(text: string): readonly Event[] {
  const lines = unfolded(text);
  if (!lines.some((line) => line.trim().toUpperCase() === 'BEGIN:VCALENDAR'))
    throw new NotUnderstood('it is no calendar');
  const events: Property[][] = [];
  const open: string[] = [];
  const properties = lines.map(propertyOf);
  for (const property of properties) take(property, open, events);
  if (open.length > 0) throw new NotUnderstood('it is cut off');
  refuseOtherUtc(properties);
  return events;
}

/** A calendar that defines UTC by one of its names with another offset means the zone of a place, like London's summer
 *  time. */
function refuseOtherUtc(properties: readonly (Property | undefined)[]): void {
  let zone = { name: '', isOther: false };
  for (const property of properties) {
    const { name = '', value = '' } = property ?? {};
    if (/^(BEGIN|END)$/.test(name) && value.toUpperCase() === 'VTIMEZONE') zone = { name: '', isOther: false };
    if (name === 'TZID') zone.name = value;
    if (name === 'TZOFFSETTO' && Number(value) !== 0) zone.isOther = true;
    if (zone.isOther && isUtc(zone.name)) throw new NotUnderstood(`its zone ${zone.name} is not UTC`);
  }
}

/** A line that begins with a blank goes on with the one before it. */
function unfolded(text: string): readonly string[] {
  if (text.length > atMost.characters) throw new NotUnderstood('it is larger than 1 MiB');
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  if (lines.length > atMost.lines) throw new NotUnderstood('it has too many lines');
  const whole: string[][] = [];
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) whole.at(-1)?.push(line.slice(1));
    else whole.push([line]);
  }
  return whole.map((parts) => parts.join(''));
}

/** Adds a property to what has been read: which components are open, and the events so far. */
function take(property: Property | undefined, open: string[], events: Property[][]): void {
  if (property?.name === 'BEGIN') begin(property, open, events);
  else if (property?.name === 'END') end(property, open);
  else if (property !== undefined && isEvent(open)) events.at(-1)?.push(property);
}

function begin({ value }: Property, open: string[], events: Property[][]): void {
  open.push(value.toUpperCase());
  if (open.length > atMost.depth) throw new NotUnderstood('its components are nested too deeply');
  if (isEvent(open)) events.push([]);
  if (events.length > atMost.events) throw new NotUnderstood('it has too many events');
}

function end({ value }: Property, open: string[]): void {
  if (open.pop() !== value.toUpperCase()) throw new NotUnderstood('its components do not end as they began');
}

function isEvent(open: readonly string[]): boolean {
  return open.length === 2 && open[0] === 'VCALENDAR' && open[1] === 'VEVENT';
}

/** `DTSTART;TZID=Europe/Berlin:20261224T180000`. Colons may stand in quoted parameters. */
function propertyOf(line: string): Property | undefined {
  const [, head = '', value = ''] = /^((?:[^":]|"[^"]*")*):(.*)$/s.exec(line) ?? [];
  if (head === '') return undefined;
  const [name = '', ...rest] = head.split(';');
  const parameters = new Map(
    rest.map((each): readonly [string, string] => {
      const [key = '', ...parts] = each.split('=');
      return [key.toUpperCase(), parts.join('=').replaceAll('"', '')];
    }),
  );
  return { name: name.toUpperCase(), parameters, value: value.trim() };
}

interface LocalTime {
  /** Milliseconds, as if it were UTC. */
  readonly at: number;
  readonly isDay: boolean;
  readonly timeZone: string;
}

function timeOf({ parameters, value }: Property, timeZone: string): LocalTime {
  const time = timeIn(value, parameters.get('TZID') ?? timeZone);
  if (!isZone(time.timeZone)) throw new NotUnderstood(`its zone ${time.timeZone.slice(0, 60)} is not known`);
  return time;
}

function timeIn(value: string, timeZone: string): LocalTime {
  const [, year, month, day, clock, hours, minutes, seconds, utc] =
    /^(\d{4})(\d\d)(\d\d)(T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(value) ?? [];
  const date = [Number(year), Number(month) - 1, Number(day)] as const;
  const at = Date.UTC(...date, Number(hours ?? 0), Number(minutes ?? 0), Math.min(59, Number(seconds ?? 0)));
  const isRight = new Date(at).getUTCDate() === date[2] && new Date(at).getUTCMonth() === date[1];
  if (Number.isNaN(at) || !isRight || date[0] < 1970)
    throw new NotUnderstood('a date or time of it is none, or before 1970');
  return { at, isDay: clock === undefined, timeZone: utc === undefined ? timeZone : 'UTC' };
}

interface Context {
  readonly budget: Budget;
  /** Local times of occurrences that were moved or cancelled, by the id of their event. */
  readonly moved: ReadonlyMap<string, readonly LocalTime[]>;
}

function movedOccurrences(events: readonly Event[], { timeZone }: Range): Context['moved'] {
  const moved = new Map<string, LocalTime[]>();
  for (const event of events) {
    const original = byName(event, 'RECURRENCE-ID');
    const id = byName(event, 'UID')?.value;
    if (original?.parameters.has('RANGE') === true)
      throw new NotUnderstood('occurrences that are moved with all that follow are not understood');
    if (original === undefined || id === undefined) continue;
    const known = moved.get(id) ?? [];
    known.push(timeOf(original, timeZone));
    moved.set(id, known);
  }
  return moved;
}

function spansOf(event: Event, range: Range, { budget, moved }: Context): readonly Span[] {
  if (byName(event, 'EXRULE') !== undefined) throw new NotUnderstood('exceptions by rules are not understood');
  const begins = byName(event, 'DTSTART');
  if (begins === undefined) throw new NotUnderstood('an event of it has no beginning');
  const start = timeOf(begins, range.timeZone);
  const instant = (local: number, timeZone = start.timeZone) => instantIn(local, timeZone);
  const endOf = lengthOf(event, start, instant, range);
  // A day more on both sides: local times and instants are up to 14 hours apart.
  const window = { from: range.from - longestEvent - dayMs, to: range.to + dayMs };
  const isMoved = byName(event, 'RECURRENCE-ID') !== undefined;
  const id = byName(event, 'UID')?.value;
  const local = (time: LocalTime) => localIn(time, start, budget);
  const exceptions = [
    ...datesOf(event, 'EXDATE', range.timeZone),
    ...((isMoved || id === undefined ? undefined : moved.get(id)) ?? []),
  ];
  const excluded = new Set(exceptions.map(local));
  // Some programs name the day alone, also of an event that begins at a time of it.
  const days = new Set(exceptions.flatMap(({ at, isDay }) => (isDay ? [at] : [])));
  const isExcluded = (begin: number) => excluded.has(begin) || days.has(Math.floor(begin / dayMs) * dayMs);
  const starts = new Set([
    start.at,
    ...datesOf(event, 'RDATE', range.timeZone).map(local),
    ...event
      .filter(({ name }) => name === 'RRULE')
      .flatMap((rule) => {
        const read = readRule(rule.value, (text) => ({ at: timeIn(text, 'UTC').at, isUtc: text.endsWith('Z') }));
        return occurrences(read, { start: start.at, ...window, isOver: isOver(read, start, instant) }, budget);
      }),
  ]);
  return [...starts]
    .filter((begin) => begin >= window.from && begin <= window.to && !isExcluded(begin))
    .map((begin) => ({ start: instant(begin), end: endOf(begin) }))
    .filter(({ start: begun, end }) => end > range.from && begun < range.to);
}

function isOver(
  { until, isUntilUtc }: Rule,
  { timeZone, isDay }: LocalTime,
  instant: (local: number, zone?: string) => number,
) {
  if (until === undefined) return () => false;
  // Times that are near the end decide by the instant, all others by the day.
  return (local: number) => {
    if (!isUntilUtc || Math.abs(local - until) > 2 * dayMs) return local > until;
    // Some programs write the last day itself, at midnight of UTC, and others at that of the zone.
    if (isDay && local <= until) return false;
    return instant(local, timeZone) > until;
  };
}

/** The end of an occurrence. All-day events last whole days; of others the end is as long after the beginning as that
 *  of the first. */
function lengthOf(
  event: Event,
  start: LocalTime,
  instant: (local: number, timeZone?: string) => number,
  { timeZone }: Range,
): (local: number) => number {
  const ends = byName(event, 'DTEND');
  const lasts = byName(event, 'DURATION');
  if (ends !== undefined) {
    const end = timeOf(ends, timeZone);
    if (end.isDay !== start.isDay) throw new NotUnderstood('an event of it begins with a day and ends with a time');
    // Some programs write the same day as the end of an event of one day.
    if (start.isDay) return (local) => instant(local + Math.max(dayMs, bounded(end.at - start.at)));
    const ms = bounded(instant(end.at, end.timeZone) - instant(start.at));
    return (local) => instant(local) + ms;
  }
  if (lasts !== undefined) {
    const { days, ms } = durationOf(lasts.value);
    return (local) => instant(local + bounded(days * dayMs)) + bounded(ms);
  }
  return (local) => instant(local + (start.isDay ? dayMs : 0));
}

function bounded(ms: number): number {
  if (ms > longestEvent) throw new NotUnderstood('an event of it lasts more than 400 days');
  return Math.max(0, ms);
}

/** `P1W`, `P1DT12H`, `PT30M`. Days are those of the calendar, which a change of the clocks makes longer or shorter. */
function durationOf(text: string): { readonly days: number; readonly ms: number } {
  const [whole, weeks, days, hours, minutes, seconds] =
    /^\+?P(?:(\d{1,3})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/.exec(text) ?? [];
  if (whole === undefined) throw new NotUnderstood('a duration of it is none');
  const of = (part: string | undefined) => Number(part ?? 0);
  return { days: of(weeks) * 7 + of(days), ms: ((of(hours) * 60 + of(minutes)) * 60 + of(seconds)) * 1000 };
}

/** A time in the zone in which the event begins: exceptions may be written in another. */
function localIn(time: LocalTime, start: LocalTime, budget: Budget): number {
  if (time.timeZone === start.timeZone || time.isDay) return time.at;
  budget.steps -= stepsOfZone;
  if (budget.steps < 0) throw new NotUnderstood('its dates take too long to work out');
  const instant = instantIn(time.at, time.timeZone);
  return isUtc(start.timeZone) ? instant : instant + offsetAt(instant, start.timeZone);
}

/** What a change of zones costs, in steps. */
const stepsOfZone = 20;

function datesOf(event: Event, name: string, timeZone: string): readonly LocalTime[] {
  const found: LocalTime[] = [];
  for (const property of event.filter((each) => each.name === name)) {
    for (const value of property.value.split(',')) {
      if (value.includes('/')) throw new NotUnderstood('periods among its dates are not understood');
      found.push(timeOf({ ...property, value }, timeZone));
      if (found.length > atMost.dates) throw new NotUnderstood(`it has too many ${name}`);
    }
  }
  return found;
}

function instantIn(local: number, timeZone: string): number {
  return isUtc(timeZone) ? local : instantOfLocal(local, timeZone);
}
