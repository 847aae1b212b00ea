import type { RequestHeaders } from '../shell/exchange.ts';
import type { LiveSecret } from '../shell/live-secret.ts';
import { bearerToken, requireToken } from '../shell/token.ts';

/** Accepts a live token: as a bearer token from programs, or as the password of basic authentication with any user
 *  name. Throws BadInput 401. */
export async function requireReader(headers: RequestHeaders, live: LiveSecret): Promise<void> {
  await requireToken(bearerToken(headers) ?? basicPassword(headers), live);
}

/** The part after the first colon (RFC 7617); undefined if there is no such header or it is not base64. */
function basicPassword(headers: RequestHeaders): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}
