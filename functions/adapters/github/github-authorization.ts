import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import * as z from 'zod';
import type { GithubSettings } from '../../core/configuration/github.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import { githubHeaders, githubId, githubRefusal, parseExact, plainFetch } from './github-http.ts';

/** Value of the Authorization header for requests about an owner (`acme`) or a repository (`acme/platform`). `fresh`:
 *  bypasses every cache, because the cached value was just refused. Throws Transient and Misconfigured. */
export type GithubAuthorization = (about: string, options?: { readonly fresh?: boolean }) => Promise<string>;

export interface GithubAuthorizationOptions {
  readonly settings: Pick<GithubSettings, 'api' | 'tokenSecret' | 'app'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** Milliseconds, per request. */
  readonly timeoutMs?: number;
}

/** Authenticates with the configured token, or as the GitHub App: then with an installation token, which is valid for
 *  an hour. Source: GitHub REST API, "Create an installation access token for an app". */
export function githubAuthorization(options: GithubAuthorizationOptions): GithubAuthorization {
  const { settings, secrets } = options;
  if (settings.app !== undefined) return appAuthorization(settings.app, options);
  const { tokenSecret } = settings;
  if (tokenSecret === undefined) throw new Misconfigured(['github has neither tokenSecret nor app']);
  return async (_, { fresh = false } = {}) => {
    const [token] = await secrets.read(tokenSecret, { fresh });
    if (token === undefined) throw new Misconfigured([`secret ${tokenSecret} has no live value`]);
    return `Bearer ${token.trim()}`;
  };
}

/** Milliseconds of remaining lifetime at which a token is renewed: longer than any use of it takes. */
const renewBeforeMs = 300_000;

const Installation = z.object({ id: githubId });
const InstallationToken = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

interface Lease {
  readonly token: string;
  readonly untilMs: number;
}

interface AskedLease {
  /** Owner or repository that it was asked for. */
  readonly about: string;
  readonly lease: Promise<Lease>;
}

/** Undefined: it was refused for another repository than this one, which says nothing of this one. */
async function leaseFrom(asked: AskedLease, about: string): Promise<Lease | undefined> {
  return asked.lease.catch((cause: unknown) => {
    if (asked.about === about || !(cause instanceof Misconfigured)) throw cause;
    return undefined;
  });
}

function appAuthorization(
  app: NonNullable<GithubSettings['app']>,
  { settings, secrets, clock, deadline, timeoutMs = 5_000 }: GithubAuthorizationOptions,
): GithubAuthorization {
  const leases = new Map<string, AskedLease>();

  async function ask<T>(path: string, shape: z.ZodType<T>, method: 'GET' | 'POST' = 'GET'): Promise<T> {
    const keys = await secrets.read(app.privateKeySecret);
    let response: Response | undefined;
    // During a rotation GitHub may know only the older key.
    for (const key of keys) {
      await response?.body?.cancel();
      const headers = githubHeaders(`Bearer ${await signIn(app.id, key, app.privateKeySecret)}`);
      response = await plainFetch(`${settings.api}${path}`, { method, headers, signal: deadline(timeoutMs) });
      if (response.status !== 401) break;
    }
    if (response === undefined) throw new Misconfigured([`secret ${app.privateKeySecret} has no live value`]);
    if (response.status !== 200 && response.status !== 201)
      throw await githubRefusal({
        response,
        what: 'sign-in as a GitHub App',
        question: 'is the App installed there, and its key the right one?',
        now: clock(),
      });
    const read = shape.safeParse(parseExact(await response.text().catch(() => '')));
    if (!read.success) throw new Transient('the answer of GitHub to the sign-in has an unexpected form');
    return read.data;
  }

  async function lease(owner: string, about: string): Promise<Lease> {
    const where = about.includes('/')
      ? `/repos/${about.split('/').map(encodeURIComponent).join('/')}/installation`
      : `/orgs/${encodeURIComponent(owner)}/installation`;
    const { id } = await ask(where, Installation);
    const { token, expires_at } = await ask(`/app/installations/${id}/access_tokens`, InstallationToken, 'POST');
    return { token, untilMs: Date.parse(expires_at) - renewBeforeMs };
  }

  return async (about, { fresh = false } = {}) => {
    // An App is installed once per owner, whichever of its repositories are selected.
    const [owner = about] = about.split('/');
    // Concurrent callers wait for the same answer.
    let awaited: AskedLease | undefined;
    for (let next = leases.get(owner); !fresh && next !== undefined && next !== awaited; next = leases.get(owner)) {
      awaited = next;
      const found = await leaseFrom(next, about);
      if (found !== undefined && clock().getTime() < found.untilMs) return `Bearer ${found.token}`;
    }
    const asked = { about, lease: lease(owner, about) };
    leases.set(owner, asked);
    try {
      return `Bearer ${(await asked.lease).token}`;
    } catch (cause) {
      // A failure is not cached.
      if (leases.get(owner) === asked) leases.delete(owner);
      throw cause;
    }
  };
}

/** GitHub issues keys in an older format than the signing library needs. */
async function signIn(appId: number, key: string, secret: string): Promise<string> {
  try {
    const privateKey = createPrivateKey(key.replaceAll('\\n', '\n')).export({ type: 'pkcs8', format: 'pem' });
    const signed = await createAppAuth({ appId, privateKey: privateKey.toString() })({ type: 'app' });
    return signed.token;
  } catch {
    // Without the cause: it may quote the key.
    throw new Misconfigured([`secret ${secret} holds no private key in PEM`]);
  }
}
