import { Transient } from '../../core/text/errors.ts';
import type { Secrets, SecretWriter } from '../../ports/secrets.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { Clock } from '../../ports/time.ts';
import type { KubeClient, TokenSource } from './kube-client.ts';
import { secretToken } from './secret-token.ts';
import { claimsOf, requestToken } from './service-account-token.ts';

/** Seconds between two attempts of one container. A renewal that fails is tried again long before the token ends. */
const retryAfterSeconds = 300;

export interface RenewingTokenPorts {
  readonly secrets: Secrets;
  readonly writer: SecretWriter;
  /** Name or ARN of the secret that holds the token. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A token that is renewed by whoever uses it. */
export interface RenewingToken {
  readonly source: TokenSource;
  /** Asks for a new token when the one in use has lived half its life, and keeps it in the secret, where every
   *  container finds it. To be called now and then; costs nothing before half the life. Throws nothing: the old
   *  token is good for as long again. */
  renew(client: KubeClient): Promise<void>;
}

/** The bearer token of a cluster from a secret, as `secretToken`, renewed through TokenRequest. Only bound tokens of
 *  a ServiceAccount are: one without an end needs none, and one of another kind cannot be. The new token has the
 *  account, the life and the audience of the old one. */
export function renewingToken({ secrets, writer, secret, clock, logger }: RenewingTokenPorts): RenewingToken {
  const read = secretToken(secrets, secret);
  let inUse: string | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function renewNow(client: KubeClient): Promise<void> {
    // Another container may have been faster, or a person.
    const [newest = ''] = await secrets.read(secret, { fresh: true });
    inUse = newest.trim();
    const due = dueOf(inUse, clock());
    if (due === undefined) return;
    const { namespace, name, lifeSeconds, audience } = due;
    const issued = await requestToken(client, { namespace, name, lifeSeconds, audience });
    await writer.write(secret, issued.value);
    inUse = issued.value;
    logger.info('cluster token renewed', { secret, expiresAt: issued.expiresAt });
  }

  return {
    async source(refused) {
      inUse = await read(refused);
      return inUse;
    },
    async renew(client) {
      const now = clock();
      if (inUse === undefined || dueOf(inUse, now) === undefined) return;
      if (now.getTime() - triedAtMs < retryAfterSeconds * 1000) return;
      triedAtMs = now.getTime();
      try {
        await renewNow(client);
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        logger.warn('cluster token not renewed', { secret, why: cause.message, expiresAt: claimsOf(inUse)?.expiresAt });
      }
    },
  };
}

interface Due {
  readonly namespace: string;
  readonly name: string;
  readonly lifeSeconds: number;
  readonly audience: string | undefined;
}

/** What to ask for in its place; undefined when it is not time, or it is no token that could be renewed. */
function dueOf(token: string, now: Date): Due | undefined {
  const claims = claimsOf(token);
  if (claims?.expiresAt === undefined || claims.issuedAt === undefined) return undefined;
  const lifeMs = claims.expiresAt.getTime() - claims.issuedAt.getTime();
  if (now.getTime() < claims.issuedAt.getTime() + lifeMs / 2) return undefined;
  const { namespace, name, audience } = claims;
  return { namespace, name, lifeSeconds: Math.max(600, Math.round(lifeMs / 1000)), audience: audience[0] };
}
