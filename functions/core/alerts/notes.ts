import { secondsBetween } from '../text/durations.ts';
import { middle } from '../text/safe-text.ts';
import type { Audience } from './audience.ts';
import type { Delivery, Incident, IncidentNote, NoteKind, Occasion } from './incident.ts';
import { newDelivery } from './incident.ts';
import { isGivenUp } from './notify-failing.ts';

/** Notes kept: the newest, and at most so many of those before them, half of which are escalations. */
export const newestKept = 18;
const olderKept = 12;
/** UTF-16 units of a note's text: keeps a table item far below its limit of 400 kB. */
export const noteTextLimit = 600;

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

/** The newest notes, and of those before them what is still gone by: the first, which the subject of a mail has, the
 *  last beginning and the last end, by which it is known what a target was told last, the last one that is worth a
 *  page, by which the next page goes, the last one that is news, by which it is known what a message shows, the last
 *  one that was worth a mail, by which the next reminder is, and the last escalations since that beginning, of which
 *  those come first that tell of somebody of whom nothing else does. */
export function bounded(notes: readonly IncidentNote[], newest = newestKept): readonly IncidentNote[] {
  if (notes.length <= newest + olderKept) return notes;
  const older = notes.slice(0, -newest);
  const kept = [
    older.find(isBeginning),
    older.findLast(isBeginning),
    older.findLast(({ kind }) => kind === 'resolved'),
    older.findLast(({ kind }) => isWorthAPage(kind)),
    older.findLast(({ kind }) => isWorthRepeating(kind)),
    worthALetter(older, 'letters').at(-1),
    ...lastOf(escalationsOf(older), olderKept / 2),
  ];
  return [...older.filter((note) => kept.includes(note)), ...notes.slice(-newest)];
}

/** Those since it was opened, or came back last, and the ends of acknowledgements that tell of who joined. */
export function escalationsOf(notes: readonly IncidentNote[]): readonly IncidentNote[] {
  const since = notes.slice(notes.findLastIndex(isBeginning) + 1);
  return since.filter(({ kind, joins }) => kind === 'escalated' || joins === true);
}

/** 0: it tells of somebody who joined. */
export function joinsRank({ joins }: IncidentNote): number {
  return joins === true ? 0 : 1;
}

/** The last of them, but before those each that tells of somebody who joined; in their order. */
export function lastOf(notes: readonly IncidentNote[], atMost: number): readonly IncidentNote[] {
  const kept = notes.toSorted((a, b) => joinsRank(b) - joinsRank(a)).slice(-atMost);
  return notes.filter((note) => kept.includes(note));
}

export function isBeginning({ kind }: IncidentNote): boolean {
  return kind === 'opened' || kind === 'reopened';
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

/** The notes worth a mail: openings, escalations, ends, and one reminder a day. A hook gets no reminders. */
export function worthALetter(notes: readonly IncidentNote[], style: 'letters' | 'calls'): readonly IncidentNote[] {
  const worthy: IncidentNote[] = [];
  for (const note of notes) if (isWorthALetter(note, worthy.at(-1), style)) worthy.push(note);
  return worthy;
}

/** Seconds between two mailed reminders: daily, minus ten minutes so that one slightly early still counts. */
const dailySeconds = 24 * 3600 - 600;

function isWorthALetter(note: IncidentNote, last: IncidentNote | undefined, style: 'letters' | 'calls'): boolean {
  if (isWorthRepeating(note.kind)) return true;
  if (style === 'calls') return false;
  if (note.kind !== 'reminder') return note.kind === 'flapping';
  return last === undefined || secondsBetween(last.at, note.at) >= dailySeconds;
}
