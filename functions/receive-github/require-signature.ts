import { Webhooks } from '@octokit/webhooks';
import { BadInput } from '../core/text/errors.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import type { LiveSecret } from '../shell/live-secret.ts';

/** Throws BadInput 401 unless `X-Hub-Signature-256` signs exactly these bytes with a valid secret. Reveals nothing of
 *  the expected value. The SHA-1 signature that GitHub also sends is ignored. */
export async function requireSignature(text: string, headers: RequestHeaders, live: LiveSecret): Promise<void> {
  const signature = headers.get('x-hub-signature-256') ?? '';
  // The library throws if there is nothing to verify.
  const isComplete = signature !== '' && text !== '';
  if (isComplete && (await live.isKnown((secret) => verifierOf(secret).verify(text, signature)))) return;
  throw new BadInput('the signature is missing or wrong', { status: 401 });
}

/** One object of the library a secret: to make one costs as much as to verify a small push. A third secret replaces the
 *  first, because two are live while one is being rotated. */
const verifiers = new Map<string, Webhooks>();

function verifierOf(secret: string): Webhooks {
  const known = verifiers.get(secret);
  if (known !== undefined) return known;
  const [oldest] = verifiers.keys();
  if (oldest !== undefined && verifiers.size > 1) verifiers.delete(oldest);
  const made = new Webhooks({ secret });
  verifiers.set(secret, made);
  return made;
}
