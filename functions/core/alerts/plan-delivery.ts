import type { AlertSettings } from '../configuration.ts';
import type { Delivery, Doubt, Incident, IncidentNote, NoteKind, Occasion } from './incident.ts';
import { secondsBetween } from './message/words.ts';
import { isGivenUp } from './notify-failing.ts';
import { type Style, styleOf } from './targets.ts';

/** What one target needs next, so that it shows the incident as it is now. */
export type DeliveryStep =
  | { readonly kind: 'nothing' }
  /** Somebody else is at it, or it is too early to try again. */
  | { readonly kind: 'wait' }
  /** Nothing worth a message: count it as told. */
  | { readonly kind: 'skip' }
  /** A send was begun and not confirmed: look whether it arrived. */
  | { readonly kind: 'read-back'; readonly doubt: Doubt }
  | { readonly kind: 'post'; readonly occasion: Occasion }
  | { readonly kind: 'edit'; readonly occasion: Occasion }
  | { readonly kind: 'reply'; readonly occasion: Occasion; readonly notes: readonly IncidentNote[] };

/** Seconds until a message whose outcome is unknown must be visible to a reader, if it was taken at all. */
export const readBackAfterSeconds = 10;

/** Seconds between two mailed reminders: daily. A little less, so that a reminder a moment early still counts. */
const dailySeconds = 24 * 3600 - 600;

/** Pure: what the target has been told against what is true now. A late or repeated call ends in the same place. */
export function planDelivery(incident: Incident, delivery: Delivery, style: Style, now: Date): DeliveryStep {
  if (isClaimed(delivery, now) || isEarly(delivery, now)) return { kind: 'wait' };
  if (isGivenUp(incident, delivery, now)) return { kind: 'nothing' };
  if (delivery.doubtful !== undefined) return readBack(delivery.doubtful, now);
  const notes = incident.notes.filter(({ seq }) => seq > delivery.threadSeq);
  const behind = delivery.wantedSeq > delivery.deliveredSeq;
  if (!behind && notes.length === 0) return { kind: 'nothing' };
  if (!delivery.announced) return first(incident);
  if (style === 'chat') return inChat(incident, delivery, notes);
  return byLetter(incident, delivery, notes, style);
}

function isClaimed({ claim }: Delivery, now: Date): boolean {
  return claim !== undefined && Date.parse(claim.until) > now.getTime();
}

function isEarly({ retryAt }: Delivery, now: Date): boolean {
  return retryAt !== undefined && Date.parse(retryAt) > now.getTime();
}

function readBack(doubt: Doubt, now: Date): DeliveryStep {
  return secondsBetween(doubt.since, now) < readBackAfterSeconds ? { kind: 'wait' } : { kind: 'read-back', doubt };
}

/** Who has heard nothing hears nothing of an end either; what is going away is not announced any more. */
function first(incident: Incident): DeliveryStep {
  switch (incident.state) {
    case 'firing':
      return incident.inhibitedBy === undefined ? { kind: 'post', occasion: 'opened' } : { kind: 'nothing' };
    case 'ok':
      return { kind: 'skip' };
    case 'pending':
    case 'resolving':
      return { kind: 'nothing' };
    default:
      return incident.state satisfies never;
  }
}

/** The standing message first, so that whoever follows the reply finds the truth. */
function inChat(incident: Incident, delivery: Delivery, notes: readonly IncidentNote[]): DeliveryStep {
  const occasion = occasionOf(incident, notes);
  if (delivery.remote === undefined) return { kind: 'post', occasion };
  if (delivery.wantedSeq > delivery.deliveredSeq) return { kind: 'edit', occasion };
  return { kind: 'reply', occasion, notes };
}

function byLetter(
  incident: Incident,
  delivery: Delivery,
  notes: readonly IncidentNote[],
  style: 'letters' | 'calls',
): DeliveryStep {
  const worthy = worthALetter(incident.notes, style).filter(({ seq }) => seq > delivery.threadSeq);
  if (worthy.length === 0) return { kind: 'skip' };
  const occasion = occasionOf(incident, worthy);
  return delivery.remote === undefined ? { kind: 'post', occasion } : { kind: 'reply', occasion, notes };
}

/** The notes that somebody gets a letter for: openings, escalations, ends, and a reminder a day. A hook gets no reminders. */
function worthALetter(notes: readonly IncidentNote[], style: 'letters' | 'calls'): readonly IncidentNote[] {
  const worthy: IncidentNote[] = [];
  for (const note of notes) if (isWorthALetter(note, worthy.at(-1), style)) worthy.push(note);
  return worthy;
}

function isWorthALetter(note: IncidentNote, last: IncidentNote | undefined, style: 'letters' | 'calls'): boolean {
  switch (note.kind) {
    case 'opened':
    case 'reopened':
    case 'escalated':
    case 'resolved':
      return true;
    case 'flapping':
      return style === 'letters';
    case 'changed':
      return false;
    case 'reminder':
      return style === 'letters' && (last === undefined || secondsBetween(last.at, note.at) >= dailySeconds);
    default:
      return note.kind satisfies never;
  }
}

/** Most important first: several things untold are one message. */
const weight: readonly NoteKind[] = ['escalated', 'reopened', 'opened', 'flapping', 'changed', 'reminder'];

/** An end that was followed by a return before anybody heard of it is no end. */
function occasionOf({ state }: Incident, notes: readonly IncidentNote[]): Occasion {
  const has = (kind: NoteKind) => notes.some((note) => note.kind === kind);
  if (state === 'ok' && has('resolved')) return 'resolved';
  return weight.find(has) ?? 'refreshed';
}

/** A message whose outcome cannot be read back is sent again when losing it is worse than saying it twice. */
export function isWorthRepeating(occasion: Occasion): boolean {
  return occasion === 'opened' || occasion === 'reopened' || occasion === 'escalated' || occasion === 'resolved';
}

/** Some target can be brought forward now: the sweep asks for it, should the first asking have been lost. */
export function isDue(incident: Incident, alerts: AlertSettings, now: Date): boolean {
  return alerts.targets.some((target) => {
    const delivery = incident.deliveries[target.name];
    if (delivery === undefined) return false;
    const { kind } = planDelivery(incident, delivery, styleOf(target), now);
    return kind !== 'nothing' && kind !== 'wait';
  });
}
