import { Webhooks } from '@octokit/webhooks';
import { BadInput } from '../core/errors.ts';
import type { Secrets } from '../ports.ts';
import { liveValues } from '../shell/token.ts';

/** Throws BadInput 401 unless `X-Hub-Signature-256` signs exactly these bytes with one of the live secrets. Says nothing of
 *  what it expected. The SHA-1 signature that GitHub also sends is not looked at. */
export async function requireSignature(
  text: string,
  headers: Headers,
  { secrets, secret }: { readonly secrets: Secrets; readonly secret: string },
): Promise<void> {
  const signature = headers.get('x-hub-signature-256') ?? '';
  if (signature !== '' && text !== '' && (await isSigned(text, signature, await liveValues(secrets, secret)))) return;
  throw new BadInput('the signature is missing or wrong', { status: 401 });
}

/** Every secret is tried, in constant time each, so that the answer's time does not tell which one is in use. */
async function isSigned(text: string, signature: string, secrets: readonly string[]): Promise<boolean> {
  const matches = await Promise.all(secrets.map((secret) => new Webhooks({ secret }).verify(text, signature)));
  return matches.includes(true);
}
