import { githubAuthorization } from '../../../functions/adapters/github/github-authorization.ts';
import { repositoryNames } from '../../../functions/adapters/github/repository-names.ts';
import { type ClusterConnection, connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { openConnections } from '../../../functions/adapters/kubernetes/connections.ts';
import { claimsOf, type TokenClaims } from '../../../functions/adapters/kubernetes/service-account-token.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { secondsSince } from '../../../functions/core/text/instant.ts';
import type { RepositoryNames } from '../../../functions/ports/repositories.ts';
import type { Secrets } from '../../../functions/ports/secrets.ts';
import { product } from '../../../functions/shell/product.ts';
import { accountSecret } from '../../in-cluster/mounted-secrets.ts';
import { ownAudiences } from '../../manifests/admission-limit.ts';
import { defaultTokenHours } from '../../manifests/token-hours.ts';
import { isVariable } from '../cluster-secrets.ts';
import { tokenHoursProblems } from '../token-hours.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkComponents } from './check-components.ts';
import { checkDestinations } from './check-destinations.ts';
import { checkGuards } from './check-guards.ts';
import { checkNames } from './check-names.ts';
import { checkPools } from './check-pools.ts';
import { checkRights } from './check-rights.ts';
import { checkRuns, grantRuns } from './check-runs.ts';
import { checkSequences } from './check-sequences.ts';
import { checkToken } from './check-token.ts';
import { type Finding, ok, unchecked, warning, wrong } from './finding.ts';
import { grantsOf } from './grants.ts';
import { type Connected, connectAgain } from './remedy-commands.ts';
import { guardedInstances } from './written-instances.ts';

/** Seconds. Holds and races compare our clock with the cluster's in whole seconds; a minute off would make every sync
 *  look late. */
const skewAtMost = 5;

export interface ClusterCheck {
  readonly cluster: ClusterSettings;
  readonly configuration: Pick<Configuration, 'clusters' | 'argocd' | 'sequences' | 'nodeTurns'> &
    Partial<Pick<Configuration, 'github'>>;
  readonly secrets: Secrets;
  readonly clock: () => Date;
  /** `--config`, if it was given. */
  readonly config: string | undefined;
  /** The poolkeeper.yaml that was read. */
  readonly file: string;
}

/** All checks of one cluster, with the token of the service. Never throws for outside failures. */
export async function checkCluster({
  cluster,
  configuration,
  secrets,
  clock,
  config,
  file,
}: ClusterCheck): Promise<readonly Finding[]> {
  const { name, api } = cluster;
  const argocd = configuration.argocd.filter((each) => each.cluster === name);
  const guarded = guardedInstances(configuration, name);
  const token = await tokenOf(secrets, api.tokenSecret);
  const connected = connectedBy(token, { cluster, config, file });
  if (token instanceof Error) {
    if (api.tokenSecret === accountSecret)
      return [unchecked(name, 'token: it is that of the pod in which Poolkeeper runs, which alone has it')];
    const instead = isVariable(api.tokenSecret) ? `set the variable ${api.tokenSecret}, or ` : '';
    return [wrong(name, `token: ${token.message}`, `${instead}create one: ${connectAgain(connected)}`)];
  }
  const life = checkToken(connected, token, clock());
  const connection = connectCluster({ ...api, token: async () => token, userAgent: product, ...systemRuntime, clock });
  try {
    const reached = await checkReach({ connected, connection, cluster, clock });
    if (reached.some(({ state }) => state === 'wrong')) return [...reached, life];
    const remedy = connectAgain(connected);
    const of = (what: string) => ({ about: name, what, remedy });
    const pools = await attempt(of('pools'), () => checkPools(name, cluster, connection.pools));
    const rights = await attempt(of('rights'), async () => {
      const { items: seen } = await connection.pools.listPools();
      const grants = grantsOf(configuration, cluster, seen);
      return checkRights(connected, connection.client, { ...grants, renews: renewedAccount(token) });
    });
    const guards = await Promise.all(
      guarded.map((settings) =>
        attempt(of('guards'), async () => checkGuards(name, await connection.argocd(settings).listProjects())),
      ),
    );
    const sequences = await attempt(of('sequences'), () => checkSequences(connected, configuration, connection.client));
    const runs = await attempt({ ...of('runs'), remedy: grantRuns(connected) }, () =>
      checkRuns(connected, configuration.nodeTurns, connection),
    );
    const components = await attempt(of('Machine Config Operator'), () => checkComponents(name, connection.client));
    const instances = argocd.map((settings) => {
      // Read once for both checks: there may be thousands.
      const listed = connection.argocd(settings).listApplications();
      const instance = { name: settings.name, listApplications: () => listed };
      return { settings, instance, about: `Argo CD ${settings.name}` };
    });
    const annotations = await Promise.all(
      instances.map(({ instance, about }) =>
        attempt({ ...of('annotations'), about }, () => checkAnnotations(about, instance)),
      ),
    );
    const destinations = await Promise.all(
      instances.map(({ settings, instance, about }) =>
        attempt({ ...of('destinations'), about }, () => checkDestinations(about, settings, instance)),
      ),
    );
    const names = namesAt(configuration.github, { secrets, clock });
    const repositories = await Promise.all(
      instances.map(({ instance, about }) =>
        attempt({ ...of('repositories'), about }, async () =>
          names === undefined ? [] : checkNames(about, instance, names),
        ),
      ),
    );
    return [
      ...reached,
      life,
      ...pools,
      ...rights,
      ...guards.flat(),
      ...sequences,
      ...runs,
      ...components,
      ...annotations.flat(),
      ...destinations.flat(),
      ...repositories.flat(),
    ];
  } finally {
    await connection.close();
  }
}

/** What asks GitHub for names as the service does; undefined: it asks for nothing. */
function namesAt(
  github: Configuration['github'],
  { secrets, clock }: Pick<ClusterCheck, 'secrets' | 'clock'>,
): RepositoryNames | undefined {
  if (github === undefined) return undefined;
  const { deadline } = systemRuntime;
  const authorization = githubAuthorization({ settings: github, secrets, clock, deadline });
  return repositoryNames({ api: github.api, authorization, appId: github.app?.id, clock, deadline });
}

/** The account that renews this token, as the service does. */
function renewedAccount(token: string) {
  const { namespace, name, issuedAt, expiresAt } = claimsOf(token) ?? {};
  if (namespace === undefined || name === undefined || issuedAt === undefined || expiresAt === undefined)
    return undefined;
  return { namespace, name };
}

function connectedBy(
  token: string | Error,
  { cluster: { name, api }, config, file }: Pick<ClusterCheck, 'cluster' | 'config' | 'file'>,
): Connected {
  const claims = token instanceof Error ? undefined : claimsOf(token);
  return {
    cluster: name,
    tokenSecret: api.tokenSecret,
    home: claims?.namespace,
    config,
    file,
    audience: claims?.audience.find((each) => !ownAudiences.some((own) => own === each)),
    tokenHours: claims === undefined ? undefined : unusualHours(claims),
  };
}

/** Whole hours that admit a token of the same life; undefined: it is as long as by default, or no flag tells it. */
function unusualHours({ issuedAt, expiresAt }: TokenClaims): number | undefined {
  if (issuedAt === undefined || expiresAt === undefined) return undefined;
  const hours = Math.ceil((expiresAt.getTime() - issuedAt.getTime()) / 3_600_000);
  return hours === defaultTokenHours || tokenHoursProblems(`${hours}`).length > 0 ? undefined : hours;
}

/** How the account of a cluster is connected, by its token. */
export async function connectedTo({
  secrets,
  ...asked
}: Pick<ClusterCheck, 'cluster' | 'secrets' | 'config' | 'file'>): Promise<Connected> {
  return connectedBy(await tokenOf(secrets, asked.cluster.api.tokenSecret), asked);
}

async function tokenOf(secrets: Secrets, secret: string): Promise<string | Error> {
  try {
    const [newest = ''] = await secrets.read(secret);
    return newest.trim() === '' ? new Error(`secret ${secret} is empty`) : newest.trim();
  } catch (cause) {
    if (cause instanceof Misconfigured || cause instanceof Transient) return new Error(cause.message);
    throw cause;
  }
}

interface Reach extends Pick<ClusterCheck, 'cluster' | 'clock'> {
  readonly connected: Connected;
  readonly connection: ClusterConnection;
}

async function checkReach({ connected, connection, cluster, clock }: Reach): Promise<readonly Finding[]> {
  const { name } = cluster;
  try {
    const version = await connection.readVersion();
    return [
      ok(name, `API server: ${cluster.api.server} answers, Kubernetes ${version}`),
      await checkClock(name, cluster, clock),
    ];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const remedy =
      cause.kind === 'forbidden'
        ? `the token is refused; issue a new one: ${connectAgain(connected)}`
        : 'check address, certificate authority, network and firewall from where the service runs';
    return [wrong(name, `API server: ${cause.message}`, remedy)];
  }
}

/** Milliseconds for that call. */
const clockWithin = 10_000;

/** Compares the Date header with our clock at the middle of the call. */
async function checkClock(name: string, { api }: ClusterSettings, clock: () => Date): Promise<Finding> {
  const { deadline } = systemRuntime;
  const connections = openConnections({ ...api, deadline });
  try {
    const before = clock();
    const url = new URL('/version', api.server);
    const answer = await connections.request({ url, method: 'GET', headers: {}, signal: deadline(clockWithin) });
    answer.destroy();
    const middle = new Date((before.getTime() + clock().getTime()) / 2);
    const { date } = answer.headers;
    if (date === undefined) return unchecked(name, 'clock: the API server sends no Date header');
    // The header has whole seconds, rounded down.
    const skew = Math.round(secondsSince(date, middle) - 0.5);
    if (Math.abs(skew) <= skewAtMost) return ok(name, 'clock: the same as here');
    return warning(
      name,
      `clock: is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead of'} ours`,
      'synchronise both clocks by NTP; otherwise the lateness of pauses is wrong',
    );
  } finally {
    connections.close();
  }
}

/** What could not be checked proves nothing. What the account may not read, Poolkeeper may not either.
 *  @param remedy for a missing right */
async function attempt(
  { about, what, remedy }: { readonly about: string; readonly what: string; readonly remedy: string },
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const said = `${what}: ${cause.message}`;
    return [cause.kind === 'forbidden' ? wrong(about, said, remedy) : unchecked(about, said)];
  }
}
