import type { AlertSettings, AlertTarget } from '../configuration/alerts.ts';
import { secondsBetween } from '../text/durations.ts';
import { isAttended } from './attention.ts';
import type { Delivery, Doubt, Incident, IncidentNote, NoteKind, Occasion } from './incident.ts';
import { isWorthAPage, worthALetter } from './notes.ts';
import { isGivenUp } from './notify-failing.ts';
import { isPage, isQuiet } from './quiet-hours.ts';
import { type Style, styleOf } from './targets.ts';

/** What one target needs next to show the incident as it is now. */
export type DeliveryStep =
  /** It is up to date, or nothing has to reach it. */
  | { readonly kind: 'nothing' }
  /** Another worker is sending, it is too early to try again, or it is quiet hours. */
  | { readonly kind: 'wait' }
  /** What is new is not worth a message: count it as delivered. */
  | { readonly kind: 'skip' }
  /** A send was begun and not confirmed: look whether the message arrived. */
  | { readonly kind: 'read-back'; readonly doubt: Doubt }
  | { readonly kind: 'post'; readonly occasion: Occasion }
  | { readonly kind: 'edit'; readonly occasion: Occasion }
  | { readonly kind: 'reply'; readonly occasion: Occasion; readonly notes: readonly IncidentNote[] };

/** Seconds after which a message of unknown outcome is visible to readers, if it was accepted at all. */
const readBackAfterSeconds = 10;

/** The settings of a target that affect its delivery. */
export type Recipient = Pick<AlertTarget, 'kind' | 'quietHours'>;

/** Compares what the target has received with the current state. Late or repeated calls converge. */
export function planDelivery(incident: Incident, delivery: Delivery, target: Recipient, now: Date): DeliveryStep {
  if (isClaimed(delivery, now) || isTooEarly(incident, delivery, now)) return { kind: 'wait' };
  if (isGivenUp(incident, delivery, now)) return { kind: 'nothing' };
  if (delivery.doubtful !== undefined) return readBack(delivery.doubtful, now);
  const style = styleOf(target);
  const step = nextStep(incident, delivery, style, now);
  return isHeldBack(step, incident, target, now) ? { kind: 'wait' } : step;
}

function nextStep(incident: Incident, delivery: Delivery, style: Style, now: Date): DeliveryStep {
  const notes = incident.notes.filter(({ seq }) => seq > delivery.threadSeq);
  const behind = isBehind(delivery);
  if (!behind && notes.length === 0 && !isThreadOwed(delivery, style))
    return isRepeatDue(incident, delivery, now) ? repeat : { kind: 'nothing' };
  if (!delivery.announced) return firstMessage(incident, style, now);
  switch (style) {
    case 'chat':
      return inChat(incident, delivery, notes);
    case 'letters':
    case 'calls':
      return isKnownAsOver(incident, delivery) ? { kind: 'skip' } : byLetter(incident, delivery, notes, style);
    case 'pages':
    case 'feed':
      return isKnownAsOver(incident, delivery) ? { kind: 'skip' } : byKey(incident, delivery, style);
    case 'mirror':
      return { kind: 'edit', occasion: occasionOf(incident, notes) };
    default:
      return style satisfies never;
  }
}

/** It came back and ended again within quiet hours: who was told of the first end is not told of a second one. Of a
 *  message that was tried, also by a process that died, it may not be known whether it arrived. The first note is the
 *  opening; of a row that an earlier version has cut it may be an end whose return was dropped. */
function isKnownAsOver({ state, notes }: Incident, { threadSeq, triedSeq = 0, attempts }: Delivery): boolean {
  if (state !== 'ok' || attempts > 0 || triedSeq > threadSeq) return false;
  const turns: readonly NoteKind[] = ['opened', 'reopened', 'resolved'];
  return notes.slice(1).findLast(({ seq, kind }) => seq <= threadSeq && turns.includes(kind))?.kind === 'resolved';
}

/** Its message does not show the incident, or the others that it tells of, as they are. */
function isBehind({ wantedSeq, deliveredSeq, listWanted = 0, listShown = 0 }: Delivery): boolean {
  return wantedSeq > deliveredSeq || listWanted > listShown;
}

/** Its message leaves evidence and commands to a thread that has none: it is told since a step without a note. */
function isThreadOwed(delivery: Delivery, style: Style): boolean {
  return style === 'chat' && delivery.remote !== undefined && hasNoReply(delivery);
}

/** Nothing of the incident has been told in a thread there. */
export function hasNoReply({ threadSeq, fromSeq = 0 }: Delivery): boolean {
  return threadSeq < fromSeq;
}

const repeat: DeliveryStep = { kind: 'edit', occasion: 'refreshed' };

/** A target that forgets what is not repeated is sent the incident again while it lasts. */
function isRepeatDue({ state }: Incident, { repeatAt }: Delivery, now: Date): boolean {
  return state !== 'ok' && repeatAt !== undefined && Date.parse(repeatAt) <= now.getTime();
}

/** During quiet hours only what is worth waking someone up (`isPage`) may notify. What notifies nobody is sent all
 *  the same, so that an existing message always shows the current state. */
export function isHeldBack(
  step: DeliveryStep,
  incident: Incident,
  { kind, quietHours }: Recipient,
  now: Date,
): boolean {
  if (quietHours === undefined || isPage(incident) || !isQuiet(quietHours, now)) return false;
  if (step.kind === 'edit') return !isSilent(step.occasion, incident, kind, now);
  return step.kind === 'post' || step.kind === 'reply';
}

/** Whether an edit reaches people without notifying them. PagerDuty keeps ringing until the incident is resolved or
 *  acknowledged there: these two are silent, and must not wait. */
function isSilent(occasion: Occasion, incident: Incident, kind: Recipient['kind'], now: Date): boolean {
  if (kind !== 'pagerduty') return kind === 'slack' || kind === 'outbox' || kind === 'alertmanager';
  const isNew = occasion === 'opened' || occasion === 'reopened';
  return incident.state === 'ok' || (!isNew && isAttended(incident, now));
}

function isClaimed({ claim }: Delivery, now: Date): boolean {
  return claim !== undefined && Date.parse(claim.until) > now.getTime();
}

/** What waits among notices for its turn in a channel, and pages by now, asks for an earlier one. */
function isTooEarly(incident: Incident, { retryAt, turnAt }: Delivery, now: Date): boolean {
  if (retryAt === undefined || Date.parse(retryAt) <= now.getTime()) return false;
  return turnAt !== retryAt || !isUrgent(incident);
}

/** What may page somebody, while it lasts, waits for nothing else in its channel. */
export function isUrgent(incident: Pick<Incident, 'state' | 'trouble'>): boolean {
  return isPage(incident) && incident.state !== 'ok';
}

/** Whether this step waits for nothing that is not as urgent: a message, and news that is worth a page. A mere change
 *  takes its turn among the rest: whoever may change an own incident again and again goes before no opening. */
export function goesFirst(incident: Incident, step: DeliveryStep): boolean {
  if (step.kind === 'reply' && !step.notes.some(({ kind }) => isWorthAPage(kind))) return false;
  return isUrgent(incident);
}

function readBack(doubt: Doubt, now: Date): DeliveryStep {
  return secondsBetween(doubt.since, now) < readBackAfterSeconds ? { kind: 'wait' } : { kind: 'read-back', doubt };
}

/** The first message to a target: one that received nothing gets no resolution, and a recovering incident is not
 *  announced. */
function firstMessage(incident: Incident, style: Style, now: Date): DeliveryStep {
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

/** Targets of a key: one call with the current state, however many notes are unsent. */
function byKey(incident: Incident, delivery: Delivery, style: 'pages' | 'feed'): DeliveryStep {
  const worthy = incident.notes.filter(
    ({ seq, kind }) => seq > delivery.threadSeq && (style === 'feed' || isWorthAPage(kind)),
  );
  return worthy.length === 0 ? { kind: 'skip' } : { kind: 'edit', occasion: occasionOf(incident, worthy) };
}

/** One message in a channel, with a thread: the message is edited before the reply, so that readers of the reply find
 *  it current. What it has shown since it was posted is repeated in the thread alone. */
function inChat(incident: Incident, delivery: Delivery, notes: readonly IncidentNote[]): DeliveryStep {
  const occasion = occasionOf(incident, notes);
  if (delivery.remote === undefined) return { kind: 'post', occasion };
  if (isBehind(delivery)) return { kind: 'edit', occasion };
  const fresh = notes.filter(({ seq }) => seq > (delivery.postedSeq ?? 0));
  return { kind: 'reply', occasion: fresh.length === 0 ? 'opened' : occasionOf(incident, fresh), notes };
}

/** Mail and hooks: a message of its own for every thing worth one. */
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

/** Most important first: several unsent notes become one message, which is about the first of these. */
const mostImportantFirst: readonly NoteKind[] = [
  'escalated',
  'reopened',
  'opened',
  'unattended',
  'attended',
  'flapping',
  'changed',
  'reminder',
];

/** What a message about these notes is about. A resolution that was followed by a reopening before it was sent is
 *  skipped. */
function occasionOf({ state }: Incident, notes: readonly IncidentNote[]): Occasion {
  const has = (kind: NoteKind) => notes.some((note) => note.kind === kind);
  if (state === 'ok' && has('resolved')) return 'resolved';
  return mostImportantFirst.find(has) ?? 'refreshed';
}

/** Whether some target can be updated now. The sweep asks, in case the first request to send was lost. */
export function isDue(incident: Incident, alerts: AlertSettings, now: Date): boolean {
  return alerts.targets.some((target) => {
    const delivery = incident.deliveries[target.name];
    if (delivery === undefined) return false;
    const { kind } = planDelivery(incident, delivery, target, now);
    return kind !== 'nothing' && kind !== 'wait';
  });
}
