import type { CalendarAddress } from '../../core/configuration/calendar-address.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import { calendarProblem } from '../../core/windows/calendar-windows.ts';
import {
  calendarId,
  calendarsOf,
  isReadDue,
  type KeptCalendar,
  withFailure,
} from '../../core/windows/kept-calendars.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { FollowedPass } from '../pass-state.ts';
import { loadCalendar, saveCalendar } from '../read/last-read-calendars.ts';
import { whyUnread } from '../read/why-unread.ts';

type CalendarPorts = Pick<KeepPorts, 'calendarServers' | 'keptCalendars' | 'clock' | 'logger'>;

/** With a sweep, reads the calendars of the cluster's windows that are due, and keeps them. Last of all: no pause and
 *  no alert waits for a server of somebody else. What fails is kept too, so that the gate can say since when. */
export async function refreshCalendars({ scope, observation, ports }: FollowedPass): Promise<void> {
  if (!observation.swept && observation.sweepFailure === undefined) return;
  const windows = scope.cluster.windows ?? [];
  await Promise.all(
    calendarsOf(windows).map((calendar) => {
      const id = calendarId(calendar);
      const used = windows.filter(({ calendarFrom: from }) => from !== undefined && calendarId(from) === id);
      const timeZones = unique(used.map(({ timeZone }) => timeZone));
      return refresh({ id, calendar, timeZones }, ports);
    }),
  );
}

interface Refreshed {
  readonly id: string;
  readonly calendar: CalendarAddress;
  /** Of the windows that it is for. */
  readonly timeZones: readonly string[];
}

async function refresh(of: Refreshed, ports: CalendarPorts): Promise<void> {
  try {
    const known = await loadCalendar(of.id, ports.keptCalendars, ports.clock());
    if (!isReadDue(known, ports.clock())) return;
    const kept = await readAgain(of, known, ports);
    if (kept.failure !== undefined) ports.logger.warn('a calendar could not be read', { why: kept.failure.why });
    await keep(kept, known, ports);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // Its copy grows old, and the gate says so.
    ports.logger.warn('a calendar could not be kept', { why: cause.message });
  }
}

/** One that cannot be kept, because it is too long, cannot be used: that is kept instead. */
async function keep(kept: KeptCalendar, known: KeptCalendar | undefined, ports: CalendarPorts): Promise<void> {
  try {
    await saveCalendar(kept, ports.keptCalendars, ports.clock());
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const now = ports.clock();
    await saveCalendar(withFailure(known, kept.id, cause.message, now), ports.keptCalendars, now);
  }
}

async function readAgain(
  { id, calendar, timeZones }: Refreshed,
  known: KeptCalendar | undefined,
  ports: CalendarPorts,
): Promise<KeptCalendar> {
  try {
    const read = await ports.calendarServers.read(calendar, known?.copy);
    const now = ports.clock();
    const readAt = now.toISOString();
    if (read.kind === 'unchanged' && known?.copy !== undefined)
      return { id, triedAt: readAt, copy: { ...known.copy, readAt } };
    if (read.kind === 'unchanged') return withFailure(known, id, 'it answered that nothing changed', now);
    const fault = timeZones.map((zone) => calendarProblem(read.text, zone, now.getTime())).find((each) => each);
    if (fault !== undefined) return withFailure(known, id, `what it answered is not understood: ${fault}`, now);
    const { text, etag, lastModified } = read;
    return { id, triedAt: readAt, copy: { text, readAt, etag, lastModified } };
  } catch (cause) {
    return withFailure(known, id, whyUnread(cause, ports.logger), ports.clock());
  }
}
