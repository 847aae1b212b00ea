import { createHash, timingSafeEqual } from 'node:crypto';
import { BadInput, Misconfigured } from '../core/errors.ts';
import type { Secrets } from '../ports.ts';

/** The live values of a secret. A line end at the end is cut: files put into a secret store carry one, senders do not.
 *  Throws Misconfigured when there is none, because an empty secret would let everybody in. */
export async function liveValues(secrets: Secrets, secret: string): Promise<readonly string[]> {
  const values = (await secrets.read(secret)).map((value) => value.replace(/\r?\n$/, '')).filter(Boolean);
  if (values.length === 0) throw new Misconfigured([`secret ${secret} has no live value`]);
  return values;
}

/** The token of `Authorization: Bearer ...`; undefined when there is no such header. */
export function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** True when `offered` is one of the live tokens. Digests make the lengths equal, and every token is compared, so that
 *  the time taken says nothing. */
export function isLiveToken(offered: string, live: readonly string[]): boolean {
  const digest = sha256(offered);
  return live.map((token) => timingSafeEqual(sha256(token), digest)).includes(true);
}

/** Throws BadInput 401 unless `offered` is a live token of `secret`. */
export async function requireToken(offered: string | undefined, secrets: Secrets, secret: string): Promise<void> {
  if (offered !== undefined && isLiveToken(offered, await liveValues(secrets, secret))) return;
  throw new BadInput('the token is missing or wrong', { status: 401 });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
