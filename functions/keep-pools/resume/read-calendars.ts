import { sweepIntervalSeconds } from '../../core/configuration/policy.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { calendarId, calendarsOf, type KeptCalendar } from '../../core/windows/kept-calendars.ts';
import { calendarReadLately, loadCalendar } from '../read/last-read-calendars.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** What is kept of the calendars that windows of the cluster read by their addresses. Sweeps read the calendars
 *  themselves. */
export async function readCalendars(reading: EvidenceReading): Promise<GatheredEvidence> {
  const { snapshot, ports, now } = reading;
  try {
    const ids = calendarsOf(snapshot.settings.windows ?? []).map(calendarId);
    const kept = await Promise.all(ids.map((id) => readKept(id, reading)));
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

/** While our table cannot be read, a rollout under way goes on by what was read of it in the time of two sweeps: each
 *  of them reads it, and one failed read stops no rollout in its middle. */
async function readKept(
  id: string,
  { snapshot, ports: { keptCalendars, logger }, now }: EvidenceReading,
): Promise<KeptCalendar | undefined> {
  try {
    return await loadCalendar(id, keptCalendars, now);
  } catch (cause) {
    const seconds = 2 * sweepIntervalSeconds(snapshot.settings.policy);
    const before = calendarReadLately(id, keptCalendars, seconds, now);
    if (before === undefined) throw cause;
    return { ...before, unreadNow: whyUnread(cause, logger) };
  }
}
