import { createPrivateKey } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import * as z from 'zod';
import type { GithubSettings } from '../../core/configuration/github.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Clock, Deadline } from '../../ports/time.ts';
import {
  githubHeaders,
  githubId,
  githubRefusal,
  isMoved,
  movedTo,
  type PlainRequest,
  parseExact,
  plainFetch,
} from './github-http.ts';

/** Value of the Authorization header for requests about an owner (`acme`) or a repository (`acme/platform`). Throws
 *  Transient and Misconfigured. */
export type GithubAuthorization = (about: string, options?: AuthorizationOptions) => Promise<string>;

export interface AuthorizationOptions {
  /** Bypasses every cache, because the cached value was just refused. */
  readonly fresh?: boolean;
  /** As an App, where it is installed for this repository, whatever is known of its owner: an earlier name may lead to
   *  another owner, and what is private there is hidden from the former one. */
  readonly alone?: boolean;
}

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
  /** It was reached by an earlier name, and may be that of another owner: it is for that repository alone. */
  readonly isLedOn: boolean;
}

interface AskedLease {
  /** Owner or repository that it was asked for. */
  readonly about: string;
  readonly lease: Promise<Lease>;
}

/** Undefined: it was refused for another repository than this one, or led on from that, which says nothing of this
 *  one. */
async function leaseFrom(asked: AskedLease, about: string): Promise<Lease | undefined> {
  try {
    const lease = await asked.lease;
    return lease.isLedOn && asked.about !== about ? undefined : lease;
  } catch (cause) {
    if (asked.about === about || !(cause instanceof Misconfigured)) throw cause;
    return undefined;
  }
}

function appAuthorization(
  app: NonNullable<GithubSettings['app']>,
  { settings, secrets, clock, deadline, timeoutMs = 5_000 }: GithubAuthorizationOptions,
): GithubAuthorization {
  const leases = new Map<string, AskedLease>();
  /** By repository. */
  const ledOn = new Map<string, Lease>();

  /** An earlier name of a repository leads on to it. Source: GitHub REST API, "Get a repository installation for the
   *  authenticated app", status 301. */
  async function once(url: string, method: 'GET' | 'POST', headers: PlainRequest['headers']) {
    const response = await plainFetch(url, { method, headers, signal: deadline(timeoutMs) });
    if (method !== 'GET' || !isMoved(response)) return { response, isLedOn: false };
    await response.body?.cancel();
    const led = await plainFetch(movedTo(response, url), { method, headers, signal: deadline(timeoutMs) });
    return { response: led, isLedOn: true };
  }

  async function ask<T>(path: string, shape: z.ZodType<T>, method: 'GET' | 'POST' = 'GET') {
    const keys = await secrets.read(app.privateKeySecret);
    let response: Response | undefined;
    let isLedOn = false;
    // During a rotation GitHub may know only the older key.
    for (const key of keys) {
      await response?.body?.cancel();
      const headers = githubHeaders(`Bearer ${await signIn(app.id, key, app.privateKeySecret)}`);
      ({ response, isLedOn } = await once(`${settings.api}${path}`, method, headers));
      if (response.status !== 401) break;
    }
    if (response === undefined) throw new Misconfigured([`secret ${app.privateKeySecret} has no live value`]);
    if (response.status !== 200 && response.status !== 201)
      throw await githubRefusal({
        response,
        what: 'sign-in as a GitHub App',
        question: 'is the App installed there, and its key the right one?',
      });
    const read = shape.safeParse(parseExact(await response.text().catch(() => '')));
    if (!read.success) throw new Transient('the answer of GitHub to the sign-in has an unexpected form');
    return { found: read.data, isLedOn };
  }

  async function lease(owner: string, about: string): Promise<Lease> {
    const where = about.includes('/')
      ? `/repos/${about.split('/').map(encodeURIComponent).join('/')}/installation`
      : `/orgs/${encodeURIComponent(owner)}/installation`;
    const { found: installation, isLedOn } = await ask(where, Installation);
    const path = `/app/installations/${installation.id}/access_tokens`;
    const { found } = await ask(path, InstallationToken, 'POST');
    return { token: found.token, untilMs: Date.parse(found.expires_at) - renewBeforeMs, isLedOn };
  }

  async function leaseAnew(owner: string, about: string): Promise<Lease> {
    const asked = { about, lease: lease(owner, about) };
    leases.set(owner, asked);
    const isShared = await asked.lease.then(
      ({ isLedOn }) => !isLedOn,
      () => false,
    );
    // A failure is not cached.
    if (!isShared && leases.get(owner) === asked) leases.delete(owner);
    return noted(about, await asked.lease);
  }

  function noted(about: string, found: Lease): Lease {
    for (const [each, { untilMs }] of ledOn) if (untilMs <= clock().getTime()) ledOn.delete(each);
    if (found.isLedOn) ledOn.set(about, found);
    return found;
  }

  return async (about, { fresh = false, alone = false } = {}) => {
    // An App is installed once per owner, whichever of its repositories are selected.
    const [owner = about] = about.split('/');
    if (alone) return `Bearer ${noted(about, await lease(owner, about)).token}`;
    const led = fresh ? undefined : ledOn.get(about);
    if (led !== undefined && clock().getTime() < led.untilMs) return `Bearer ${led.token}`;
    // Concurrent callers wait for the same answer.
    let awaited: AskedLease | undefined;
    for (let next = leases.get(owner); !fresh && next !== undefined && next !== awaited; next = leases.get(owner)) {
      awaited = next;
      const found = await leaseFrom(next, about);
      if (found !== undefined && clock().getTime() < found.untilMs) return `Bearer ${found.token}`;
    }
    return `Bearer ${(await leaseAnew(owner, about)).token}`;
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
