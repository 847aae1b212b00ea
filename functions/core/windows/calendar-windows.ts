import type { Window } from '../configuration/window.ts';
import { calendarSpans, type Span } from './calendar.ts';
import { NotUnderstood } from './recurrence.ts';

type Expanded = { readonly from: number; readonly spans: readonly Span[] } | { readonly fault: string };

/** Milliseconds before and after the first question for which a calendar is worked out at once. */
const behind = 40 * 24 * 3_600_000;
const ahead = 900 * 24 * 3_600_000;
/** Openings are looked for up to 400 days ahead (openings.ts), and so are those that follow them. */
const usable = 450 * 24 * 3_600_000;

/** Calendars that are kept worked out: the gate asks in every pass. */
const keptAtMost = 20;
const kept = new Map<string, Expanded>();

/** Why the calendar of a window does not say when it is open; undefined: it does, or the window has none. */
export function calendarFault(window: Window, at: number): string | undefined {
  if (window.calendar === undefined && window.calendarFrom === undefined && window.ics === undefined) return undefined;
  const expanded = expandedAt(window, at);
  return 'fault' in expanded ? expanded.fault : undefined;
}

/** The events of the window's calendar around an instant. None if the calendar cannot be used: `calendarFault` says
 *  why, and its gate is closed. */
export function calendarEvents(window: Window, at: number): readonly Span[] {
  const expanded = expandedAt(window, at);
  return 'fault' in expanded ? [] : expanded.spans;
}

function expandedAt({ ics, timeZone, kept: state }: Window, at: number): Expanded {
  if (ics === undefined || state?.fault !== undefined) return { fault: state?.fault ?? 'it has not been read' };
  const key = `${timeZone} ${ics}`;
  const known = kept.get(key);
  if (known !== undefined && ('fault' in known || (known.from + behind <= at && at <= known.from + behind + usable)))
    return known;
  const expanded = expand(ics, timeZone, at);
  kept.delete(key);
  kept.set(key, expanded);
  for (const oldest of kept.keys()) {
    if (kept.size <= keptAtMost) break;
    kept.delete(oldest);
  }
  return expanded;
}

function expand(ics: string, timeZone: string, at: number): Expanded {
  const from = at - behind;
  try {
    return { from, spans: calendarSpans(ics, { from, to: at + ahead, timeZone }) };
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
