import { seen, unreadable } from '../../core/text/observed.ts';
import { calendarId, calendarsOf } from '../../core/windows/kept-calendars.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** What is kept of the calendars that windows of the cluster read by their addresses. Sweeps read the calendars
 *  themselves. */
export async function readCalendars({ snapshot, ports, now }: EvidenceReading): Promise<GatheredEvidence> {
  try {
    const ids = calendarsOf(snapshot.settings.windows ?? []).map(calendarId);
    const kept = await Promise.all(ids.map((id) => ports.keptCalendars.load(id)));
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
