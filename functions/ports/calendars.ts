import type { CalendarAddress } from '../core/configuration/calendar-address.ts';
import type { CalendarCopy } from '../core/windows/kept-calendars.ts';

/** Calendars of somebody else, by their addresses. */
export interface CalendarServers {
  /** One GET. `unchanged`: it is the known text still. Throws Transient for whatever cannot be read. */
  read(calendar: CalendarAddress, known: CalendarCopy | undefined): Promise<ReadCalendar>;
}

export type ReadCalendar =
  | { readonly kind: 'unchanged' }
  | ({ readonly kind: 'read' } & Pick<CalendarCopy, 'text' | 'etag' | 'lastModified'>);
