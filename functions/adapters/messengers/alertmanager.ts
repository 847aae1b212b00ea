import { type AlertmanagerForm, alertmanagerTimes } from '../../core/alerts/message.ts';
import { withoutTrailing } from '../../core/text/trailing.ts';
import type { Messenger } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { bearerOf } from './bearer-of.ts';
import type { Post } from './http-post.ts';
import { httpFailure, keyedMessenger } from './keyed.ts';
import { mayBeCalled } from './may-be-called.ts';

export interface AlertmanagerOptions {
  /** Base URL; for several instances in a cluster, of the service before them. */
  readonly url: string;
  readonly bearerSecret?: string | undefined;
  readonly secrets: Secrets;
  readonly post: Post;
}

/** Alertmanager by its API v2. It forgets an alert at its `endsAt`, so an open one is resent periodically; it ends by
 *  an `endsAt` in the past. */
export function alertmanagerMessenger(options: AlertmanagerOptions): Messenger {
  const { url, bearerSecret, secrets, post } = options;
  const address = `${withoutTrailing(url, '/')}/api/v2/alerts`;
  return keyedMessenger(async ({ alertmanager, occasion }, remote) => {
    if (alertmanager === undefined) return { kind: 'invalid', why: 'there is no alert' };
    if (!mayBeCalled(address)) return { kind: 'dead', why: 'the address may not be called' };
    const bearer = await bearerOf(secrets, bearerSecret);
    if (bearer.kind !== 'headers') return bearer;
    const { severity = '' } = alertmanager.labels;
    const posted = await post({
      url: address,
      headers: { 'content-type': 'application/json', ...bearer.headers },
      body: JSON.stringify([...(remote === undefined ? [] : former(alertmanager, remote.id)), alertmanager]),
      timeoutMs: 8000,
    });
    const failure = httpFailure(posted, 'Alertmanager');
    if (failure !== undefined) return failure;
    return {
      kind: 'sent',
      remote: { channel: 'alertmanager', id: severity },
      repeatAfterSeconds: occasion === 'resolved' ? undefined : alertmanagerTimes.toldEvery,
    };
  });
}

/** With another severity it was another alert to Alertmanager: that one ends when this one begins. */
function former(alert: AlertmanagerForm, severity: string): readonly AlertmanagerForm[] {
  if (severity === '' || severity === alert.labels['severity']) return [];
  return [{ ...alert, labels: { ...alert.labels, severity }, endsAt: alert.startsAt }];
}
