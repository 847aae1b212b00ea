import { secondsSince } from '../../core/text/instant.ts';
import type { KeptCalendar } from '../../core/windows/kept-calendars.ts';
import type { KeptCalendars } from '../../ports/tables.ts';

interface LastRead {
  readonly kept: KeptCalendar;
  readonly at: Date;
}

/** What this process knows of our table, by the id of the calendar. */
const lastRead = new WeakMap<KeptCalendars, Map<string, LastRead>>();

export async function loadCalendar(
  id: string,
  keptCalendars: KeptCalendars,
  now: Date,
): Promise<KeptCalendar | undefined> {
  const kept = await keptCalendars.load(id);
  if (kept === undefined) lastRead.get(keptCalendars)?.delete(id);
  else remember(kept, keptCalendars, now);
  return kept;
}

export async function saveCalendar(kept: KeptCalendar, keptCalendars: KeptCalendars, now: Date): Promise<void> {
  await keptCalendars.save(kept);
  remember(kept, keptCalendars, now);
}

/** What was loaded or saved in so many seconds; undefined: nothing. Others may have kept something newer since. */
export function calendarReadLately(
  id: string,
  keptCalendars: KeptCalendars,
  seconds: number,
  now: Date,
): KeptCalendar | undefined {
  const last = lastRead.get(keptCalendars)?.get(id);
  // A clock that was set back makes nothing newer.
  return last !== undefined && Math.abs(secondsSince(last.at.toISOString(), now)) <= seconds ? last.kept : undefined;
}

function remember(kept: KeptCalendar, keptCalendars: KeptCalendars, at: Date): void {
  const known = lastRead.get(keptCalendars) ?? new Map<string, LastRead>();
  lastRead.set(keptCalendars, known.set(kept.id, { kept, at }));
}
