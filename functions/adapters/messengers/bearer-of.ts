import type { SendOutcome } from '../../ports/messages.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { liveValues } from './live-values.ts';

type Bearer =
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> }
  | Exclude<SendOutcome, { kind: 'sent' }>;

/** The Authorization header with the newest valid value; none if no secret is named. */
export async function bearerOf(secrets: Secrets, name: string | undefined): Promise<Bearer> {
  if (name === undefined) return { kind: 'headers', headers: {} };
  const tokens = await liveValues(secrets, name);
  if (typeof tokens === 'string') {
    return { kind: 'not-sent', why: `the token could not be read: ${tokens}`, retryAfterSeconds: undefined };
  }
  const [token] = tokens;
  if (token === undefined) return { kind: 'dead', why: 'the token is not set' };
  return { kind: 'headers', headers: { authorization: `Bearer ${token.trim()}` } };
}
