import { Webhooks } from '@octokit/webhooks';
import { BadInput } from '../core/text/errors.ts';
import type { LiveSecret } from '../shell/live-secret.ts';

/** Throws BadInput 401 unless `X-Hub-Signature-256` signs exactly these bytes with a valid secret. Reveals nothing of
 *  the expected value. The SHA-1 signature that GitHub also sends is ignored. */
export async function requireSignature(text: string, headers: Headers, live: LiveSecret): Promise<void> {
  const signature = headers.get('x-hub-signature-256') ?? '';
  // The library throws if there is nothing to verify.
  const isComplete = signature !== '' && text !== '';
  if (isComplete && (await live.isKnown((secret) => new Webhooks({ secret }).verify(text, signature)))) return;
  throw new BadInput('the signature is missing or wrong', { status: 401 });
}
