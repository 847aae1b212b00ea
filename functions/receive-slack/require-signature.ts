import { createHmac } from 'node:crypto';
import { BadInput } from '../core/text/errors.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import type { LiveSecret } from '../shell/live-secret.ts';
import { isToken } from '../shell/token.ts';

/** Seconds by which Slack's clock and ours may differ, and a request may be late. Source: Slack, verifying requests. */
export const signatureHoldsSeconds = 300;

/** A request that Slack signed. */
export interface Signed {
  /** Identifies the request. */
  readonly signature: string;
  /** When Slack signed it: the same for a replay. */
  readonly at: Date;
}

/** The accepted signature. Throws BadInput 401 unless `X-Slack-Signature` signs exactly
 *  these bytes at this time with a valid secret. Reveals nothing of the expected value. */
export async function requireSignature(
  text: string,
  headers: RequestHeaders,
  live: LiveSecret,
  now: Date,
): Promise<Signed> {
  const timestamp = headers.get('x-slack-request-timestamp') ?? '';
  const signature = headers.get('x-slack-signature') ?? '';
  const isTimely =
    /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= signatureHoldsSeconds;
  const isComplete = isTimely && /^v0=[0-9a-f]{64}$/.test(signature);
  if (isComplete && (await live.isKnown((secret) => isToken(signature, signatureOf(secret, timestamp, text))))) {
    return { signature, at: new Date(Number(timestamp) * 1000) };
  }
  throw new BadInput('the signature is missing, old or wrong', { status: 401 });
}

/** `v0=<hex>`. Source: Slack, verifying requests. */
function signatureOf(secret: string, timestamp: string, text: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${text}`).digest('hex')}`;
}
