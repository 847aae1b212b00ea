import * as z from 'zod';
import type { KubeClient } from './kube-client.ts';
import { understand } from './metadata.ts';

/** A ServiceAccount token with its expiry. */
export interface IssuedToken {
  readonly value: string;
  /** ISO instant. The API server may grant less time than requested. */
  readonly expiresAt: string;
}

export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  /** Seconds; the API server grants at least 600 and at most its configured maximum. */
  readonly lifeSeconds: number;
  /** Audience of the token; undefined: the API server itself, which we call. */
  readonly audience?: string | undefined;
}

const TokenRequest = z.object({ status: z.object({ token: z.string().min(1), expirationTimestamp: z.string() }) });

/** Requests a token from the API server by TokenRequest. It expires with its time or its account, whichever comes
 *  first. Throws Transient; the answer is never part of a message. */
export async function requestToken(client: KubeClient, wish: TokenRequest): Promise<IssuedToken> {
  const { namespace, name, lifeSeconds, audience } = wish;
  const answer = await client.post(
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}/token`,
    {},
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: lifeSeconds, ...(audience === undefined ? {} : { audiences: [audience] }) },
    },
  );
  const { token, expirationTimestamp } = understand(TokenRequest, answer, 'TokenRequest').status;
  return { value: token, expiresAt: expirationTimestamp };
}

/** The claims of a ServiceAccount token, unverified: only the API server verifies it. Undefined for other tokens (a
 *  legacy or an OAuth token has no claims). */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: it never expires. */
  readonly issuedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
  readonly audience: readonly string[];
  /** The API server's name for itself as an issuer; empty: not in the token. */
  readonly issuer: string;
}

const Claims = z.object({
  sub: z.string(),
  iss: z.string().default(''),
  iat: z.number().optional(),
  exp: z.number().optional(),
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
});

export function claimsOf(token: string): TokenClaims | undefined {
  const payload = token.split('.')[1];
  if (payload === undefined) return undefined;
  const parsed = Claims.safeParse(parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success) return undefined;
  const { sub, iss, iat, exp, aud } = parsed.data;
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(sub) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return { namespace, name, issuedAt: instant(iat), expiresAt: instant(exp), audience: aud, issuer: iss };
}

function instant(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
