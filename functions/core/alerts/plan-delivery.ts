import type { AlertSettings, AlertTarget } from '../configuration/alerts.ts';
import { secondsBetween } from '../text/durations.ts';
import { isAttended } from './attention.ts';
import type { Delivery, Doubt, Incident, IncidentNote, NoteKind, Occasion } from './incident.ts';
import { isGivenUp } from './notify-failing.ts';
import { isPage, isQuiet } from './quiet-hours.ts';
import { type Style, styleOf } from './targets.ts';

/** What one target needs next to show the incident as it is now. */
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

/** Seconds after which a message of unknown outcome is visible to readers, if it was accepted at all. */
const readBackAfterSeconds = 10;

/** Seconds between two mailed reminders: daily, minus ten minutes so that one slightly early still counts. */
const dailySeconds = 24 * 3600 - 600;

/** Compares what the target has received with the current state. Late or repeated calls converge. */
export function planDelivery(incident: Incident, delivery: Delivery, target: Recipient, now: Date): DeliveryStep {
  if (isClaimed(delivery, now) || isEarly(delivery, now)) return { kind: 'wait' };
  if (isGivenUp(incident, delivery, now)) return { kind: 'nothing' };
  if (delivery.doubtful !== undefined) return readBack(delivery.doubtful, now);
  const style = styleOf(target);
  const step = wish(incident, delivery, style, now);
  return isHeldBack(step, incident, target, now) ? { kind: 'wait' } : step;
}

/** The settings of a target that affect its delivery. */
export type Recipient = Pick<AlertTarget, 'kind' | 'quietHours'>;

function wish(incident: Incident, delivery: Delivery, style: Style, now: Date): DeliveryStep {
  const notes = incident.notes.filter(({ seq }) => seq > delivery.threadSeq);
  const behind = delivery.wantedSeq > delivery.deliveredSeq;
  if (!behind && notes.length === 0) return isForgotten(incident, delivery, now) ? repeat : { kind: 'nothing' };
  if (!delivery.announced) return first(incident, style, now);
  switch (style) {
    case 'chat':
      return inChat(incident, delivery, notes);
    case 'letters':
    case 'calls':
      return byLetter(incident, delivery, notes, style);
    case 'pages':
    case 'feed':
      return byKey(incident, delivery, style);
    case 'mirror':
      return { kind: 'edit', occasion: occasionOf(incident, notes) };
    default:
      return style satisfies never;
  }
}

const repeat: DeliveryStep = { kind: 'edit', occasion: 'refreshed' };

/** A target that forgets must be resent to while the incident lasts. */
function isForgotten({ state }: Incident, { repeatAt }: Delivery, now: Date): boolean {
  return state !== 'ok' && repeatAt !== undefined && Date.parse(repeatAt) <= now.getTime();
}

/** During quiet hours only pages notify. What does not notify passes, and so do pages: an existing message always shows
 *  the current state. */
function isHeldBack(step: DeliveryStep, incident: Incident, { kind, quietHours }: Recipient, now: Date): boolean {
  if (quietHours === undefined || isPage(incident) || !isQuiet(quietHours, now)) return false;
  if (step.kind === 'edit') return !isSilent(step.occasion, incident, kind, now);
  return step.kind === 'post' || step.kind === 'reply';
}

/** PagerDuty keeps ringing until the incident is resolved or acknowledged there; neither of these notifies. */
function isSilent(occasion: Occasion, incident: Incident, kind: Recipient['kind'], now: Date): boolean {
  if (kind !== 'pagerduty') return kind === 'slack' || kind === 'outbox' || kind === 'alertmanager';
  const isNew = occasion === 'opened' || occasion === 'reopened';
  return incident.state === 'ok' || (!isNew && isAttended(incident, now));
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

/** A target that received nothing gets no resolution; a recovering incident is not announced. */
function first(incident: Incident, style: Style, now: Date): DeliveryStep {
  switch (incident.state) {
    case 'firing':
      if (incident.inhibitedBy !== undefined) return { kind: 'nothing' };
      if (style === 'pages' && isAttended(incident, now)) return { kind: 'nothing' };
      return isKeyed(style) ? { kind: 'edit', occasion: 'opened' } : { kind: 'post', occasion: 'opened' };
    case 'ok':
      return { kind: 'skip' };
    case 'pending':
    case 'resolving':
      return { kind: 'nothing' };
    default:
      return incident.state satisfies never;
  }
}

/** Targets that identify an incident by its key: repeating a message is harmless, so none is ever in doubt. */
function isKeyed(style: Style): boolean {
  return style === 'pages' || style === 'feed' || style === 'mirror';
}

/** One call with the current state, however many notes are unsent. */
function byKey(incident: Incident, delivery: Delivery, style: 'pages' | 'feed'): DeliveryStep {
  const worthy = incident.notes.filter(
    ({ seq, kind }) => seq > delivery.threadSeq && (style === 'feed' || isWorthAPage(kind)),
  );
  return worthy.length === 0 ? { kind: 'skip' } : { kind: 'edit', occasion: occasionOf(incident, worthy) };
}

function isWorthAPage(kind: NoteKind): boolean {
  switch (kind) {
    case 'opened':
    case 'reopened':
    case 'escalated':
    case 'attended':
    case 'unattended':
    case 'resolved':
      return true;
    case 'changed':
    case 'reminder':
    case 'flapping':
      return false;
    default:
      return kind satisfies never;
  }
}

/** The message is edited before the reply, so that readers of the reply find it current. */
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

/** The notes worth a mail: openings, escalations, ends, and one reminder a day. A hook gets no reminders. */
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
    case 'unattended':
    case 'resolved':
      return true;
    case 'flapping':
      return style === 'letters';
    case 'changed':
    case 'attended':
      return false;
    case 'reminder':
      return style === 'letters' && (last === undefined || secondsBetween(last.at, note.at) >= dailySeconds);
    default:
      return note.kind satisfies never;
  }
}

/** Most important first: several unsent notes become one message. */
const weight: readonly NoteKind[] = [
  'escalated',
  'reopened',
  'opened',
  'unattended',
  'attended',
  'flapping',
  'changed',
  'reminder',
];

/** A resolution that was followed by a reopening before it was sent is skipped. */
function occasionOf({ state }: Incident, notes: readonly IncidentNote[]): Occasion {
  const has = (kind: NoteKind) => notes.some((note) => note.kind === kind);
  if (state === 'ok' && has('resolved')) return 'resolved';
  return weight.find(has) ?? 'refreshed';
}

/** A message whose outcome cannot be read back is sent again if losing it is worse than sending it twice. */
export function isWorthRepeating(occasion: Occasion): boolean {
  switch (occasion) {
    case 'opened':
    case 'reopened':
    case 'escalated':
    case 'unattended':
    case 'resolved':
      return true;
    case 'changed':
    case 'reminder':
    case 'flapping':
    case 'attended':
    case 'refreshed':
      return false;
    default:
      return occasion satisfies never;
  }
}

/** Some target can be updated now: the sweep requests it in case the first request was lost. */
export function isDue(incident: Incident, alerts: AlertSettings, now: Date): boolean {
  return alerts.targets.some((target) => {
    const delivery = incident.deliveries[target.name];
    if (delivery === undefined) return false;
    const { kind } = planDelivery(incident, delivery, target, now);
    return kind !== 'nothing' && kind !== 'wait';
  });
}
