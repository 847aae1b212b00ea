import type { Trouble } from '../findings/trouble.ts';
import { isMoreSevere } from '../findings/trouble-words.ts';
import { clockTime, duration, secondsBetween } from '../text/durations.ts';
import { plusSeconds } from '../text/instant.ts';
import { attentionBounds } from './attention-bounds.ts';
import { isMoreThanSeen, withoutReturns } from './earlier-causes.ts';
import type { Attention, Incident } from './incident.ts';
import { type NoteContext, withNote } from './notes.ts';
import { isKnownToRise } from './told-severities.ts';

/** Seconds before its end at which a reminder announces it. */
const warnBefore = 900;
/** UTF-16 units. */
const reasonLimit = 300;
/** Requests kept to recognise a repeated one. */
const wishesKept = 10;

/** An acknowledgement or snooze that a person requests. */
export interface AttentionRequest {
  readonly kind: Attention['kind'];
  readonly by: string;
  readonly reason: string;
  /** ISO instant. */
  readonly askedAt: string;
  readonly forSeconds: number;
  /** Sequence of the message that the person acted on; undefined: not sent from a message. */
  readonly seenSeq?: number | undefined;
}

export type Attended =
  | { readonly kind: 'attended'; readonly incident: Incident }
  /** The same request once more. */
  | { readonly kind: 'nothing' }
  /** `isStale`: because it is about a message that no longer shows the current state. */
  | { readonly kind: 'refused'; readonly why: string; readonly isStale?: true };

/** The incident with the request applied. Bumps the sequence so that every target shows it; only reminders and paging
 *  stop. */
export function attend(incident: Incident, wish: AttentionRequest, context: NoteContext): Attended {
  const { state, trouble, wishes = [] } = incident;
  const asked = `${wish.askedAt} ${wish.by}`;
  if (wishes.includes(asked)) return { kind: 'nothing' };
  if ((state !== 'firing' && state !== 'resolving') || trouble === undefined) {
    return { kind: 'refused', why: 'it is resolved' };
  }
  if (hasChangedSince(incident, wish.seenSeq)) {
    const why = 'it has changed since that message; check the current state first';
    return { kind: 'refused', why, isStale: true };
  }
  const { kind, by } = wish;
  const seconds = Math.min(Math.max(wish.forSeconds, attentionBounds.least), attentionBounds.most);
  // A clock that runs ahead, or whoever may send to the queue, would silence it for longer.
  const at = Date.parse(wish.askedAt) > context.now.getTime() ? context.now.toISOString() : wish.askedAt;
  const until = plusSeconds(new Date(at), seconds);
  if (Date.parse(until) <= context.now.getTime())
    return { kind: 'refused', why: 'the requested time has already passed' };
  const since = takenSince(incident, at, context.now);
  if (since !== undefined) return { kind: 'refused', why: sinceWords(since, context.now) };
  const next: Attention = {
    kind,
    by: by.slice(0, 100),
    reason: wish.reason.slice(0, reasonLimit),
    at,
    until,
    severity: trouble.severity,
    digest: trouble.digest,
    warned: false,
  };
  const goesOn = incident.attention?.by === next.by && isAttended(incident, context.now);
  const earlier = goesOn ? incident.earlier : withoutReturns(incident.earlier);
  const told = withNote(
    { ...incident, attention: next, earlier, wishes: [...wishes, asked].slice(-wishesKept) },
    'attended',
    capital(attentionWords(next, context.now)),
    context,
  );
  return { kind: 'attended', incident: told };
}

/** The message that was clicked no longer shows the current state. */
function hasChangedSince({ notes }: Incident, seenSeq: number | undefined): boolean {
  if (seenSeq === undefined) return false;
  return notes.some(({ seq, kind }) => seq > seenSeq && kind !== 'reminder' && kind !== 'attended');
}

/** What somebody said of it after this instant, and still applies: messages of the queue come in any order. */
function takenSince(incident: Incident, at: string, now: Date): Attention | undefined {
  const { attention } = incident;
  const isLater = attention !== undefined && Date.parse(attention.at) > Date.parse(at);
  return isLater && isAttended(incident, now) ? attention : undefined;
}

function sinceWords({ kind, by, until }: Attention, now: Date): string {
  return `${by} has ${kind} it since, until ${clockTime(until, now)}`;
}

/** Acknowledged or snoozed now: no reminders, no paging. */
export function isAttended(incident: Incident, now: Date): boolean {
  const { attention, trouble } = incident;
  if (attention === undefined || Date.parse(attention.until) <= now.getTime()) return false;
  return trouble === undefined || !isWorse(attention, { ...incident, trouble }, now);
}

/** Worse than what the person saw: a higher severity, a new cause, or more nodes. A severity that it rose to and fell
 *  from within the hour, as all were told, is not. */
function isWorse(seen: Attention, incident: Incident & { readonly trouble: Trouble }, now: Date): boolean {
  const { earlier = [], trouble } = incident;
  const isHigher = isMoreSevere(trouble.severity, seen.severity) && !isKnownToRise(incident, trouble.severity, now);
  return isHigher || isMoreThanSeen(seen, earlier, { trouble, now });
}

/** Its end should be announced now; short ones end without an announcement. */
export function isEndNear(attention: Attention, now: Date): boolean {
  const left = secondsBetween(now.toISOString(), attention.until);
  return !attention.warned && left <= warnBefore && secondsBetween(attention.at, attention.until) > 2 * warnBefore;
}

/** `acknowledged by anna until 16:30:00 UTC: label is being set`. */
export function attentionWords({ kind, by, until, reason }: Attention, now: Date): string {
  return `${kind} by ${by} until ${clockTime(until, now)}${reason === '' ? '' : `: ${reason}`}`;
}

export function endedWords(attention: Attention, now: Date): string {
  const what = attention.kind === 'acknowledged' ? 'Acknowledgement' : 'Snooze';
  return `${what} by ${attention.by} ended after ${duration(secondsBetween(attention.at, now))}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
