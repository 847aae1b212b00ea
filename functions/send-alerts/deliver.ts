import type { Delivery, Doubt, Incident, IncidentNote, RemoteRef } from '../core/alerts/incident.ts';
import {
  hasOneCause,
  isSameMember,
  isToldAloud,
  type JointMessage,
  newMentionsOf,
  newsOf,
} from '../core/alerts/joint.ts';
import type { MessageForm } from '../core/alerts/message.ts';
import { nextForm, render } from '../core/alerts/message.ts';
import { isWorthRepeating } from '../core/alerts/notes.ts';
import { isFailing } from '../core/alerts/notify-failing.ts';
import type { OutgoingMessage } from '../core/alerts/outgoing.ts';
import type { Applicant } from '../core/alerts/pace.ts';
import { type DeliveryStep, goesFirst, planDelivery } from '../core/alerts/plan-delivery.ts';
import { ringsNow } from '../core/alerts/rings.ts';
import { styleOf } from '../core/alerts/targets.ts';
import type { AlertTarget } from '../core/configuration/alerts.ts';
import { keyText, type TroubleKey } from '../core/findings/trouble.ts';
import { Transient } from '../core/text/errors.ts';
import { isPast, plusSeconds } from '../core/text/instant.ts';
import type { Messenger, SendOutcome } from '../ports/messages.ts';
import { metricNames } from '../shell/metric-names.ts';
import {
  type Attempt,
  afterAbsent,
  afterFound,
  afterGivingUp,
  afterJoining,
  afterLeaving,
  afterNoReply,
  afterParting,
  afterQueueing,
  afterSend,
  afterSkip,
  afterTooManyDoubts,
  afterUnable,
  afterUnreadable,
  afterWaitingFor,
} from './after-send.ts';
import { deliveryId } from './delivery-id.ts';
import { anchorFor, askAnchor, jointFor, leaveJoint, membersOf, repliesOf } from './joint.ts';
import { noteArrival } from './note-arrival.ts';
import type { SendPorts } from './send-ports.ts';
import { letRest, waitsUntil } from './take-turn.ts';

/** Seconds of a claim for one message; longer than any send with its timeouts, and than a Lambda that was cut off. */
const claimSeconds = 60;
/** Messages to one target in one run: its post, its thread, and what happened meanwhile. */
const stepLimit = 8;
/** Seconds until the next run of a target that was not up to date after so many, so that none asks for the next at once
 *  for ever. */
const stepPause = 15;
/** Lost races against other writers of the same incident, in a row. */
const raceLimit = 20;
/** Consecutive unknown outcomes on a target that cannot be searched. */
const doubtLimit = 3;

/** Why a target is not up to date. `retryAt`: when to retry. */
export interface Undelivered {
  readonly retryAt: string | undefined;
  readonly failing: boolean;
}

const content: Undelivered = { retryAt: undefined, failing: false };

/** Brings one target up to the incident's current state, step by step, each claimed before and confirmed after. A run
 *  that is late, repeated or follows a crash finds in the item what is left to do. */
export async function deliver(key: TroubleKey, target: AlertTarget, ports: SendPorts): Promise<Undelivered> {
  for (let count = 0; count < stepLimit; count += 1) {
    const incident = await ports.incidents.loadOne(key);
    const delivery = incident?.deliveries[target.name];
    if (incident === undefined || delivery === undefined) return content;
    const step = planDelivery(incident, delivery, target, ports.clock());
    const joint = isSending(step) ? await jointFor({ incident, target, ports }, step) : undefined;
    const left = await take({ incident, delivery, target, ports, joint }, step);
    if (left !== undefined) return left;
  }
  return { retryAt: plusSeconds(ports.clock(), stepPause), failing: false };
}

/** One target of one incident as read. */
interface Job {
  readonly incident: Incident;
  readonly delivery: Delivery;
  readonly target: AlertTarget;
  readonly ports: SendPorts;
  /** The joint message that tells of it; undefined: it is told alone. */
  readonly joint: JointMessage | undefined;
}

/** Undefined: continue, there may be more. */
async function take(job: Job, step: DeliveryStep): Promise<Undelivered | undefined> {
  const { incident, delivery } = job;
  switch (step.kind) {
    case 'nothing':
    case 'wait':
      return content;
    case 'skip':
      await store(job, afterSkip(delivery, incident.seq));
      return undefined;
    case 'read-back':
      return readBack(job, step.doubt);
    case 'post':
    case 'edit':
    case 'reply':
      if (job.joint !== undefined) return sendJointly(job, step, job.joint);
      if (delivery.remote === undefined || delivery.listWanted === undefined) return send(job, step, false);
      return lookAgain(store(job, afterParting(delivery)));
    default:
      return step satisfies never;
  }
}

/** A write that succeeds only if nobody wrote since the read; if it fails, the next step re-reads. */
function store(
  { incident, target, ports }: Pick<Job, 'incident' | 'target' | 'ports'>,
  delivery: Delivery,
): Promise<boolean> {
  return ports.incidents.save({ ...incident, deliveries: { ...incident.deliveries, [target.name]: delivery } });
}

function isSending({ kind }: DeliveryStep): boolean {
  return kind === 'post' || kind === 'edit' || kind === 'reply' || kind === 'read-back';
}

/** Its message is that of another incident, or tells of others too. */
async function sendJointly(job: Job, step: SendStep, joint: JointMessage): Promise<Undelivered | undefined> {
  const { incident, delivery } = job;
  const anchor = await anchorFor(job, joint, step.occasion);
  switch (anchor.kind) {
    case 'self':
      return step.kind === 'reply' ? replyJointly(job, step, joint) : send(job, step, false);
    case 'not yet':
      // Its turn, too: what becomes urgent gives it up.
      return waitFor(
        job,
        anchor.failing === undefined ? delivery : afterWaitingFor(delivery, anchor.failing),
        anchor.retryAt,
      );
    case 'replaced':
      return undefined;
    case 'other':
      if (step.kind === 'reply' && delivery.remote?.id === anchor.remote.id) return replyJointly(job, step, joint);
      await askAnchor(job, joint);
      return lookAgain(store(job, afterJoining(delivery, anchor.remote, incident.seq)));
    default:
      return anchor satisfies never;
  }
}

async function replyJointly(
  job: Job,
  step: Extract<SendStep, { kind: 'reply' }>,
  joint: JointMessage,
): Promise<Undelivered | undefined> {
  const notes = await repliesOf(job, joint, step.notes);
  if (notes.length === 0 && step.notes.length > 0)
    return lookAgain(store(job, afterNoReply(job.delivery, job.incident.seq)));
  return send(job, { ...step, notes }, false);
}

async function readBack(job: Job, doubt: Doubt): Promise<Undelivered | undefined> {
  const { delivery, target, ports } = job;
  const style = styleOf(target);
  const answer = await findAgain(job, doubt);
  ports.logger.info('searched for a message of unknown outcome', {
    ...fieldsOf(job),
    deliveryId: doubt.deliveryId,
    answer: typeof answer === 'string' ? answer : 'found',
  });
  if (answer === 'unreadable') return leave(job, afterUnreadable(delivery, 'cannot be read back now', momentOf(ports)));
  if (answer === 'absent') return lookAgain(store(job, afterAbsent(delivery)));
  const heirs = doubt.part === 'parent' ? jointOfHeir(job) : undefined;
  if (answer !== 'unable') return lookAgain(found(job, doubt, answer, heirs));
  // What it may have posted as well, nobody can read.
  if (heirs !== undefined) return lookAgain(store(job, afterAbsent(delivery)));
  if (doubt.part === 'thread' && !isWorthRepeating(doubt.occasion)) {
    return lookAgain(store(job, afterGivingUp(delivery, doubt, style)));
  }
  if (delivery.attempts >= doubtLimit && !delivery.dead)
    return leave(job, afterTooManyDoubts(delivery, momentOf(ports)));
  const undoubted = afterUnable(delivery, doubt);
  const step = planDelivery(job.incident, undoubted, target, ports.clock());
  if (step.kind !== 'post' && step.kind !== 'reply') return lookAgain(store(job, afterAbsent(undoubted)));
  return send({ ...job, delivery: undoubted }, step, true);
}

/** The joint message of which another member has taken its place meanwhile. */
function jointOfHeir({ joint, incident }: Job): JointMessage | undefined {
  return joint === undefined || isSameMember(joint.anchor, incident) ? undefined : joint;
}

async function found(job: Job, doubt: Doubt, remote: RemoteRef, heirs: JointMessage | undefined): Promise<void> {
  const { delivery, joint, target } = job;
  if (heirs !== undefined) await leaveJoint(job, heirs);
  const after = afterFound(delivery, doubt, styleOf(target), remote);
  // Without a joint message it has left one before a crash.
  const isAlone = heirs !== undefined || (joint === undefined && delivery.listWanted !== undefined);
  await store(job, isAlone ? afterLeaving(after) : after);
}

async function lookAgain(write: Promise<unknown>): Promise<undefined> {
  await write;
  return undefined;
}

async function findAgain(job: Job, doubt: Doubt): Promise<RemoteRef | 'absent' | 'unable' | 'unreadable'> {
  const thread = doubt.part === 'thread' ? job.delivery.remote : undefined;
  try {
    return await job.ports.messengerOf(job.target).find(doubt.deliveryId, new Date(doubt.since), thread);
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    return 'unreadable';
  }
}

type SendStep = Extract<DeliveryStep, { kind: 'post' | 'edit' | 'reply' }>;

/** Claim, render what was claimed, send, confirm. */
async function send(job: Job, step: SendStep, mayRepeat: boolean): Promise<Undelivered | undefined> {
  const { incident, delivery, target, ports } = job;
  // An edit is no message: Slack counts it elsewhere, and people are not told.
  const turnAt = step.kind === 'edit' ? undefined : await waitsUntil(target, () => applicantOf(job, step), ports);
  // As it was read: a doubt stays until it is resolved.
  const read = incident.deliveries[target.name] ?? delivery;
  if (turnAt !== undefined) return waitFor(job, read, turnAt);
  const owner = ports.newOwner();
  const members = job.joint === undefined ? [] : await membersOf(job.joint, ports);
  const attempt = attemptOf({ ...job, members }, step);
  const claimed = await claim(job, step, owner, attempt);
  if (claimed === undefined) return undefined;
  const outcome = await sendForms(claimed, { ...job, members }, step, mayRepeat);
  const after = await confirm(job, claimed, owner, (delivery) =>
    outcome === 'nothing to send'
      ? { ...delivery, claim: undefined, doubtful: undefined, threadSeq: claimed.seq }
      : afterSend(delivery, attempt, outcome, momentOf(ports)),
  );
  if (outcome !== 'nothing to send') logOutcome(job, step, outcome);
  // What it answers to an edit is about edits, which Slack counts elsewhere.
  if (outcome !== 'nothing to send' && step.kind !== 'edit') await rest(target, outcome, ports);
  if (outcome !== 'nothing to send') await noteTaken(target, outcome, ports);
  if (after === undefined || outcome === 'nothing to send') return undefined;
  return isToGoOn(outcome, after) ? undefined : leftOf(after);
}

/** Also after the first loss of a message, which is posted anew at once. */
function isToGoOn({ kind }: SendOutcome, { retryAt }: Delivery): boolean {
  return kind === 'sent' || kind === 'unchangeable' || (kind === 'gone' && retryAt === undefined);
}

/** One with those of its joint message; none: it is told alone. */
interface JobOfMembers extends Job {
  readonly members: readonly Incident[];
}

function attemptOf({ incident, delivery, target, joint, members }: JobOfMembers, step: SendStep): Attempt {
  const { rings, triedSeq, listWanted: list } = delivery;
  const listNews = joint === undefined ? undefined : newsOf(members);
  return {
    kind: step.kind,
    seq: incident.seq,
    list,
    listNews,
    style: styleOf(target),
    isEnd: incident.state === 'ok',
    isNews: hasNews(incident, delivery) || (listNews ?? []).some((each) => delivery.listNews?.includes(each) !== true),
    isFirst: step.kind === 'edit' && !delivery.announced,
    rings,
    triedSeq,
  };
}

/** Since what its message shows. */
function hasNews({ notes }: Incident, { deliveredSeq }: Delivery): boolean {
  return notes.some(({ seq, kind }) => seq > deliveredSeq && isWorthRepeating(kind));
}

/** A list goes with what is most urgent in it. */
async function applicantOf({ incident, delivery, joint, ports }: Job, step: SendStep): Promise<Applicant> {
  const members = joint === undefined || step.kind !== 'post' ? [] : await membersOf(joint, ports);
  return { turnAt: delivery.turnAt, isUrgent: [incident, ...members].some((each) => goesFirst(each, step)) };
}

/** The server said at once for which addresses it took the mail. */
async function noteTaken(target: AlertTarget, outcome: SendOutcome, ports: SendPorts): Promise<void> {
  if (target.kind !== 'email' || outcome.kind !== 'sent' || outcome.refused === undefined) return;
  const refused = new Set(outcome.refused.map(({ address }) => address.toLowerCase()));
  const at = ports.clock().toISOString();
  const taken = target.to.filter((address) => !refused.has(address.toLowerCase()));
  await noteArrival(
    taken.map((address) => ({ address, at })),
    [target.name],
    ports,
  );
}

async function rest(target: AlertTarget, outcome: SendOutcome, ports: SendPorts): Promise<void> {
  if (outcome.kind !== 'not-sent' || outcome.retryAfterSeconds === undefined) return;
  await letRest(target, outcome.retryAfterSeconds, ports);
}

/** The intent is stored before anything is sent: a crash after the send is then a doubt, not a second message. */
async function claim(
  job: Job,
  step: SendStep,
  owner: string,
  { list, listNews }: Attempt,
): Promise<Incident | undefined> {
  const { incident, delivery, target, ports } = job;
  const now = ports.clock();
  const part = partOf(step);
  const doubtful: Doubt | undefined =
    step.kind === 'edit'
      ? undefined
      : {
          deliveryId: deliveryId(incident, target.name, part, incident.seq),
          since: now.toISOString(),
          part,
          seq: incident.seq,
          occasion: step.occasion,
          ...(listNews === undefined ? {} : { list, listNews }),
        };
  const claimed: Delivery = {
    ...delivery,
    claim: { owner, until: plusSeconds(now, claimSeconds) },
    doubtful,
    // Sending by key leaves no doubt behind, so a crash during the first call must be distinguished from one before it.
    announced: delivery.announced || step.kind === 'edit',
    triedSeq: incident.seq,
    ...(target.kind === 'pagerduty'
      ? { rings: ringsNow(incident, delivery, { ...step, untold: notesFor(incident, step, delivery), now }) }
      : {}),
  };
  const saved = await store(job, claimed);
  if (!saved) return undefined;
  return {
    ...incident,
    version: incident.version + 1,
    deliveries: { ...incident.deliveries, [target.name]: claimed },
  };
}

function partOf({ kind }: SendStep): Doubt['part'] {
  return kind === 'reply' ? 'thread' : 'parent';
}

/** Targets of notifications alone identify them by their note, whatever was refreshed since the previous attempt. */
function seqToldBy({ notes, seq }: Incident, target: AlertTarget): number {
  return styleOf(target) === 'feed' ? (notes.at(-1)?.seq ?? seq) : seq;
}

/** From the richest form down to one that the target accepts. */
async function sendForms(
  claimed: Incident,
  job: JobOfMembers,
  step: SendStep,
  mayRepeat: boolean,
): Promise<SendOutcome | 'nothing to send'> {
  const { target, ports, delivery, joint, members } = job;
  const messenger = ports.messengerOf(target);
  let form: MessageForm | undefined = 'full';
  let outcome: SendOutcome = { kind: 'invalid', why: 'no form was tried' };
  while (form !== undefined && isOfForm(outcome)) {
    const message = render({
      incident: claimed,
      target,
      part: step.kind,
      occasion: step.occasion,
      notes: notesFor(claimed, step, delivery),
      form,
      deliveryId: deliveryId(claimed, target.name, partOf(step), seqToldBy(claimed, target)),
      now: ports.clock(),
      statusUrl: ports.configuration.alerts.statusUrl,
      places: ports.configuration,
      product: ports.product,
      buttons: ports.configuration.alerts.slackButtons !== undefined,
      mayFreeze: (ports.configuration.alerts.slackButtons?.mayFreeze ?? []).length > 0,
      maySteer: (ports.configuration.alerts.slackButtons?.maySteer ?? []).length > 0,
      continued: step.kind === 'post' && delivery.announced && !mayRepeat,
      mayRepeat,
      ...(joint === undefined
        ? {}
        : {
            joint: {
              why: joint.why,
              members,
              hasOneCause: hasOneCause(joint, members),
              isToldAloud: isToldAloud(joint, claimed, members),
              newMentions: newMentionsOf(joint, claimed, members),
            },
          }),
    });
    if (message === undefined) return 'nothing to send';
    outcome = await sendOne(messenger, step, delivery.remote, message);
    if (isOfForm(outcome)) ports.logger.warn('a form was refused', { ...fieldsOf(job), form, why: outcome.why });
    form = nextForm(target, form);
  }
  return outcome;
}

/** Another form of it may be accepted. */
function isOfForm(outcome: SendOutcome): outcome is Extract<SendOutcome, { kind: 'invalid' | 'dead' }> {
  return outcome.kind === 'invalid' || (outcome.kind === 'dead' && outcome.isOfText === true);
}

function notesFor(incident: Incident, step: SendStep, delivery: Delivery): readonly IncidentNote[] {
  return step.kind === 'reply' ? step.notes : incident.notes.filter(({ seq }) => seq > delivery.threadSeq);
}

async function sendOne(
  messenger: Messenger,
  step: SendStep,
  remote: RemoteRef | undefined,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  if (step.kind === 'post' || remote === undefined) return messenger.post(message);
  return step.kind === 'edit' ? messenger.edit(remote, message) : messenger.reply(remote, message);
}

/** Writes this target's own entry only, and only while the claim is ours; others may write the rest meanwhile.
 *  Undefined: the claim was lost, and its new owner finds out what arrived. */
async function confirm(
  { incident: { key }, target, ports }: Job,
  claimed: Incident,
  owner: string,
  change: (delivery: Delivery) => Delivery,
): Promise<Delivery | undefined> {
  for (let race = 0; race < raceLimit; race += 1) {
    const incident = await ports.incidents.loadOne(key);
    const delivery = incident?.deliveries[target.name];
    if (incident === undefined || delivery === undefined) return undefined;
    if (incident.number !== claimed.number || delivery.claim?.owner !== owner) return undefined;
    const changed = change(delivery);
    if (await store({ incident, target, ports }, changed)) return changed;
  }
  throw new Transient(`${keyText(key)}: other writers were faster ${raceLimit} times`, { kind: 'conflict' });
}

/** What waits until then, or for less, has an event on its way already. One more for each that comes too early would
 *  double them with every channel in which it waits. */
async function waitFor(job: Job, delivery: Delivery, turnAt: string): Promise<Undelivered | undefined> {
  const { retryAt } = delivery;
  const isOnItsWay = retryAt !== undefined && !isPast(retryAt, job.ports.clock());
  if (isOnItsWay && Date.parse(retryAt) <= Date.parse(turnAt)) return content;
  return leave(job, afterQueueing(delivery, turnAt));
}

async function leave(job: Job, delivery: Delivery): Promise<Undelivered | undefined> {
  return (await store(job, delivery)) ? leftOf(delivery) : undefined;
}

function leftOf(delivery: Delivery): Undelivered {
  return { retryAt: delivery.retryAt, failing: isFailing(delivery) };
}

function momentOf({ clock, random }: SendPorts) {
  return { now: clock(), random };
}

function logOutcome(job: Job, { kind, occasion }: SendStep, outcome: SendOutcome): void {
  const fields = { ...fieldsOf(job), part: kind, occasion, outcome: outcome.kind };
  const figure = figureOf(outcome);
  if (figure !== undefined) job.ports.metrics.count(figure);
  if (outcome.kind === 'sent') job.ports.logger.info('alert delivered', fields);
  else job.ports.logger.warn('alert not delivered', { ...fields, why: outcome.why });
}

function figureOf({ kind }: SendOutcome): string | undefined {
  switch (kind) {
    case 'sent':
      return metricNames.alertsDelivered;
    case 'invalid':
    case 'dead':
      return metricNames.alertsRefused;
    case 'not-sent':
    case 'unknown':
    case 'gone':
      return metricNames.alertsDelayed;
    case 'unchangeable':
      // What is new comes as a reply, or in a message of its own.
      return undefined;
    default:
      return kind satisfies never;
  }
}

function fieldsOf({ incident, target }: Job) {
  return { incident: incident.number, key: keyText(incident.key), seq: incident.seq, target: target.name };
}
