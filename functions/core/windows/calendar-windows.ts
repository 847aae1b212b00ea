import type { Window } from '../configuration/window.ts';
import { calendarSpans } from './calendar.ts';
import { behind, type Expanded, keptWorkedOut } from './kept-worked-out.ts';
import { NotUnderstood } from './recurrence.ts';

/** Milliseconds after the first question for which a calendar is worked out at once. */
const ahead = 900 * 24 * 3_600_000;

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
