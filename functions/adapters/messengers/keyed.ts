import type { RemoteRef } from '../../core/alerts/incident.ts';
import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import type { Messenger, SendOutcome } from '../../ports/messages.ts';
import type { Posted } from './http-post.ts';

/** A messenger whose target identifies the incident by a key: posting, editing and replying are the same call, which
 *  may be repeated. */
export function keyedMessenger(
  send: (message: OutgoingMessage, remote: RemoteRef | undefined) => Promise<SendOutcome>,
): Messenger {
  return {
    post: (message) => send(message, undefined),
    edit: (remote, message) => send(message, remote),
    reply: (remote, message) => send(message, remote),
    // Never searched: nothing is lost by sending a message again.
    find: async () => 'absent',
  };
}

/** Seconds to wait if the target asks to wait without saying how long. */
const defaultPauseSeconds = 30;

/** Failures visible in the HTTP answer itself; undefined: it was accepted. `who`: name of the target for people. */
export function httpFailure(posted: Posted, who: string): Exclude<SendOutcome, { kind: 'sent' }> | undefined {
  if (posted.kind === 'unreached') {
    return { kind: 'not-sent', why: `${who} was not reached: ${posted.why}`, retryAfterSeconds: undefined };
  }
  if (posted.kind === 'cut off') return { kind: 'unknown', why: `no answer of ${who}: ${posted.why}` };
  const { status, retryAfterSeconds } = posted;
  if (status >= 200 && status < 300) return undefined;
  const why = `${who} answered HTTP ${status}`;
  if (status === 429) {
    return {
      kind: 'not-sent',
      why: `${who} asks to wait`,
      retryAfterSeconds: retryAfterSeconds ?? defaultPauseSeconds,
    };
  }
  if (status >= 500 || status === 408) return { kind: 'unknown', why };
  return { kind: 'dead', why };
}
