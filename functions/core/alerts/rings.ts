import { isAttended } from './attention.ts';
import type { Delivery, Incident, IncidentNote, Occasion, Rings } from './incident.ts';
import { isBeginning, isWorthAPage } from './notes.ts';

/** Whether the alert is to ring: the incident is open, and nobody has taken it or it has come back since. */
export function rings(incident: Incident, occasion: Occasion, now: Date): boolean {
  if (incident.state === 'ok') return false;
  const isNew = (occasion === 'opened' || occasion === 'reopened') && !isTakenAnew(incident);
  return isNew || !isAttended(incident, now);
}

/** Somebody took it after it was opened, or came back. */
function isTakenAnew({ notes }: Incident): boolean {
  return notes.findLast((note) => note.kind === 'attended' || isBeginning(note))?.kind === 'attended';
}

/** What is known of PagerDuty's alerts before it is sent the incident as it is now; stored first, so that whatever a
 *  crash cuts off is sent with the same keys again. An alert that is acknowledged rings nobody, and nothing says that
 *  PagerDuty takes two events of one key in their order: each ring after an acknowledgement or an end is an alert of
 *  its own, and the one before it is resolved. Source: PagerDuty, "Incidents" (acknowledged) and "Event Management"
 *  (deduplicate alerts).
 *  @param untold notes that PagerDuty has not received */
export function ringsNow(
  incident: Incident,
  { rings: before = firstRing }: Pick<Delivery, 'rings'>,
  {
    occasion,
    untold,
    now,
  }: { readonly occasion: Occasion; readonly untold: readonly IncidentNote[]; readonly now: Date },
): Rings {
  if (!rings(incident, occasion, now)) return { ...before, quietedAt: incident.seq };
  const quietedAt = Math.max(before.quietedAt ?? 0, acknowledgedAt(incident, untold) ?? 0);
  if (quietedAt <= before.current) return before;
  return { ...before, current: quietedAt, former: [...before.former, before.current] };
}

/** Those that it was told to resolve are resolved. */
export function afterRinging(rings: Rings | undefined): Pick<Delivery, 'rings'> {
  return rings === undefined ? {} : { rings: { ...rings, former: [] } };
}

/** It was not told: what it knew before goes on. */
export function afterSilence(rings: Rings | undefined, before: Rings | undefined): Pick<Delivery, 'rings'> {
  return rings === undefined ? {} : { rings: { ...rings, quietedAt: before?.quietedAt } };
}

/** The next episode's deliveries know of alerts that may still be open. */
export function withRingsOf(
  before: Incident['deliveries'],
  deliveries: Incident['deliveries'],
): Incident['deliveries'] {
  return Object.fromEntries(
    Object.entries(deliveries).map(([name, delivery]) => {
      const known = before[name]?.rings;
      return [name, known === undefined ? delivery : { ...delivery, rings: known }] as const;
    }),
  );
}

/** The one of an incident that never rang again. */
export const firstRing: Rings = { current: 0, former: [] };

/** The last that PagerDuty was told is that somebody takes it: in deliveries of earlier versions that is known by the
 *  notes alone. One who acknowledged it there keeps it. */
function acknowledgedAt({ notes }: Incident, untold: readonly IncidentNote[]): number | undefined {
  const from = untold[0]?.seq ?? Number.POSITIVE_INFINITY;
  const last = notes.findLast(({ seq, kind }) => seq < from && isWorthAPage(kind));
  return last?.kind === 'attended' ? last.seq : undefined;
}
