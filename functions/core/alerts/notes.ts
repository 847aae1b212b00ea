import { middle } from '../text/safe-text.ts';
import type { Audience } from './audience.ts';
import type { Delivery, Incident, IncidentNote, NoteKind, Occasion } from './incident.ts';
import { newDelivery } from './incident.ts';
import { isGivenUp } from './notify-failing.ts';

/** Notes kept: the first, which the mail subject uses, the newest, and of those before them the last one that is worth
 *  a page, by which the next page goes, and the last one that is news, by which it is known what a message shows. */
const noteLimit = 30;
/** UTF-16 units of a note's text: keeps a table item far below its limit of 400 kB. */
const noteTextLimit = 600;

/** The next sequence with a note: every target is owed an update and its thread a reply. */
export function withNote(incident: Incident, kind: NoteKind, text: string, context: NoteContext): Incident {
  const next = withRefresh(incident, context);
  const note = { seq: next.seq, at: context.now.toISOString(), kind, text: middle(text, noteTextLimit) };
  return { ...next, notes: bounded([...next.notes, note]) };
}

/** The next sequence without a note: existing messages are edited silently. */
export function withRefresh(incident: Incident, { now, targets }: NoteContext): Incident {
  const seq = incident.seq + 1;
  return { ...incident, seq, lastEditAt: now.toISOString(), deliveries: wanted(incident.deliveries, targets, seq) };
}

export interface NoteContext {
  readonly now: Date;
  readonly targets: Audience;
}

/** The new sequence is owed to every target that is alerted now and to those that were before. */
function wanted(deliveries: Incident['deliveries'], targets: Audience, seq: number): Incident['deliveries'] {
  const owed = Object.entries(deliveries).map(([name, delivery]) => [name, { ...delivery, wantedSeq: seq }] as const);
  const joining = targets.hear
    .filter((name) => deliveries[name] === undefined)
    .map((name) => [name, newDelivery(seq)] as const);
  return Object.fromEntries([...owed, ...joining]);
}

/** A target is told of it from this step on. */
export function hasJoined(before: Incident, { deliveries }: Incident): boolean {
  return (
    deliveries !== before.deliveries && Object.keys(deliveries).some((name) => before.deliveries[name] === undefined)
  );
}

function bounded(notes: readonly IncidentNote[]): readonly IncidentNote[] {
  if (notes.length <= noteLimit) return notes;
  const older = notes.slice(1, 3 - noteLimit);
  const page = older.findLast(({ kind }) => isWorthAPage(kind));
  const news = older.findLast(({ kind }) => isWorthRepeating(kind));
  const dropped = older.find((note) => note !== page && note !== news);
  return notes.filter((note) => note !== dropped);
}

/** A target that received something of this episode, or may have, has not received its resolution. */
export function isEndOwed(incident: Incident, { all }: Audience, now: Date): boolean {
  return all.some((name) => isOwed(incident, incident.deliveries[name], now));
}

/** Including a failing target while it is retried: its message still shows the incident as firing. */
function isOwed(incident: Incident, delivery: Delivery | undefined, now: Date): boolean {
  if (delivery === undefined || isGivenUp(incident, delivery, now)) return false;
  if (delivery.claim !== undefined || delivery.doubtful !== undefined) return true;
  const untold = incident.notes.some(({ seq }) => seq > delivery.threadSeq);
  return delivery.announced && (delivery.deliveredSeq < delivery.wantedSeq || untold);
}

/** What somebody is woken for, and what ends that: an acknowledgement, too. */
export function isWorthAPage(kind: NoteKind): boolean {
  return kind === 'attended' || isWorthRepeating(kind);
}

/** Whether losing this message is worse than sending it twice: then one whose outcome cannot be read back is sent
 *  again. */
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
