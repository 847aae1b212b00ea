import { createHash, timingSafeEqual } from 'node:crypto';
import { BadInput } from '../core/text/errors.ts';
import type { RequestHeaders } from './exchange.ts';
import type { LiveSecret } from './live-secret.ts';

/** The token of `Authorization: Bearer ...`; undefined if there is no such header. */
export function bearerToken(headers: RequestHeaders): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** In constant time: digests make the lengths equal. */
export function isToken(offered: string, token: string): boolean {
  return timingSafeEqual(sha256(offered), sha256(token));
}

/** Throws BadInput 401 unless `offered` is a valid token. */
export async function requireToken(offered: string | undefined, live: LiveSecret): Promise<void> {
  if (offered !== undefined && (await live.isKnown((token) => isToken(offered, token)))) return;
  throw new BadInput('the token is missing or wrong', { status: 401 });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
