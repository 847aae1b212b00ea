import type { PublishedEvent } from '../../events/index.ts';
import type { RemoteRef } from '../core/alerts/incident.ts';
import type { OutgoingMessage } from '../core/alerts/outgoing.ts';

/** Publishes events to all subscribers. */
export interface EventBus {
  publish(events: readonly PublishedEvent[]): Promise<void>;
}

/** One way to reach people. Sending never throws for a failure of the target: the outcome has it. */
export interface Messenger {
  /** `sent` has the location of the message. */
  post(message: OutgoingMessage): Promise<SendOutcome>;
  /** Updates the existing message silently. Repeating it is harmless. Targets that cannot edit answer `sent`. */
  edit(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** A reply in the thread of `remote`; by mail, a mail with the same subject. */
  reply(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** Searches for a message of ours whose outcome was unknown, in the thread of `thread` if it was a reply. `unable`:
   *  this target can never be searched. Throws Transient if it cannot be searched now: then nothing may be posted
   *  either. */
  find(deliveryId: string, since: Date, thread: RemoteRef | undefined): Promise<RemoteRef | 'absent' | 'unable'>;
  /** Sends lines of escaped mrkdwn to one person in a channel that nobody else sees; undefined: it was taken. Absent:
   *  not supported. */
  whisper?(to: { readonly channel: string; readonly user: string }, text: string): Promise<NotWhispered | undefined>;
}

/** Why a person did not get a message, as far as is known; `passing`: a later attempt may reach them. */
export interface NotWhispered {
  readonly why: string;
  readonly passing: boolean;
  /** Seconds that the target asked to wait, if it did. */
  readonly retryAfterSeconds: number | undefined;
}

/** An address that the server refused, while it took the mail for others. */
export interface RefusedAddress {
  readonly address: string;
  /** The server's words. */
  readonly why: string;
  readonly isFinal: boolean;
}

/** What became of a message. */
export type SendOutcome =
  /** `repeatAfterSeconds`: the target forgets it unless it is resent by then. `refused`: those of its addresses that do
   *  not get it; absent: that is not known yet. */
  | {
      readonly kind: 'sent';
      readonly remote: RemoteRef;
      readonly repeatAfterSeconds?: number | undefined;
      readonly refused?: readonly RefusedAddress[] | undefined;
    }
  /** Nothing was sent; try again later. */
  | { readonly kind: 'not-sent'; readonly why: string; readonly retryAfterSeconds: number | undefined }
  /** The form was refused: try a simpler one. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** The target refuses for good. `isOfText`: it may take another text, as a mail server that looks for spam in it. */
  | { readonly kind: 'dead'; readonly why: string; readonly isOfText?: true }
  /** The message to edit is gone: post anew. */
  | { readonly kind: 'gone'; readonly why: string }
  /** The message stands as it was sent, and takes replies, but no edit: only what is news is to be posted anew. */
  | { readonly kind: 'unchangeable'; readonly why: string }
  /** It may have been sent, or a part of it was: read back before posting again. */
  | { readonly kind: 'unknown'; readonly why: string; readonly retryAfterSeconds?: number | undefined };
