import * as z from 'zod';
import { Metadata, maybeCount, maybeText, text } from './metadata.ts';

/** A core/v1 event. Evidence only: events are merged, dropped and expire (3 h on OpenShift). */
export const Event = z.object({
  metadata: Metadata,
  type: text,
  reason: text,
  message: text,
  count: maybeCount,
  firstTimestamp: maybeText,
  lastTimestamp: maybeText,
  eventTime: maybeText,
});
export type Event = z.infer<typeof Event>;

/** When it was seen last. */
export function seenLast(event: Event): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}

export function newestFirst(events: readonly Event[]): readonly Event[] {
  return events.toSorted((a, b) => (Date.parse(seenLast(b)) || 0) - (Date.parse(seenLast(a)) || 0));
}
