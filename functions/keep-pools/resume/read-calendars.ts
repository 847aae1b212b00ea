import { seen, unreadable } from '../../core/text/observed.ts';
import { calendarId, calendarsOf, type KeptCalendar, withFailure } from '../../core/windows/kept-calendars.ts';
import type { KeptCalendars } from '../../ports/tables.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidencePorts, EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** What this process read last, by the id of the calendar. */
const lastRead = new WeakMap<Pick<KeptCalendars, 'load'>, Map<string, KeptCalendar | undefined>>();

/** What is kept of the calendars that windows of the cluster read by their addresses. Sweeps read the calendars
 *  themselves. */
export async function readCalendars({ snapshot, ports, now }: EvidenceReading): Promise<GatheredEvidence> {
  try {
    const ids = calendarsOf(snapshot.settings.windows ?? []).map(calendarId);
    const kept = await Promise.all(ids.map((id) => readKept(id, ports, now)));
    const calendars = seen(
      kept.filter((each) => each !== undefined),
      now,
    );
    return { ofPool: () => ({ calendars }) };
  } catch (cause) {
    const calendars = unreadable(whyUnread(cause, ports.logger));
    return { ofPool: () => ({ calendars }) };
  }
}

/** While our table cannot be read, what was read of it before counts as long as any copy: one failed read stops no
 *  rollout in its middle. */
async function readKept(
  id: string,
  { keptCalendars, logger }: Pick<EvidencePorts, 'keptCalendars' | 'logger'>,
  now: Date,
): Promise<KeptCalendar | undefined> {
  const known = lastRead.get(keptCalendars) ?? new Map<string, KeptCalendar | undefined>();
  lastRead.set(keptCalendars, known);
  try {
    const kept = await keptCalendars.load(id);
    known.set(id, kept);
    return kept;
  } catch (cause) {
    const before = known.get(id);
    if (before === undefined) throw cause;
    return withFailure(before, id, `its copy could not be read: ${whyUnread(cause, logger)}`, now);
  }
}
