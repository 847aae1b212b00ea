import * as z from 'zod';
import type { KubeClient } from './kube-client.ts';
import { understand } from './metadata.ts';

/** Token of a ServiceAccount, with what it says of itself. */
export interface IssuedToken {
  readonly value: string;
  /** ISO instant. The API server may give less time than was asked for. */
  readonly expiresAt: string;
}

export interface TokenRequest {
  readonly namespace: string;
  readonly name: string;
  /** Seconds; the API server gives at least 600 and at most what it was set up with. */
  readonly lifeSeconds: number;
  /** Whom the token is for; undefined = the API server itself, which is what we talk to. */
  readonly audience?: string | undefined;
}

const TokenRequest = z.object({ status: z.object({ token: z.string().min(1), expirationTimestamp: z.string() }) });

/** Asks the API server for a token by TokenRequest. The token ends with its time or its account, whichever comes first.
 *  Throws Transient; the answer is never part of a message. */
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

/** What a token of a ServiceAccount says of itself, unproven: the API server alone checks it. Undefined for tokens
 *  that are none (a legacy or an OAuth token says nothing). */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  /** Undefined = it never ends. */
  readonly issuedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
  readonly audience: readonly string[];
}

const Claims = z.object({
  sub: z.string(),
  iat: z.number().optional(),
  exp: z.number().optional(),
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
});

export function claimsOf(token: string): TokenClaims | undefined {
  const payload = token.split('.')[1];
  if (payload === undefined) return undefined;
  const parsed = Claims.safeParse(parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success) return undefined;
  const { sub, iat, exp, aud } = parsed.data;
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(sub) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return { namespace, name, issuedAt: instant(iat), expiresAt: instant(exp), audience: aud };
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
