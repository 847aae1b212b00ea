import { createHmac } from 'node:crypto';
import type { Messenger } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { bearerOf } from './bearer-of.ts';
import type { Post } from './http-post.ts';
import { httpFailure, keyedMessenger } from './keyed.ts';
import { liveValues } from './live-values.ts';
import { mayBeCalled } from './may-be-called.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly bearerSecret?: string | undefined;
  /** Secret for the signature of the body; undefined: not signed. */
  readonly signingSecret?: string | undefined;
  readonly secrets: Secrets;
  readonly post: Post;
}

/** The signature of a body, `sha256=<hex>`: HMAC-SHA256 over its bytes, in GitHub's format. */
const signatureHeader = 'x-poolkeeper-signature-256';

/** CloudEvents 1.0 over HTTP, structured mode. At least once: the same notification has the same id. */
export function webhookMessenger(options: WebhookOptions): Messenger {
  const { url, bearerSecret, secrets, post } = options;
  return keyedMessenger(async ({ event }) => {
    if (event === undefined) return { kind: 'invalid', why: 'there is no event' };
    if (!mayBeCalled(url)) return { kind: 'dead', why: 'the address may not be called' };
    const bearer = await bearerOf(secrets, bearerSecret);
    if (bearer.kind !== 'headers') return bearer;
    const body = JSON.stringify(event);
    const signature = await signatureOf(options, body);
    if (typeof signature === 'string') {
      return { kind: 'not-sent', why: signature, retryAfterSeconds: undefined };
    }
    const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8', ...bearer.headers, ...signature };
    const failure = httpFailure(await post({ url, headers, body, timeoutMs: 8000 }), 'the webhook');
    return failure ?? { kind: 'sent', remote: { channel: 'webhook', id: event.id } };
  });
}

/** A text says why there is none. */
async function signatureOf(
  { signingSecret, secrets }: WebhookOptions,
  body: string,
): Promise<Readonly<Record<string, string>> | string> {
  if (signingSecret === undefined) return {};
  const keys = await liveValues(secrets, signingSecret);
  if (typeof keys === 'string') return `the signing secret could not be read: ${keys}`;
  const [key] = keys;
  if (key === undefined) return 'the signing secret is not set';
  return { [signatureHeader]: `sha256=${createHmac('sha256', key.trim()).update(body).digest('hex')}` };
}
