import type { Delivery, Doubt, RemoteRef, Rings } from '../core/alerts/incident.ts';
import { lostWords } from '../core/alerts/notify-failing.ts';
import { afterReturn } from '../core/alerts/returned-mail.ts';
import { afterRinging, afterSilence } from '../core/alerts/rings.ts';
import type { Style } from '../core/alerts/targets.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { plusSeconds } from '../core/text/instant.ts';
import type { SendOutcome } from '../ports/messages.ts';
import { longestRest } from './take-turn.ts';

/** What was attempted, and the sequence it would bring the target up to. */
export interface Attempt {
  readonly kind: 'post' | 'edit' | 'reply';
  readonly seq: number;
  /** Up to which change of the other incidents the message shows them. */
  readonly list?: number | undefined;
  /** What of its incidents a message shows that tells of others too; absent: it tells of its own alone. */
  readonly listNews?: readonly string[] | undefined;
  readonly style: Style;
  /** It ends the incident. */
  readonly isEnd?: boolean | undefined;
  /** It has news that the message does not show yet, of those that are worth sending twice. */
  readonly isNews?: boolean | undefined;
  /** The first call to a target that identifies incidents by their key: until it is known that nothing was sent, its
   *  resolution is owed. */
  readonly isFirst: boolean;
  /** What was known of PagerDuty's alerts before. */
  readonly rings?: Rings | undefined;
  /** The last sequence that may have been sent before. */
  readonly triedSeq?: number | undefined;
}

/** When an attempt ended, and the randomness for the next one's time. */
export interface Moment {
  readonly now: Date;
  /** 0 <= x < 1. */
  readonly random: () => number;
}

/** Seconds from a failure to the next attempt: the first pause, doubled each time up to the longest delay of a queue
 *  message. */
const backOff = { first: 15, longest: 900 } as const;
/** Seconds until a target that refused permanently is retried, in case it was fixed. */
const deadPause = 3600;
/** Seconds from the time that a target named to the attempt that still belongs to the same wait: two sweeps. */
const askedAgainWithin = 600;
/** Seconds before an unknown outcome is looked up: an accepted message must be visible by then. */
const unknownPause = 12;

/** The delivery after an attempt: the outcome, and when to retry. Clears the claim in any case. */
export function afterSend(delivery: Delivery, attempt: Attempt, outcome: SendOutcome, moment: Moment): Delivery {
  const free = { ...delivery, claim: undefined, turnAt: undefined };
  const unsent = {
    ...free,
    ...afterSilence(free.rings, attempt.rings),
    doubtful: undefined,
    announced: free.announced && !attempt.isFirst,
    triedSeq: attempt.triedSeq,
  };
  switch (outcome.kind) {
    case 'sent':
      return withRefused(arrived(delivery, attempt, outcome.remote, repeatAt(outcome, moment)), outcome, moment);
    case 'not-sent':
      return {
        ...failed(unsent, outcome.why, pauseSeconds(free, attempt, outcome), moment),
        ...waitAfter(free, outcome, moment),
      };
    case 'invalid':
      return failed(unsent, `every form was refused: ${outcome.why}`, backOffSeconds(free), moment);
    case 'dead':
      return { ...failed(unsent, outcome.why, deadPause, moment), dead: true };
    case 'gone':
      return afterLoss(free, attempt, outcome.why, moment);
    case 'unchangeable':
      return free.remote === undefined || attempt.isNews === true
        ? { ...free, doubtful: undefined, remote: undefined, retryAt: undefined, lastError: outcome.why }
        : { ...arrived(delivery, attempt, free.remote), isFixed: true };
    case 'unknown':
      // An edit may be repeated; a post may not.
      return {
        ...failed(free, outcome.why, unknownSeconds(free, outcome), moment),
        ...(outcome.retryAfterSeconds === undefined ? {} : { waitsSince: waitsSince(free, moment) }),
        doubtful: attempt.kind === 'edit' ? undefined : free.doubtful,
      };
    default:
      return outcome satisfies never;
  }
}

/** Its message is gone. Somebody deleted it: it is posted anew at once. What does not stay there, time after time, is
 *  posted with the pauses of a failure, or it would fill the channel. */
function afterLoss(delivery: Delivery, { kind }: Attempt, why: string, moment: Moment): Delivery {
  const before = delivery.lost?.count ?? 0;
  const lost = { count: before + 1, by: kind, why: why.slice(0, 300) };
  const retryAt = before === 0 ? undefined : pausedUntil(backOffSeconds({ attempts: before - 1 }), moment);
  return { ...delivery, doubtful: undefined, remote: undefined, lastError: lostWords(lost), lost, retryAt };
}

/** What it was missed for arrives again, or is not to come any more. */
function lostAfter({ lost }: Delivery, { kind, isEnd }: Attempt): Delivery['lost'] {
  const isOver = kind === lost?.by || (kind === 'post' && isEnd === true && lost?.by === 'edit');
  return isOver ? undefined : lost;
}

/** The message was accepted: what the target has received, and where. */
function arrived(delivery: Delivery, attempt: Attempt, remote: RemoteRef, repeat?: string): Delivery {
  const { kind, seq, style, list, listNews } = attempt;
  // Only a chat has threads: elsewhere every message brings both sequences up to date.
  const isWhole = style !== 'chat';
  const isParent = kind !== 'reply';
  return {
    ...delivery,
    ...unburdened,
    ...(kind === 'edit' ? ownTurn(delivery) : {}),
    announced: true,
    lost: lostAfter(delivery, attempt),
    isFixed: isParent ? undefined : delivery.isFixed,
    repeatAt: repeat,
    ...afterRinging(delivery.rings),
    ...(isParent && list !== undefined ? { listShown: Math.max(delivery.listShown ?? 0, list) } : {}),
    ...(isParent && listNews !== undefined ? { listNews } : {}),
    ...(kind === 'post' && !isWhole ? { postedSeq: seq } : {}),
    // A reply is not the message, though that was given up meanwhile.
    remote: kind === 'reply' ? delivery.remote : remote,
    deliveredSeq: isParent || isWhole ? Math.max(delivery.deliveredSeq, seq) : delivery.deliveredSeq,
    threadSeq: !isParent || isWhole ? Math.max(delivery.threadSeq, seq) : delivery.threadSeq,
  };
}

/** The turn that a reply waits for: an edit takes none, and whoever changes every few seconds would never get one. */
function ownTurn({ turnAt, retryAt }: Delivery): Partial<Delivery> {
  return turnAt !== undefined && turnAt === retryAt ? { turnAt, retryAt } : {};
}

function repeatAt({ repeatAfterSeconds }: Sent, { now }: Moment): string | undefined {
  return repeatAfterSeconds === undefined ? undefined : plusSeconds(now, repeatAfterSeconds);
}

/** Some addresses of the target do not get the message. */
function withRefused(delivery: Delivery, { refused = [], remote }: Sent, { now }: Moment): Delivery {
  return refused.reduce((before, { address, why, isFinal }) => {
    const mail = { address, kind: 'bounce', why, at: now.toISOString(), mail: remote.id, refused: true } as const;
    return afterReturn(before, isFinal ? mail : { ...mail, inARow: 1 });
  }, delivery);
}

type Sent = Extract<SendOutcome, { kind: 'sent' }>;

/** A delivery without claim, doubt or failure: what an arrival leaves. */
const unburdened = {
  claim: undefined,
  doubtful: undefined,
  attempts: 0,
  retryAt: undefined,
  waitsSince: undefined,
  turnAt: undefined,
  lastError: undefined,
  dead: false,
} as const;

/** Nothing was worth a message: what is new counts as received. A target that refused before is no longer counted as
 *  failing, because nothing is owed to it. */
export function afterSkip(delivery: Delivery, seq: number): Delivery {
  return { ...delivery, ...unburdened, deliveredSeq: seq, threadSeq: seq, listShown: delivery.listWanted };
}

/** The message whose outcome was unknown was found. */
export function afterFound(delivery: Delivery, doubt: Doubt, style: Style, remote: RemoteRef): Delivery {
  const kind = doubt.part === 'parent' ? 'post' : 'reply';
  const { seq, list, listNews } = doubt;
  return arrived(delivery, { kind, seq, list, listNews, style, isFirst: false }, remote);
}

/** It is unknown whether it arrived, and sending it twice would be worse than losing it. */
export function afterGivingUp(delivery: Delivery, doubt: Doubt, style: Style): Delivery {
  const given = { ...delivery, claim: undefined, doubtful: undefined, retryAt: undefined };
  const threadSeq = Math.max(delivery.threadSeq, doubt.seq);
  return style === 'chat'
    ? { ...given, threadSeq }
    : { ...given, threadSeq, deliveredSeq: Math.max(delivery.deliveredSeq, doubt.seq) };
}

/** It may have arrived, but this target cannot be searched: treat it as received. */
export function afterUnable(delivery: Delivery, { part }: Doubt): Delivery {
  return { ...delivery, doubtful: undefined, announced: delivery.announced || part === 'parent' };
}

/** It did not arrive: it may be sent again. */
export function afterAbsent(delivery: Delivery): Delivery {
  return { ...delivery, claim: undefined, doubtful: undefined, retryAt: undefined };
}

/** The target could not be searched: the doubt stays. */
export function afterUnreadable(delivery: Delivery, why: string, moment: Moment): Delivery {
  return failed({ ...delivery, claim: undefined }, why, backOffSeconds(delivery), moment);
}

/** Outcomes stay unknown and cannot be read back: give up. */
export function afterTooManyDoubts(delivery: Delivery, moment: Moment): Delivery {
  const why = `it cannot be determined whether messages arrive: ${delivery.lastError ?? 'no answer'}`;
  return { ...failed({ ...delivery, claim: undefined }, why, deadPause, moment), dead: true };
}

/** Its target is told in the message of another incident, which has been asked to. It owes no list, though it may have
 *  had one. */
export function afterJoining(delivery: Delivery, remote: RemoteRef, seq: number): Delivery {
  const list = { listWanted: 0, listShown: 0 };
  const deliveredSeq = Math.max(delivery.deliveredSeq, seq);
  // Until then it has waited for the other's turn.
  const turn = delivery.remote === undefined ? {} : ownTurn(delivery);
  return { ...delivery, ...unburdened, ...turn, ...list, announced: true, remote, deliveredSeq };
}

/** Its message told of others as well, and is no longer known to: it gets one of its own, so that it does not hide how
 *  the others stand. */
export function afterParting(delivery: Delivery): Delivery {
  return { ...delivery, remote: undefined, listWanted: undefined, listShown: undefined };
}

/** Its message told of others as well, which another one tells of now: it is to show this incident alone. */
export function afterLeaving(delivery: Delivery): Delivery {
  const deliveredSeq = Math.min(delivery.deliveredSeq, delivery.wantedSeq - 1);
  return { ...delivery, listWanted: undefined, listShown: undefined, deliveredSeq };
}

/** Its message cannot show what somebody is to see: one that does is posted. */
export function afterFixed(delivery: Delivery): Delivery {
  const deliveredSeq = Math.min(delivery.deliveredSeq, delivery.wantedSeq - 1);
  return { ...delivery, remote: undefined, isFixed: undefined, deliveredSeq };
}

/** None of these notes is worth a reply of its own. */
export function afterNoReply(delivery: Delivery, seq: number): Delivery {
  return { ...delivery, threadSeq: Math.max(delivery.threadSeq, seq) };
}

/** It waits for the message of another incident, of which a target that has not taken it for long says why. */
export function afterWaitingFor(delivery: Delivery, { attempts, lastError, waitsSince, dead }: Delivery): Delivery {
  return { ...delivery, attempts, lastError, waitsSince, dead };
}

/** Others are before it in the channel: nothing failed. */
export function afterQueueing(delivery: Delivery, turnAt: string): Delivery {
  return { ...delivery, claim: undefined, retryAt: turnAt, turnAt };
}

function failed(delivery: Delivery, why: string, pauseSeconds: number, moment: Moment): Delivery {
  return {
    ...delivery,
    attempts: delivery.attempts + 1,
    lastError: why.slice(0, 300),
    retryAt: pausedUntil(pauseSeconds, moment),
  };
}

function pausedUntil(pauseSeconds: number, { now, random }: Moment): string {
  return plusSeconds(now, Math.ceil(pauseSeconds * (1 + random() * 0.2)));
}

/** Seconds until the next attempt, by how many have failed. */
function backOffSeconds({ attempts }: Pick<Delivery, 'attempts'>): number {
  return Math.min(backOff.longest, backOff.first * 2 ** Math.min(attempts, 10));
}

type NotSent = Extract<SendOutcome, { kind: 'not-sent' }>;

/** Seconds for which a target may have one message wait. */
const longestWait = 24 * 3600;

/** Seconds until the next attempt. The target's own request takes precedence. A message that tells of others too waits
 *  no longer than its channel: a page may be among them. */
function pauseSeconds(delivery: Delivery, { listNews }: Attempt, { retryAfterSeconds }: NotSent): number {
  if (retryAfterSeconds === undefined) return backOffSeconds(delivery);
  return Math.min(listNews !== undefined ? longestRest : longestWait, Math.max(1, retryAfterSeconds));
}

/** Seconds until it is looked up or repeated, no less than the target asked for, but no longer than a channel rests:
 *  another part of it, or what comes meanwhile, may be taken. */
function unknownSeconds(
  delivery: Delivery,
  { retryAfterSeconds = 0 }: Extract<SendOutcome, { kind: 'unknown' }>,
): number {
  return Math.max(unknownPause, backOffSeconds(delivery), Math.min(longestRest, retryAfterSeconds));
}

/** After a message that was not sent: a request to wait is no failed attempt, but many of them come to a long wait. */
function waitAfter(
  delivery: Delivery,
  { retryAfterSeconds }: NotSent,
  moment: Moment,
): Pick<Delivery, 'attempts' | 'waitsSince'> {
  const { attempts } = delivery;
  return retryAfterSeconds === undefined
    ? { attempts: attempts + 1, waitsSince: delivery.waitsSince }
    : { attempts, waitsSince: waitsSince(delivery, moment) };
}

/** Since when it has been asked to wait, as it is now. */
function waitsSince({ waitsSince: before, retryAt }: Delivery, { now }: Moment): string {
  // Over quiet hours, or where nothing was to be sent any more, nobody has asked it.
  const goesOn = retryAt !== undefined && secondsBetween(retryAt, now) < askedAgainWithin;
  return (goesOn ? before : undefined) ?? now.toISOString();
}
