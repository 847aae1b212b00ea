import type { Window } from '../configuration/window.ts';
import { calendarSpans } from './calendar.ts';
import { NotUnderstood } from './recurrence.ts';

type Expanded = Events | { readonly fault: string };

/** The events of a calendar, by when they begin. */
interface Events {
  readonly from: number;
  readonly starts: readonly number[];
  /** The latest end of each event and all before it. */
  readonly ends: readonly number[];
}

/** Milliseconds before and after the first question for which a calendar is worked out at once. */
const behind = 40 * 24 * 3_600_000;
const ahead = 900 * 24 * 3_600_000;
/** Openings are looked for up to 400 days ahead (openings.ts), and so are those that follow them. */
const usable = 450 * 24 * 3_600_000;

/** Calendars that are kept worked out, because the gate asks in every pass: so many, or more of so many characters.
 *  They are asked for in turns, so that where one is too many, all are worked out anew. */
const keptAtMost = { calendars: 20, characters: 8 * 1024 * 1024 };
/** Characters as which an event that is worked out counts. */
const eventCharacters = 32;
/** Why the calendar of a window does not say when it is open; undefined: it does, or the window has none. */
export function calendarFault(window: Window, at: number): string | undefined {
  if (window.calendar === undefined && window.calendarFrom === undefined && window.ics === undefined) return undefined;
  const expanded = eventsOf(window, at);
  return 'fault' in expanded ? expanded.fault : undefined;
}

/** Why no pool resumes by the calendar of a window; undefined: it may, or the window has none. */
export function calendarDoubt(window: Window, at: number): string | undefined {
  return calendarFault(window, at) ?? window.kept?.doubt;
}

/** Until when an event of the window's calendar lasts, of those that are under way the latest; undefined: none is, or
 *  the calendar cannot be used: `calendarFault` says why, and its gate is closed. */
export function calendarOpenUntil(window: Window, at: number): number | undefined {
  const events = eventsOf(window, at);
  if ('fault' in events) return undefined;
  const end = events.ends[countUntil(events.starts, at) - 1];
  return end !== undefined && end > at ? end : undefined;
}

/** When the next event of the window's calendar begins, after an instant; undefined as in `calendarOpenUntil`. */
export function calendarNextStart(window: Window, after: number): number | undefined {
  const events = eventsOf(window, after);
  return 'fault' in events ? undefined : events.starts[countUntil(events.starts, after)];
}

/** How many of them, sorted, are up to an instant. */
function countUntil(sorted: readonly number[], at: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const workedOut = keptWorkedOut(expand);

function eventsOf({ ics, timeZone, kept }: Window, at: number): Expanded {
  if (ics === undefined || kept?.fault !== undefined) return { fault: kept?.fault ?? 'it has not been read' };
  return workedOut(ics, timeZone, at);
}

/** What works a calendar out, asked once for what it covers, as long as there is room. */
export function keptWorkedOut(workOut: typeof expand): typeof expand {
  /** By text, which is not put together for every question, and zone. */
  const kept = new Map<string, Map<string, Expanded>>();
  return (ics, timeZone, at) => {
    const byZone = kept.get(ics) ?? new Map<string, Expanded>();
    const known = byZone.get(timeZone);
    if (known !== undefined && ('fault' in known || (known.from + behind <= at && at <= known.from + behind + usable)))
      return known;
    const expanded = workOut(ics, timeZone, at);
    byZone.set(timeZone, expanded);
    kept.delete(ics);
    kept.set(ics, byZone);
    forgetOldest(kept);
    return expanded;
  };
}

function forgetOldest(kept: Map<string, ReadonlyMap<string, Expanded>>): void {
  const sizeOf = ([ics, byZone]: readonly [string, ReadonlyMap<string, Expanded>]) =>
    ics.length + [...byZone.values()].reduce((sum, each) => sum + countOf(each) * eventCharacters, 0);
  let characters = [...kept].reduce((sum, each) => sum + sizeOf(each), 0);
  for (const oldest of kept) {
    if (kept.size <= keptAtMost.calendars || characters <= keptAtMost.characters) break;
    kept.delete(oldest[0]);
    characters -= sizeOf(oldest);
  }
}

function countOf(expanded: Expanded): number {
  return 'fault' in expanded ? 0 : expanded.starts.length;
}

function expand(ics: string, timeZone: string, at: number): Expanded {
  const from = at - behind;
  try {
    const spans = calendarSpans(ics, { from, to: at + ahead, timeZone }).toSorted((a, b) => a.start - b.start);
    let latest = Number.NEGATIVE_INFINITY;
    const ends = spans.map(({ end }) => {
      latest = Math.max(latest, end);
      return latest;
    });
    return { from, starts: spans.map(({ start }) => start), ends };
  } catch (cause) {
    if (!(cause instanceof NotUnderstood)) throw cause;
    return { fault: cause.message };
  }
}

/** Why a calendar cannot be understood; undefined: it can.
 *  @param at an instant that it is to be understood for; hardly any calendar depends on it */
export function calendarProblem(ics: string, timeZone: string, at = Date.UTC(2026, 0, 1)): string | undefined {
  const expanded = expand(ics, timeZone, at);
  return 'fault' in expanded ? expanded.fault : undefined;
}
