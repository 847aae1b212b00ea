import type { PublishedEvent } from '../../events/index.ts';
import type { RemoteRef } from '../core/alerts/incident.ts';
import type { OutgoingMessage } from '../core/alerts/outgoing.ts';

/** What happened, for everybody who subscribes. */
export interface EventBus {
  publish(events: readonly PublishedEvent[]): Promise<void>;
}

/** One way to reach people. Sending never throws for what the other side answers: the outcome says it. */
export interface Messenger {
  /** `sent` carries where the message stands. */
  post(message: OutgoingMessage): Promise<SendOutcome>;
  /** Brings the standing message up to date, silently. Repeating it is harmless. Targets that cannot edit answer
   *  `sent`. */
  edit(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** Tells what happened: a reply in the thread of `remote`; mail answers under the same subject. */
  reply(remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome>;
  /** Looks for a message of ours whose outcome was unknown, in the thread of `thread` if it was a reply. `unable` =
   *  this target can never be read. Throws Transient when it cannot be read now: then nothing may be posted either. */
  find(deliveryId: string, since: Date, thread: RemoteRef | undefined): Promise<RemoteRef | 'absent' | 'unable'>;
  /** Tells one person in a channel something that nobody else sees. Best effort; absent: this target cannot. */
  whisper?(to: { readonly channel: string; readonly user: string }, text: string): Promise<void>;
}

export type SendOutcome =
  /** `repeatAfterSeconds`: the other side forgets it unless it is told again by then. */
  | { readonly kind: 'sent'; readonly remote: RemoteRef; readonly repeatAfterSeconds?: number | undefined }
  /** Nothing was sent; try again later. */
  | { readonly kind: 'not-sent'; readonly why: string; readonly retryAfterSeconds: number | undefined }
  /** The form was refused: try a simpler one. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** The target refuses for good. */
  | { readonly kind: 'dead'; readonly why: string }
  /** The message to edit is gone: post anew. */
  | { readonly kind: 'gone'; readonly why: string }
  /** It may have been sent: read back before posting again. */
  | { readonly kind: 'unknown'; readonly why: string };
