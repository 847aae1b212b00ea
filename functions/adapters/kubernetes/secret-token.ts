import { Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { TokenSource } from './kube-client.ts';

/** The bearer token of a cluster from a secret. The newest valid value is used; if the API server refuses one, the
 *  secret is read again bypassing the cache and the newest value that was not refused is tried: a rotated token works
 *  at once. */
export function secretToken(secrets: Secrets, secret: string): TokenSource {
  return async (refused) => {
    const values = await secrets.read(secret, { fresh: refused !== undefined });
    const tokens = values.map((value) => value.trim()).filter(Boolean);
    const token = tokens.find((each) => each !== refused) ?? tokens[0];
    if (token === undefined) throw new Transient(`secret ${secret} has no live value`, { kind: 'forbidden' });
    return token;
  };
}
