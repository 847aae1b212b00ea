import { dueEvent } from '../core/alerts/due-event.ts';
import type { Delivery, Incident, IncidentNote, Occasion } from '../core/alerts/incident.ts';
import {
  fellowsOf,
  isSameMember,
  type JointMessage,
  type JointMessages,
  jointOf,
  type Member,
  noteAlone,
  noteOpening,
  type Opening,
  openingOf,
  withAnchor,
  withEndToldBy,
  withoutMember,
} from '../core/alerts/joint.ts';
import { isWorthRepeating } from '../core/alerts/notes.ts';
import { isFailing } from '../core/alerts/notify-failing.ts';
import { type DeliveryStep, isHeldBack, isUrgent, planDelivery } from '../core/alerts/plan-delivery.ts';
import { isPage } from '../core/alerts/quiet-hours.ts';
import type { AlertTarget } from '../core/configuration/alerts.ts';
import { keyText } from '../core/findings/trouble.ts';
import { Transient } from '../core/text/errors.ts';
import { plusSeconds, secondsSince } from '../core/text/instant.ts';
import { afterFixed } from './after-send.ts';
import type { SendPorts } from './send-ports.ts';
import { waitsAmongRest } from './take-turn.ts';

/** Lost races against other senders, in a row. */
const raceLimit = 20;
/** Incidents that may share a cause with one that opens, looked at one by one. */
const mostFellows = 5;
/** Seconds until a member looks again whether the message it belongs to has been posted. */
const waitForAnchor = 2;
/** Seconds, where its message waits until quiet hours are over. */
const waitForSleeper = 60;
/** Seconds after which an anchor that nobody sends is given up. */
const anchorLimit = 60;
/** Seconds after which one is given up of whose message nobody can find out whether it was sent. Longer, because the
 *  list may then stand in the channel twice: four or five looks into its history have failed by then. */
const doubtLimit = 300;

/** One target of one incident as read. */
export interface Told {
  readonly incident: Incident;
  readonly target: AlertTarget;
  readonly ports: SendPorts;
}

/** The joint message that tells of the incident, decided at its opening and then kept; undefined: it is told alone.
 *  Only messages that can be edited are joint. Throws Transient. */
export async function jointFor(told: Told, step: DeliveryStep): Promise<JointMessage | undefined> {
  const { incident, target, ports } = told;
  if (target.kind !== 'slack' || incident.number === 0) return undefined;
  const opening = isOpening(step) ? openingOf(incident, incident.trouble, ports.clock()) : undefined;
  for (let race = 0; race < raceLimit; race += 1) {
    const messages = await ports.jointMessages.load(target.name);
    const known = jointOf(messages, incident);
    if (known !== undefined || opening === undefined) return known;
    const company = { waiting: await waitingWith(told), fellow: await openFellow(messages, opening, ports) };
    const joined = noteOpening(messages, opening, company, ports.clock());
    const anchor = jointOf(joined, incident)?.anchor;
    const posted = anchor && (await ports.incidents.loadOne(anchor.key))?.deliveries[target.name]?.remote;
    // In the channel that the target had before, who reads the one that it has would not see it: it is told alone.
    const isHere = posted === undefined || posted.channel === target.channel;
    const noted = isHere ? joined : noteAlone(messages, opening, ports.clock());
    if (noted === messages || (await ports.jointMessages.save(target.name, noted))) return jointOf(noted, incident);
  }
  throw new Transient(`${target.name}: other senders were faster ${raceLimit} times`, { kind: 'conflict' });
}

function isOpening(step: DeliveryStep): boolean {
  return step.kind === 'post' && step.occasion === 'opened';
}

/** Others of its cluster that open in this channel now: one pass that finds many asks for all of them at once. */
async function waitingWith({ incident, target, ports }: Told): Promise<readonly Member[]> {
  const now = ports.clock();
  const all = await ports.incidents.load(incident.key.cluster);
  return all.filter((each) => {
    const delivery = each.deliveries[target.name];
    if (delivery === undefined || delivery.announced || isSameMember(each, incident)) return false;
    return isOpening(planDelivery(each, delivery, target, now)) && openingOf(each, each.trouble, now) !== undefined;
  });
}

async function openFellow(messages: JointMessages, opening: Opening, ports: SendPorts): Promise<Opening | undefined> {
  for (const fellow of fellowsOf(messages, opening, ports.clock()).slice(0, mostFellows)) {
    const incident = await ports.incidents.loadOne(fellow.key);
    if (incident === undefined || !isSameMember(incident, fellow) || incident.state === 'ok') continue;
    if (openingOf(incident, incident.trouble, ports.clock())?.cause === opening.cause) return fellow;
  }
  return undefined;
}

/** Who posts and edits the message of a member, and how it stands there. */
export type Anchor =
  | { readonly kind: 'self' }
  /** Not posted yet: look again then. `failing`: how it is with the target, where that takes nothing for long. */
  | { readonly kind: 'not yet'; readonly retryAt: string; readonly failing?: Delivery | undefined }
  /** It will never be posted by that one: this member has taken its place, or another one has. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'other'; readonly remote: NonNullable<Delivery['remote']> };

/** `occasion`: what the member is to be told of. Throws Transient. */
export async function anchorFor(told: Told, joint: JointMessage, occasion: Occasion): Promise<Anchor> {
  const { incident, target, ports } = told;
  if (isSameMember(joint.anchor, incident)) return { kind: 'self' };
  const anchor = await ports.incidents.loadOne(joint.anchor.key);
  const delivery = anchor?.deliveries[target.name];
  if (anchor === undefined || delivery === undefined || isLost(anchor, delivery, joint, ports.clock())) {
    // Who knows where the message stands goes on with it.
    const heir = (await membersOf(joint, ports)).find((each) => hasMessage(each, joint, target)) ?? incident;
    return replacedBy(told, heir);
  }
  if (delivery.remote !== undefined) return { kind: 'other', remote: delivery.remote };
  const isSleeping = isAsleep(anchor, delivery, target, ports.clock());
  if (isSleeping && isPage(incident) && isWorthRepeating(occasion)) return replacedBy(told, incident);
  const soon = plusSeconds(ports.clock(), isSleeping ? waitForSleeper : waitForAnchor);
  if (isUrgent(incident) && (await waitsAmongRest(target, delivery, ports))) {
    const retryAt = ports.clock().toISOString();
    await changeAnchor(told, joint, (each) => (each.turnAt === delivery.turnAt ? { ...each, retryAt } : each));
    return { kind: 'not yet', retryAt: soon };
  }
  const retryAt = [soon, delivery.retryAt ?? soon].toSorted()[1] ?? soon;
  return { kind: 'not yet', retryAt, failing: isFailing(delivery) ? delivery : undefined };
}

async function replacedBy(told: Told, heir: Member): Promise<Anchor> {
  await change(told, (messages, message) => withAnchor(messages, message, heir));
  return { kind: 'replaced' };
}

/** Its message is gone, or takes no edits, and the next one waits until quiet hours are over. */
function isAsleep(anchor: Incident, { doubtful }: Delivery, target: AlertTarget, now: Date): boolean {
  return doubtful === undefined && isHeldBack({ kind: 'post', occasion: 'refreshed' }, anchor, target, now);
}

function hasMessage(member: Incident, joint: JointMessage, { name }: AlertTarget): boolean {
  return member.deliveries[name]?.remote !== undefined && !isSameMember(member, joint.anchor);
}

/** Another episode, one that is not announced and will not be, or one of which nobody knows. */
function isLost(anchor: Incident, delivery: Delivery, joint: JointMessage, now: Date): boolean {
  if (!isSameMember(anchor, joint.anchor)) return true;
  if (delivery.remote !== undefined) return false;
  if (delivery.doubtful !== undefined) return secondsSince(delivery.doubtful.since, now) > doubtLimit;
  if (delivery.announced || delivery.claim !== undefined) return false;
  if (anchor.state === 'ok') return true;
  const lastTry = delivery.retryAt ?? anchor.openedAt;
  return lastTry === undefined || secondsSince(lastTry, now) > anchorLimit;
}

/** It turns out to have been posted after all, once another member had taken its place: from now on that message tells
 *  of this incident alone, so that no list stands there which nobody keeps up to date. Throws Transient. */
export async function leaveJoint(told: Told, joint: JointMessage): Promise<void> {
  await change(told, (messages, message) => withoutMember(messages, message, told.incident));
  await askAnchor(told, joint);
}

/** Asks the anchor to show what has changed, and has it sent. Before the member counts it as told: a crash in between
 *  costs an edit. Throws Transient. */
export function askAnchor(told: Told, joint: JointMessage): Promise<void> {
  return changeAnchor(told, joint, (delivery) => ({ ...delivery, listWanted: (delivery.listWanted ?? 0) + 1 }));
}

/** Has a message with the current state posted, where the one that tells of the incident takes no edits and shows an
 *  earlier one. Throws Transient. */
export async function showAnew(told: Told): Promise<void> {
  const { incident, target, ports } = told;
  const joint = await jointFor(told, { kind: 'nothing' });
  const anchor = joint?.anchor ?? incident;
  const shown = await ports.incidents.loadOne(anchor.key);
  if (shown?.deliveries[target.name]?.isFixed === true) await changeAnchor(told, { anchor }, afterFixed);
}

/** Has it sent after that. */
async function changeAnchor(
  { target, ports }: Told,
  { anchor: { key } }: Pick<JointMessage, 'anchor'>,
  changed: (delivery: Delivery) => Delivery,
): Promise<void> {
  for (let race = 0; race < raceLimit; race += 1) {
    const anchor = await ports.incidents.loadOne(key);
    const delivery = anchor?.deliveries[target.name];
    if (anchor === undefined || delivery === undefined) return;
    const deliveries = { ...anchor.deliveries, [target.name]: changed(delivery) };
    if (await ports.incidents.save({ ...anchor, deliveries })) {
      const event = dueEvent(key, { source: '/poolkeeper/send-alerts', about: target.name }, ports.clock());
      return ports.alerts.send(event);
    }
  }
  throw new Transient(`${keyText(key)}: other writers were faster ${raceLimit} times`, { kind: 'conflict' });
}

/** Its incidents as they are now; those of a later episode are over. */
export async function membersOf(joint: JointMessage, { incidents }: SendPorts): Promise<readonly Incident[]> {
  const stored = await Promise.all(joint.members.map(({ key }) => incidents.loadOne(key)));
  return stored
    .filter((each) => each !== undefined)
    .filter((each) => joint.members.some((one) => isSameMember(one, each)));
}

/** What of these notes is worth a reply: the end of one is shown in the list, and only that of the last is told, by one
 *  of them. Throws Transient. */
export async function repliesOf(
  told: Told,
  joint: JointMessage,
  notes: readonly IncidentNote[],
): Promise<readonly IncidentNote[]> {
  const { incident, ports } = told;
  if (notes.some(({ kind }) => kind === 'reopened') && joint.endToldBy !== undefined) {
    await change(told, (messages, message) => withEndToldBy(messages, message, undefined));
  }
  if (!notes.some(({ kind }) => kind === 'resolved')) return notes;
  const others = notes.filter(({ kind }) => kind !== 'resolved');
  const members = await membersOf(joint, ports);
  if (incident.state !== 'ok' || members.some(({ state }) => state !== 'ok')) return others;
  const after = await change(told, (messages, message) =>
    message.endToldBy === undefined ? withEndToldBy(messages, message, incident) : messages,
  );
  if (after?.endToldBy === undefined || !isSameMember(after.endToldBy, incident)) return others;
  const count = joint.members.length;
  return notes.map((note) =>
    note.kind === 'resolved' ? { ...note, text: `${note.text} With it all ${count} of this message are over.` } : note,
  );
}

/** Changes the joint message of the incident. Undefined: it has none any more. */
async function change(
  { incident, target, ports }: Told,
  by: (messages: JointMessages, message: JointMessage) => JointMessages,
): Promise<JointMessage | undefined> {
  for (let race = 0; race < raceLimit; race += 1) {
    const messages = await ports.jointMessages.load(target.name);
    const message = jointOf(messages, incident);
    if (message === undefined) return undefined;
    const changed = by(messages, message);
    if (changed === messages || (await ports.jointMessages.save(target.name, changed)))
      return jointOf(changed, incident);
  }
  throw new Transient(`${target.name}: other senders were faster ${raceLimit} times`, { kind: 'conflict' });
}
