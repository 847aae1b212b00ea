import { mayBeCommon } from '../diagnose/common-causes.ts';
import { fleetCauseKey } from '../findings/cause-key.ts';
import { rootOf } from '../findings/chain.ts';
import { type Finding, keyText, type Trouble, type TroubleKey, type TroubleKind } from '../findings/trouble.ts';
import { severityRank } from '../findings/trouble-words.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import type { Incident } from './incident.ts';
import { isSameKey } from './inhibit.ts';
import { isWorthRepeating } from './notes.ts';

/** One episode of an incident. */
export interface Member {
  readonly key: TroubleKey;
  readonly number: number;
}

/** An incident that opened in a channel. */
export interface Opening extends Member {
  /** ISO instant. */
  readonly at: string;
  /** What the same cause is called on every cluster; undefined: it is not known, or cannot be theirs in common. */
  readonly cause: string | undefined;
}

/** An incident of a joint message. */
export interface JointMember extends Member {
  /** It came after the list was begun, whose post may have notified nobody of it. */
  readonly isLate?: boolean | undefined;
}

/** One message of a channel that tells of several incidents. It is the message of one of them, so that it is posted,
 *  edited and found again as any other; the others ask that one to be brought up to date. */
export interface JointMessage {
  /** More opened at once than a channel is told one by one, or one cause on several clusters. */
  readonly why: 'many' | 'fleet';
  readonly cause: string | undefined;
  /** Whose message it is. */
  readonly anchor: Member;
  /** With the anchor, in the order of their opening. */
  readonly members: readonly JointMember[];
  /** ISO instant until which others may join. */
  readonly openUntil: string;
  /** Who says in the thread that all of them are over; nobody joins any more. */
  readonly endToldBy: Member | undefined;
}

/** What one channel was told lately, and what it is told together. */
export interface JointMessages {
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  readonly openings: readonly Opening[];
  readonly messages: readonly JointMessage[];
}

export const nothingJoint: JointMessages = { version: 0, openings: [], messages: [] };

/** Openings within a minute that a channel is told one by one. */
const mostAlone = 5;
/** Seconds. */
const minute = 60;
/** Seconds after an opening within which another cluster's with the same cause joins it: a change that goes to a fleet
 *  reaches its clusters within one sync interval of Argo CD (three minutes) and a few ticks. */
const fleetSeconds = 600;
/** Of one message: what Slack shows of more is cut. */
const mostMembers = 40;
/** Openings kept for each channel, the newest: with the usual names some 100 KiB of the 400 that a row may have, beside
 *  the messages. To be joined by those of one cause, one of them is enough. */
const mostOpenings = 500;
/** Joint messages kept for each channel: their incidents may still change. */
const mostMessages = 30;
/** Seconds for which one that is not over is kept, however many there are. */
const keptSeconds = 7 * 24 * 3600;

/** Somebody decides on it, or has done it on purpose: nothing that a list should hide. */
const alone: ReadonlySet<TroubleKind> = new Set([
  'approval-needed',
  'run-under-way',
  'emergency',
  'break-glass',
  'notify-failing',
]);

/** Undefined: it is always told alone. */
export function openingOf(member: Member, trouble: Trouble | undefined, now: Date): Opening | undefined {
  if (trouble === undefined || alone.has(member.key.kind)) return undefined;
  const { key, number } = member;
  return { key, number, at: now.toISOString(), cause: causeOf({ key, trouble }) };
}

function causeOf(incident: Pick<Incident, 'key' | 'trouble'>): string | undefined {
  const root = rootIn(incident);
  return root && mayBeCommon(incident.key.cluster, root) ? nameOf(incident.key, root) : undefined;
}

function rootIn({ trouble }: Pick<Incident, 'trouble'>): Finding | undefined {
  const [first] = trouble?.findings ?? [];
  return first && rootOf(first);
}

function nameOf(key: TroubleKey, root: Finding): string {
  return `${key.kind} ${fleetCauseKey(key, root)}`;
}

/** All of a message about one cause that still fire have one and the same. What the message calls it does not count: an
 *  earlier version may have called it otherwise. */
export function hasOneCause(
  { why }: Pick<JointMessage, 'why'>,
  incidents: readonly Pick<Incident, 'key' | 'trouble' | 'state'>[],
): boolean {
  const causes = unique(incidents.filter(({ state }) => state === 'firing').map(causeOf));
  return why === 'fleet' && causes.length < 2 && !causes.includes(undefined);
}

export function isSameMember(a: Member, b: Member): boolean {
  return a.number === b.number && isSameKey(a.key, b.key);
}

/** The joint message that tells of it; undefined: it has a message of its own, or none. */
export function jointOf({ messages }: JointMessages, member: Member): JointMessage | undefined {
  return messages.find(({ members }) => members.some((each) => isSameMember(each, member)));
}

/** Openings of the same cause on other clusters, the oldest first: whichever is still open may be joined. */
export function fellowsOf(told: JointMessages, opening: Opening, now: Date): readonly Opening[] {
  return told.openings.filter(
    (each) =>
      opening.cause !== undefined &&
      each.cause === opening.cause &&
      each.key.cluster !== opening.key.cluster &&
      secondsSince(each.at, now) <= fleetSeconds &&
      jointOf(told, each) === undefined,
  );
}

export interface Company {
  /** Others of the same cluster that are about to open in this channel. */
  readonly waiting: readonly Member[];
  /** Of `fellowsOf`, one that is still open. */
  readonly fellow: Opening | undefined;
}

/** Notes an opening, and decides whether it is told alone or together with others: by `jointOf`. Idempotent. */
export function noteOpening(told: JointMessages, opening: Opening, company: Company, now: Date): JointMessages {
  if (isPlaced(told, opening)) return told;
  const open = told.messages.find((message) => isOpenTo(message, opening, now));
  if (open !== undefined) return replaced(told, open, joined(open, opening, now));
  const onItsOwn = noteAlone(told, opening, now);
  if (company.fellow !== undefined)
    return withMessage(told, fleetMessage(company.fellow, opening, now), now) ?? onItsOwn;
  const waiting = company.waiting.filter((each) => !isSameMember(each, opening) && !isPlaced(told, each));
  const lately = told.openings.filter(({ at }) => secondsSince(at, now) < minute).length;
  const isMany = lately + waiting.length + 1 > mostAlone;
  return (isMany ? withMessage(told, listOf([opening, ...waiting], now), now) : undefined) ?? onItsOwn;
}

/** Notes an opening that is told by itself. */
export function noteAlone(told: JointMessages, opening: Opening, now: Date): JointMessages {
  const recent = told.openings.filter(({ at }) => secondsSince(at, now) <= fleetSeconds);
  return { ...told, openings: [...recent, opening].slice(-mostOpenings) };
}

/** It is decided where it is told. */
function isPlaced(told: JointMessages, member: Member): boolean {
  return jointOf(told, member) !== undefined || told.openings.some((each) => isSameMember(each, member));
}

function isOpenTo({ why, cause, members, openUntil, endToldBy }: JointMessage, opening: Opening, now: Date): boolean {
  if (isPast(openUntil, now) || endToldBy !== undefined || members.length >= mostMembers) return false;
  return why === 'many' || cause === opening.cause;
}

/** A list is complete a minute after it was begun, whatever joins it: one more every minute must not keep it open, or
 *  who makes these chooses what of others is not told by itself. One cause may go on for as long as it spreads. */
function joined(message: JointMessage, { key, number }: Opening, now: Date): JointMessage {
  const { why, members } = message;
  const until = why === 'many' ? message.openUntil : openUntil(why, now);
  return { ...message, members: [...members, { key, number, isLate: true }], openUntil: until };
}

function openUntil(why: JointMessage['why'], now: Date): string {
  return plusSeconds(now, why === 'many' ? minute : fleetSeconds);
}

function fleetMessage(fellow: Opening, opening: Opening, now: Date): JointMessage {
  const [anchor, other] = [fellow, opening].map(({ key, number }) => ({ key, number }));
  const members = [anchor, other].filter((each) => each !== undefined);
  return {
    why: 'fleet',
    cause: opening.cause,
    anchor: { key: fellow.key, number: fellow.number },
    members,
    openUntil: openUntil('fleet', now),
    endToldBy: undefined,
  };
}

function listOf([first, ...others]: readonly [Member, ...Member[]], now: Date): JointMessage {
  const anchor = { key: first.key, number: first.number };
  const members = [anchor, ...others.slice(0, mostMembers - 1).map(({ key, number }) => ({ key, number }))];
  const until = openUntil('many', now);
  return { why: 'many', cause: undefined, anchor, members, openUntil: until, endToldBy: undefined };
}

/** Undefined: there is no room, and what is told in one that is forgotten would have to be told again. */
function withMessage(told: JointMessages, message: JointMessage, now: Date): JointMessages | undefined {
  const messages = [...told.messages, message];
  if (messages.length <= mostMessages) return { ...told, messages };
  const over = messages.find(({ endToldBy }) => endToldBy !== undefined);
  const forgotten = over ?? messages.find(({ openUntil }) => secondsSince(openUntil, now) > keptSeconds);
  return forgotten && { ...told, messages: messages.filter((each) => each !== forgotten) };
}

function replaced(told: JointMessages, before: JointMessage, after: JointMessage): JointMessages {
  return { ...told, messages: told.messages.map((each) => (each === before ? after : each)) };
}

/** Whether a member is told aloud, though its list was posted before: it pages, and nobody who looks at what the list
 *  had before it would come upon it, neither by its pool nor by its cause. Or it is worse than all of it. What recovers
 *  or is over is looked at by nobody. */
export function isToldAloud(
  { members }: Pick<JointMessage, 'members'>,
  own: Pick<Incident, 'key' | 'number' | 'trouble'>,
  incidents: readonly Pick<Incident, 'key' | 'number' | 'trouble' | 'state'>[],
): boolean {
  const others = incidents.filter((each) => each.state === 'firing' && !isSameMember(each, own));
  const rank = rankOf(own);
  if (others.every((each) => rank < rankOf(each))) return true;
  const place = members.findIndex((each) => isSameMember(each, own));
  if (members[place]?.isLate !== true || rank > severityRank('high')) return false;
  const before = others.filter((each) => members.findIndex((one) => isSameMember(one, each)) < place);
  return !before.some((each) => rankOf(each) <= rank && leadsTo(each, own));
}

/** Whom the incident of a member mentions that no one before it did, where its message had been posted without it: an
 *  edit shows their names and notifies nobody. */
export function newMentionsOf(
  { why, anchor, members }: Pick<JointMessage, 'why' | 'anchor' | 'members'>,
  own: Pick<Incident, 'key' | 'number' | 'trouble'>,
  incidents: readonly Pick<Incident, 'key' | 'number' | 'trouble'>[],
): readonly string[] {
  const place = members.findIndex((each) => isSameMember(each, own));
  const cameLater = members[place]?.isLate === true || (why === 'fleet' && !isSameMember(anchor, own));
  if (!cameLater) return [];
  const before = incidents.filter((each) => members.slice(0, place).some((one) => isSameMember(one, each)));
  const known = new Set(before.flatMap(({ trouble }) => trouble?.mentions ?? []));
  return (own.trouble?.mentions ?? []).filter((id) => !known.has(id));
}

/** What of these incidents is worth sending twice, in a word of each. */
export function newsOf(incidents: readonly Pick<Incident, 'key' | 'number' | 'notes'>[]): readonly string[] {
  return incidents.map(({ key, number, notes }) => {
    const last = notes.findLast(({ kind }) => isWorthRepeating(kind));
    return fingerprint(JSON.stringify([keyText(key), number, last?.seq])).slice(0, 8);
  });
}

function rankOf({ trouble }: Pick<Incident, 'trouble'>): number {
  return severityRank(trouble?.severity ?? 'info');
}

/** Of one pool, or with one cause; of one kind on one cluster where the cause is not known. */
function leadsTo(one: Pick<Incident, 'key' | 'trouble'>, other: Pick<Incident, 'key' | 'trouble'>): boolean {
  const [a, b] = [one.key, other.key];
  if (a.cluster === b.cluster && a.pool === b.pool) return true;
  const [root, own] = [rootIn(one), rootIn(other)];
  if (own === undefined) return a.cluster === b.cluster && a.kind === b.kind;
  return root !== undefined && nameOf(a, root) === nameOf(b, own);
}

/** The anchor has no message and gets none: another member takes its place. */
export function withAnchor(told: JointMessages, message: JointMessage, anchor: Member): JointMessages {
  const { key, number } = anchor;
  return replaced(told, message, { ...message, anchor: { key, number } });
}

/** Undefined member: some of them are open again. */
export function withEndToldBy(told: JointMessages, message: JointMessage, member: Member | undefined): JointMessages {
  const endToldBy = member && { key: member.key, number: member.number };
  return replaced(told, message, { ...message, endToldBy });
}

/** It has a message of its own. */
export function withoutMember(told: JointMessages, message: JointMessage, member: Member): JointMessages {
  return replaced(told, message, {
    ...message,
    members: message.members.filter((each) => !isSameMember(each, member)),
  });
}
