import { createHmac } from 'node:crypto';

/** `X-Hub-Signature-256` of a body: HMAC-SHA256 of its bytes. Source: docs.github.com, validating webhook
 *  deliveries. */
export function githubSignature(body: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
