import type { Severity, Trouble, TroubleKey } from '../findings/trouble.ts';

/** An alert's life, one item per key: state, memory of flapping, and what each target is owed. */
export interface Incident {
  readonly key: TroubleKey;
  /** Optimistic lock: a write names the version it read. 0 = never stored. */
  readonly version: number;
  readonly state: 'ok' | 'pending' | 'firing' | 'resolving';
  /** Human number of the current or last episode (`PK-<n>`); 0 before the first. */
  readonly number: number;
  /** ISO instant the condition was first seen in this episode. */
  readonly since: string | undefined;
  readonly openedAt: string | undefined;
  readonly resolvedAt: string | undefined;
  /** Since when the condition is gone (state `resolving`). */
  readonly goneSince: string | undefined;
  readonly goodReadsGone: number;
  /** What ended it. */
  readonly outcome: 'fixed' | 'superseded' | 'subject-removed' | 'closed-by-person' | undefined;
  readonly endedBy: string | undefined;
  /** The trouble as last told or stored; kept after the end for the resolved message. */
  readonly trouble: Trouble | undefined;
  /** The last one whose cause was known and would not have healed by itself, while `trouble` only tells how it
   *  fades. */
  readonly cause?: Trouble | undefined;
  /** Read failed since; shown as a stale footer. */
  readonly staleSince: string | undefined;
  /** Why nothing is seen, in words. */
  readonly staleWhy: string | undefined;
  readonly inhibitedBy: string | undefined;
  /** Somebody looks after it; kept after its end, for the words of the resolve. Whether it still holds is asked of
   *  {@link isAttended}. */
  readonly attention?: Attention | undefined;
  /** What people asked for lately, newest last, at most 10: a request that the queue brings twice is done once,
   *  whatever came between. */
  readonly wishes?: readonly string[] | undefined;
  readonly flapping: boolean;
  /** ISO instants of the last comings and goings, told or not, newest last, at most 20. */
  readonly transitions: readonly string[];
  readonly reopened: number;
  /** Goes up with every change that people must get to know; targets are brought up to it. */
  readonly seq: number;
  readonly remindersSent: number;
  readonly nextReminderAt: string | undefined;
  readonly lastEditAt: string | undefined;
  /** What happened, in order, for the thread and the mail; bounded, oldest first. */
  readonly notes: readonly IncidentNote[];
  readonly deliveries: Readonly<Record<string, Delivery>>;
}

/** A person's word that stops reminders and paging for a while. A snooze is the same without ownership. Both end by
 *  themselves, and earlier when it gets worse than it was. */
export interface Attention {
  readonly kind: 'acknowledged' | 'snoozed';
  readonly by: string;
  /** Empty where none was asked for. */
  readonly reason: string;
  /** ISO instant at which it was asked for; the same request has the same. */
  readonly at: string;
  readonly until: string;
  /** What the person saw. */
  readonly severity: Severity;
  readonly digest: string;
  /** Its end was announced. */
  readonly warned: boolean;
}

/** One thread reply: why the sequence went up. */
export interface IncidentNote {
  readonly seq: number;
  readonly at: string;
  readonly kind: NoteKind;
  readonly text: string;
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

/** Why a message is sent or edited. `refreshed`: nothing new but durations. */
export type Occasion = NoteKind | 'refreshed';

/** What one target has been told and is owed. Key: name of the target. */
export interface Delivery {
  readonly wantedSeq: number;
  readonly deliveredSeq: number;
  /** Highest note sequence posted to the thread (or mailed). */
  readonly threadSeq: number;
  /** A message of this episode was sent here: its end is owed. */
  readonly announced: boolean;
  readonly claim: { readonly owner: string; readonly until: string } | undefined;
  /** Where the message stands: channel and ts, or message id. */
  readonly remote: RemoteRef | undefined;
  /** A send that was begun and not confirmed, written before it is made: read back before any other post. */
  readonly doubtful: Doubt | undefined;
  readonly attempts: number;
  readonly retryAt: string | undefined;
  readonly lastError: string | undefined;
  /** When a target that forgets what it is not told again must be told again; undefined: it remembers. */
  readonly repeatAt?: string | undefined;
  /** The target refused for good (archived channel, revoked token); tried again at `retryAt`, in case somebody
   *  mended it. */
  readonly dead: boolean;
}

export interface Doubt {
  readonly deliveryId: string;
  readonly since: string;
  /** The message itself, or a reply in its thread. */
  readonly part: 'parent' | 'thread';
  /** What it would have brought the target up to. */
  readonly seq: number;
  /** What it told. */
  readonly occasion: Occasion;
}

export interface RemoteRef {
  readonly channel: string;
  readonly id: string;
}

/** An incident before anything was seen. */
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

/** Owes a target everything from `seq` on. */
export function newDelivery(seq: number): Delivery {
  return {
    wantedSeq: seq,
    deliveredSeq: seq - 1,
    threadSeq: seq - 1,
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
