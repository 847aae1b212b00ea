import { Transient } from '../../core/text/errors.ts';
import type { Secrets, SecretWriter } from '../../ports/secrets.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { Clock } from '../../ports/time.ts';
import type { KubeClient, TokenSource } from './kube-client.ts';
import { isRefusedObject } from './refusal.ts';
import { secretToken } from './secret-token.ts';
import { claimsOf, type IssuedToken, requestToken } from './service-account-token.ts';

/** Seconds between two attempts of one container. A failed renewal is retried long before the token expires. */
const retryAfterSeconds = 300;

export interface RenewingTokenPorts {
  readonly secrets: Secrets;
  readonly writer: SecretWriter;
  /** Name or ARN of the secret with the token. */
  readonly secret: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A token that its users renew. */
export interface RenewingToken {
  readonly source: TokenSource;
  /** Requests a new token when the current one has lived half its life, and stores it in the secret, where every
   *  container finds it. To be called now and then; costs nothing before that. Throws nothing: the old token is valid
   *  for as long again. */
  renew(client: KubeClient): Promise<void>;
}

/** The bearer token of a cluster from a secret, as `secretToken`, renewed through TokenRequest. Only bound
 *  ServiceAccount tokens are renewed: one without expiry needs none, and other kinds cannot be. The new token has the
 *  account, the lifetime (if that is refused, a day) and the audience of the old one. */
export function renewingToken({ secrets, writer, secret, clock, logger }: RenewingTokenPorts): RenewingToken {
  const read = secretToken(secrets, secret);
  let inUse: string | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function renewNow(client: KubeClient): Promise<void> {
    // Another container, or a person, may have been faster.
    const [newest = ''] = await secrets.read(secret, { fresh: true });
    inUse = newest.trim();
    const due = dueOf(inUse, clock());
    if (due === undefined) return;
    const issued = await requestToken(client, due).catch((cause: unknown) => requestUsual(client, due, cause));
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

/** Seconds. The longest life that the policy on our tokens admits unless it was printed with another. */
const usualLifeSeconds = 24 * 3600;

/** Where a token that lives longer is refused, as by a policy that was applied later for shorter ones, one of the usual
 *  life is better than none once the old one ends. Throws the cause if that is none. */
function requestUsual(client: KubeClient, due: Due, cause: unknown): Promise<IssuedToken> {
  if (!(cause instanceof Transient) || !isRefusedObject(cause) || due.lifeSeconds <= usualLifeSeconds) throw cause;
  return requestToken(client, { ...due, lifeSeconds: usualLifeSeconds });
}

interface Due {
  readonly namespace: string;
  readonly name: string;
  readonly lifeSeconds: number;
  readonly audience: string | undefined;
}

/** The request for a replacement; undefined if it is too early, or the token cannot be renewed. */
function dueOf(token: string, now: Date): Due | undefined {
  const claims = claimsOf(token);
  if (claims?.expiresAt === undefined || claims.issuedAt === undefined) return undefined;
  const lifeMs = claims.expiresAt.getTime() - claims.issuedAt.getTime();
  if (now.getTime() < claims.issuedAt.getTime() + lifeMs / 2) return undefined;
  const { namespace, name, audience, issuer } = claims;
  // The API server goes by the name of its issuer too, the one that the policy on tokens admits.
  const asked = audience.includes(issuer) ? issuer : audience[0];
  return { namespace, name, lifeSeconds: Math.max(600, Math.round(lifeMs / 1000)), audience: asked };
}
