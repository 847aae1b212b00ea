import type { PagerDutyForm } from '../../core/alerts/message.ts';
import type { Messenger, SendOutcome } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Post } from './http-post.ts';
import { httpFailure, keyedMessenger } from './keyed.ts';
import { liveValues } from './live-values.ts';
import { mayBeCalled } from './may-be-called.ts';

export interface PagerDutyOptions {
  /** Where events are enqueued, e.g. `https://events.pagerduty.com/v2/enqueue`. */
  readonly eventsUrl: string;
  readonly routingKeySecret: string;
  readonly secrets: Secrets;
  readonly post: Post;
}

type Failure = Exclude<SendOutcome, { kind: 'sent' }>;

/** PagerDuty by its Events API v2: trigger, acknowledge and resolve of one key, each repeatable. */
export function pagerDutyMessenger(options: PagerDutyOptions): Messenger {
  return keyedMessenger(async ({ pagerDuty, deliveryId }) => {
    if (pagerDuty === undefined) return { kind: 'invalid', why: 'there is no event' };
    if (!mayBeCalled(options.eventsUrl)) return { kind: 'dead', why: 'the address may not be called' };
    const keys = await liveValues(options.secrets, options.routingKeySecret);
    if (typeof keys === 'string') {
      return { kind: 'not-sent', why: `the integration key could not be read: ${keys}`, retryAfterSeconds: undefined };
    }
    let isAnyTaken = false;
    for (const event of pagerDuty) {
      const { failed, isTaken } = await withEachKey(options, keys, event);
      isAnyTaken ||= isTaken;
      if (failed !== undefined) return isAnyTaken ? takenInPart(failed) : failed;
    }
    return { kind: 'sent', remote: { channel: 'pagerduty', id: deliveryId } };
  });
}

/** During a rotation the newest key may not be known yet: one that rings goes with the first key that is taken. What
 *  ends or quiets an alert goes with all of them, as it may have rung under an earlier key; where it has not, nothing
 *  comes of it. Source: PagerDuty, Events API (events that acknowledge or resolve what is not open are discarded). */
async function withEachKey(
  { eventsUrl, post }: PagerDutyOptions,
  keys: readonly string[],
  event: PagerDutyForm,
): Promise<{ readonly isTaken: boolean; readonly failed: Failure | undefined }> {
  let failed: Failure | undefined;
  let isTaken = false;
  for (const routing_key of keys) {
    const posted = await post({
      url: eventsUrl,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ routing_key: routing_key.trim(), ...event }),
      timeoutMs: 8000,
    });
    const failure = httpFailure(posted, 'PagerDuty');
    if (failure === undefined && event.event_action === 'trigger') return { isTaken: true, failed: undefined };
    isTaken ||= failure === undefined;
    failed = failure ?? failed;
    if (failure !== undefined && failure.kind !== 'dead') return { isTaken, failed: failure };
  }
  const none: Failure = failed ?? { kind: 'dead', why: 'the integration key is not set' };
  return { isTaken, failed: isTaken ? undefined : none };
}

/** PagerDuty knows of some of it: all of it is sent again, and its end is owed. */
function takenInPart(failed: Failure): Failure {
  const retryAfterSeconds = failed.kind === 'not-sent' ? failed.retryAfterSeconds : undefined;
  return { kind: 'unknown', why: `${failed.why}, after a part of it was taken`, retryAfterSeconds };
}
