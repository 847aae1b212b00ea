import type { Severity, Trouble, TroubleKey } from '../findings/trouble.ts';

/** State of an alert, one item per key: life cycle, transitions for flapping, and deliveries per target. */
export interface Incident {
  readonly key: TroubleKey;
  /** Optimistic lock: a write names the version that it read. 0: never stored. */
  readonly version: number;
  readonly state: 'ok' | 'pending' | 'firing' | 'resolving';
  /** Number of the current or last episode, shown as `PK-<n>`; 0 before the first. */
  readonly number: number;
  /** ISO instant at which the condition was first seen in this episode. */
  readonly since: string | undefined;
  readonly openedAt: string | undefined;
  readonly resolvedAt: string | undefined;
  /** Since when the condition has been gone (state `resolving`). */
  readonly goneSince: string | undefined;
  readonly goodReadsGone: number;
  readonly outcome: 'fixed' | 'superseded' | 'subject-removed' | 'closed-by-person' | undefined;
  readonly endedBy: string | undefined;
  /** The trouble as last published or stored; kept after the end for the resolved message. */
  readonly trouble: Trouble | undefined;
  /** The last trouble that people were told of with a known cause that would not have healed by itself, while `trouble`
   *  shows how it fades, or another cause that nobody was told of yet. */
  readonly cause?: Trouble | undefined;
  /** ISO instant from which on the cause in `trouble` was seen where it is another than `cause`. */
  readonly otherCauseSince?: string | undefined;
  /** Since when reads have failed; shown as a footer. */
  readonly staleSince: string | undefined;
  /** Why it cannot be read. */
  readonly staleWhy: string | undefined;
  readonly inhibitedBy: string | undefined;
  /** Acknowledgement or snooze; kept after its end for the resolved message. Whether it still applies: {@link
   *  isAttended}. */
  readonly attention?: Attention | undefined;
  /** What it was about at earlier looks of this episode, the latest last, as far as that is no news to whoever takes it
   *  (`withEarlier`); absent: the same. */
  readonly earlier?: readonly EarlierCause[] | undefined;
  /** Recent requests, newest last, at most 10, so that a redelivered one is applied once. */
  readonly wishes?: readonly string[] | undefined;
  readonly flapping: boolean;
  /** Applications that people were told of while it flaps, newest last, or all of a namespace that has many, and
   *  namespaces of other causes; absent: it does not flap, or an earlier version has not kept them. */
  readonly flappingFor?: readonly string[] | undefined;
  /** The highest severity that people were told of while it flaps; absent as `flappingFor`. */
  readonly flappingAt?: Severity | undefined;
  /** Severities that every target was told of in this episode, those below them included; absent: up to that of
   *  `trouble`. */
  readonly severities?: readonly ToldSeverity[] | undefined;
  /** Whose causes every target was told of in this episode; absent: those of `trouble`. */
  readonly heard?: readonly Heard[] | undefined;
  /** Causes of somebody that may heal by themselves, while it fires; absent: none. */
  readonly passing?: readonly Passing[] | undefined;
  /** ISO instants of recent transitions, published or not, newest last, at most 20. */
  readonly transitions: readonly string[];
  readonly reopened: number;
  /** Increases with every change that people must see; targets are brought up to it. */
  readonly seq: number;
  readonly remindersSent: number;
  readonly nextReminderAt: string | undefined;
  readonly lastEditAt: string | undefined;
  /** History for the thread and the mail; bounded, oldest first. */
  readonly notes: readonly IncidentNote[];
  readonly deliveries: Readonly<Record<string, Delivery>>;
}

/** A severity of an incident that every target was told of. */
export interface ToldSeverity {
  readonly severity: Severity;
  /** It had risen to it; absent: it was as severe when people were first told. */
  readonly rose?: true | undefined;
  /** ISO instant at which they were told last while it was as severe; absent: not known. */
  readonly toldAt?: string | undefined;
  /** ISO instant of the first look since they were told at which it was lower; absent: there was none. */
  readonly fellAt?: string | undefined;
  /** ISO instant of the first look since then at which it is as severe again; absent: it is not. */
  readonly backSince?: string | undefined;
}

/** Whose causes of an incident every target was told of, mailboxes and pagers too. */
export interface Heard {
  /** See `ownerOf`; of an Application an earlier version has noted its namespace alone. */
  readonly owner: string;
  /** ISO instant of the first look without them; undefined: they are there. */
  readonly goneSince?: string | undefined;
}

/** A cause that may heal by itself. */
export interface Passing {
  /** Of which sort, what it holds up and whose it is: `by-itself worker-2 shop`. */
  readonly cause: string;
  /** ISO instant of the first look at it. */
  readonly since: string;
  /** ISO instant of the first look without it; undefined: it is there. */
  readonly goneSince?: string | undefined;
}

/** A cause that an incident had. */
export interface EarlierCause {
  /** Without the node: `P3:PodDisruptionBudget shop/web`. */
  readonly cause: string;
  /** ISO instant of the first look at which the causes were others. */
  readonly until: string;
  /** As many causes, each node for itself, stood beside it, itself included. */
  readonly parts: number;
  /** ISO instant after which fewer stood; absent: `until`. */
  readonly manyAt?: string | undefined;
  /** As many causes stood when somebody took the incident with it; absent: nobody has. */
  readonly taken?: number | undefined;
  /** It came back within the hour while somebody had the incident, and stands since, with at most so many: that is no
   *  news. */
  readonly back?: number | undefined;
}

/** Stops reminders and paging for a while. A snooze is the same without ownership. Both end by themselves, and earlier
 *  if the incident gets worse. */
export interface Attention {
  readonly kind: 'acknowledged' | 'snoozed';
  readonly by: string;
  /** Empty if none was given. */
  readonly reason: string;
  /** ISO instant of the request; a redelivered request has the same. */
  readonly at: string;
  readonly until: string;
  /** What the person saw. */
  readonly severity: Severity;
  readonly digest: string;
  /** Its end has been announced. */
  readonly warned: boolean;
}

/** One reply in the thread: why the sequence increased. */
export interface IncidentNote {
  readonly seq: number;
  readonly at: string;
  readonly kind: NoteKind;
  readonly text: string;
  /** Everybody is told by it of somebody who joined, whom no later one names; absent: of nobody. */
  readonly joins?: true | undefined;
}

export type NoteKind =
  | 'opened'
  | 'reopened'
  | 'changed'
  | 'escalated'
  | 'reminder'
  | 'flapping'
  /** Acknowledged or snoozed. */
  | 'attended'
  /** That is over: by time, or because it got worse. */
  | 'unattended'
  | 'resolved';

/** Why a message is sent or edited. `refreshed`: only durations changed. */
export type Occasion = NoteKind | 'refreshed';

/** What one target has received and is still owed. Key: name of the target. */
export interface Delivery {
  readonly wantedSeq: number;
  readonly deliveredSeq: number;
  /** Highest note sequence posted to the thread or mailed. */
  readonly threadSeq: number;
  /** The sequence from which on it is told: what was before that has no reply in its thread; absent: an earlier version
   *  began it. */
  readonly fromSeq?: number | undefined;
  /** Chat: the sequence that the message at the head has shown since it was posted, which a reply repeats to nobody;
   *  absent: an earlier version posted it. */
  readonly postedSeq?: number | undefined;
  /** The sequence of the last send that was begun and is not known to have sent nothing; absent: none was, or an
   *  earlier version began it. */
  readonly triedSeq?: number | undefined;
  /** Chat: its message takes no edits, and shows less than the thread was told; absent: it does, as far as is known. */
  readonly isFixed?: true | undefined;
  /** A message of this episode was sent here, so its end must be too. */
  readonly announced: boolean;
  readonly claim: { readonly owner: string; readonly until: string } | undefined;
  /** Where the message is: channel and ts, or message id. */
  readonly remote: RemoteRef | undefined;
  /** A send that was started and not confirmed, written before it is made; read back before any other post. */
  readonly doubtful: Doubt | undefined;
  readonly attempts: number;
  readonly retryAt: string | undefined;
  /** ISO instant since when it has been asked to wait; absent: it was not, since the last message that arrived. */
  readonly waitsSince?: string | undefined;
  /** The turn that it was given in a channel with others before it. */
  readonly turnAt?: string | undefined;
  readonly lastError: string | undefined;
  /** Messages of it that were gone when they were to be edited or replied to, one after the other; absent: none was,
   *  since the last such call that arrived. */
  readonly lost?: Lost | undefined;
  /** How often the other incidents of its joint message have changed, if it is the one that shows them; absent: its
   *  message is its own alone. */
  readonly listWanted?: number | undefined;
  /** Up to which of these changes the joint message shows them. */
  readonly listShown?: number | undefined;
  /** What of the incidents of its joint message the message shows that is worth one of its own (`newsOf`); absent: it
   *  is not joint, or an earlier version posted it. */
  readonly listNews?: readonly string[] | undefined;
  /** Mail that was sent and came back, the last of each address; absent: none. */
  readonly returned?: readonly ReturnedMail[] | undefined;
  /** When to send again to a target that forgets; undefined: it keeps the state. */
  readonly repeatAt?: string | undefined;
  /** PagerDuty: the keys of its alerts; absent: it rang only once, or an earlier version sent it. */
  readonly rings?: Rings | undefined;
  /** The target refused permanently (archived channel, revoked token); retried at `retryAt` in case it was fixed. */
  readonly dead: boolean;
}

/** Messages that do not stay where they are posted. */
export interface Lost {
  readonly count: number;
  /** What the last of them was missed for. */
  readonly by: 'post' | 'edit' | 'reply';
  readonly why: string;
}

/** Alerts of one incident in PagerDuty, of which one is current. */
export interface Rings {
  /** 0: that of the incident's key alone; otherwise the sequence after which it rang anew. Every event is about it. */
  readonly current: number;
  /** Alerts before it that PagerDuty may not know yet to be resolved. */
  readonly former: readonly number[];
  /** Sequence with which PagerDuty was last told, or may have been, of an acknowledgement or an end. */
  readonly quietedAt?: number | undefined;
}

/** A mail that was accepted and then came back, or that its receiver reported as spam. */
export interface ReturnedMail {
  readonly address: string;
  readonly kind: 'bounce' | 'complaint';
  /** The receiving server's words. */
  readonly why: string;
  /** ISO instant. */
  readonly at: string;
  /** SES's id of the mail; absent: not known, or noted by an earlier version. */
  readonly mail?: string | undefined;
  /** Of a bounce that is not final, such as an automatic reply: how many mails to this address came back in a row, with
   *  no arrival between; absent: it is final. */
  readonly inARow?: number | undefined;
  /** The server did not take it for this address in the first place; absent: it came back later. */
  readonly refused?: true | undefined;
}

export interface Doubt {
  readonly deliveryId: string;
  readonly since: string;
  /** The message itself, or a reply in its thread. */
  readonly part: 'parent' | 'thread';
  /** Sequence that it would bring the target up to. */
  readonly seq: number;
  readonly occasion: Occasion;
  /** What `listShown` and `listNews` are once it is known to have arrived; absent: it tells of its own incident alone,
   *  or an earlier version began it. */
  readonly list?: number | undefined;
  readonly listNews?: readonly string[] | undefined;
}

export interface RemoteRef {
  readonly channel: string;
  readonly id: string;
}

/** An incident before its first observation. */
export function newIncident(key: TroubleKey): Incident {
  return {
    key,
    version: 0,
    state: 'ok',
    number: 0,
    since: undefined,
    openedAt: undefined,
    resolvedAt: undefined,
    goneSince: undefined,
    goodReadsGone: 0,
    outcome: undefined,
    endedBy: undefined,
    trouble: undefined,
    staleSince: undefined,
    staleWhy: undefined,
    inhibitedBy: undefined,
    flapping: false,
    transitions: [],
    reopened: 0,
    seq: 0,
    remindersSent: 0,
    nextReminderAt: undefined,
    lastEditAt: undefined,
    notes: [],
    deliveries: {},
  };
}

/** ISO instant since when what people were told of has lasted, before or after it was opened; undefined: not known. */
export function lastsSince({ openedAt, since, trouble, cause }: Incident): string | undefined {
  const known = [openedAt, since, trouble?.since, cause?.since].filter((at) => at !== undefined);
  return known.filter((at) => !Number.isNaN(Date.parse(at))).toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}

/** ISO instant from which somebody could have taken it: since it was opened, or came back after its end; undefined: it
 *  is not open. */
export function openSince({ openedAt, notes }: Incident): string | undefined {
  return notes.findLast(({ kind }) => kind === 'reopened')?.at ?? openedAt;
}

/** A target that is owed everything from `seq` on. */
export function newDelivery(seq: number): Delivery {
  return {
    wantedSeq: seq,
    deliveredSeq: seq - 1,
    threadSeq: seq - 1,
    fromSeq: seq,
    announced: false,
    claim: undefined,
    remote: undefined,
    doubtful: undefined,
    attempts: 0,
    retryAt: undefined,
    lastError: undefined,
    dead: false,
  };
}
