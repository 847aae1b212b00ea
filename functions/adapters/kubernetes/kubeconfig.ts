import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Cluster, Context, User } from '@kubernetes/client-node';
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { parse } from 'yaml';
import { byName } from '../../core/text/by-name.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { listed } from '../../core/text/phrases.ts';
import type { KubeClientOptions } from './kube-client.ts';

/** The connection settings of one cluster in a kubeconfig. */
export type KubeconfigConnection = Pick<
  KubeClientOptions,
  'server' | 'ca' | 'skipTLSVerify' | 'serverName' | 'clientCertificate' | 'token'
> & {
  /** Name of the context that was used. */
  readonly context: string;
};

/** Reads one context of a kubeconfig (the current one by default), whose files `load` reads. Tokens, token files,
 *  client certificates, exec plugins and OIDC work as in client-node; the token is requested again whenever the API
 *  server refuses one. Throws Misconfigured with every problem at once. */
export async function readKubeconfig(files: readonly string[], context?: string): Promise<KubeconfigConnection> {
  const config = await load(files);
  const { source: file } = config;
  const name = context ?? config.currentContext ?? '';
  const chosen = byName(config.contexts, name);
  if (chosen === undefined) throw new Misconfigured([unknownContext(name, config)]);
  const cluster = byName(config.clusters, chosen.cluster);
  const user = byName(config.users, chosen.user);
  const problems = [
    ...(cluster === undefined ? [`${file}: context ${name} names a cluster that is not in ${config.place}`] : []),
    ...(user === undefined ? [`${file}: context ${name} names a user that is not in ${config.place}`] : []),
    ...(cluster?.proxyUrl ? [`${file}: proxy-url of cluster ${cluster.name} is not supported`] : []),
    ...(user?.impersonateUser ? [`${file}: user ${user.name} impersonates another, which is not supported`] : []),
    ...(user?.username ? [`${file}: user ${user.name} has a password, which API servers no longer accept`] : []),
  ];
  if (cluster === undefined || user === undefined || problems.length > 0) throw new Misconfigured(problems);

  const credentialsOf = isPlain(cluster, user)
    ? plainCredentials(cluster, user)
    : await anyCredentials({ ...config, currentContext: name });
  const credentials = await credentialsOf().catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown';
    throw new Misconfigured([`${file}: the credentials of context ${name} cannot be read: ${why}`], { cause });
  });
  if (bearerOf(credentials) === '' && certificateOf(credentials) === undefined)
    throw new Misconfigured([
      `${file}: user ${user.name} has no token, client certificate or plugin that provides one`,
    ]);
  return {
    context: name,
    server: cluster.server,
    ca: textOf(credentials.ca),
    skipTLSVerify: cluster.skipTLSVerify ?? false,
    serverName: cluster.tlsServerName,
    clientCertificate: certificateOf(credentials),
    token: async () => bearerOf(await credentialsOf().catch(credentialsFailed)),
  };
}

/** The contexts of a kubeconfig and the API servers that they are for, the current context first. Throws
 *  Misconfigured. */
export async function listContexts(
  files: readonly string[],
): Promise<readonly { readonly name: string; readonly server: string }[]> {
  const { contexts, clusters, currentContext } = await load(files);
  return contexts
    .toSorted((a, b) => Number(b.name === currentContext) - Number(a.name === currentContext))
    .map(({ name, cluster }) => ({ name, server: byName(clusters, cluster)?.server ?? '' }));
}

/** A kubeconfig, as client-node reads one file of it. */
interface KubeconfigParts {
  readonly contexts: readonly Context[];
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly currentContext: string | undefined;
}

interface Kubeconfig extends KubeconfigParts {
  /** The files that were read, in words. */
  readonly source: string;
  /** `the file`, or what several are called. */
  readonly place: string;
}

/** As kubectl does: the first file that has a cluster, user or context of a name, or a current context, counts, and
 *  files that are not there are passed over while another one is. Source: Kubernetes docs, "Organizing Cluster Access
 *  Using kubeconfig Files". */
async function load(files: readonly string[]): Promise<Kubeconfig> {
  const read = await Promise.all(files.map(partsOf));
  const there = files.filter((_file, at) => read[at] !== undefined);
  if (there.length === 0)
    throw new Misconfigured([`kubeconfig ${listed(files, 3)} cannot be read: there is no such file`]);
  const parts = read.filter((each) => each !== undefined);
  return {
    source: listed(there, 3),
    place: there.length === 1 ? 'the file' : 'these files',
    clusters: firstOfEachName(parts.flatMap(({ clusters }) => clusters)),
    users: firstOfEachName(parts.flatMap(({ users }) => users)),
    contexts: firstOfEachName(parts.flatMap(({ contexts }) => contexts)),
    currentContext: parts.find(({ currentContext }) => currentContext)?.currentContext,
  };
}

function firstOfEachName<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  return entries.filter((each) => byName(entries, each.name) === each);
}

/** By the parts of client-node that its KubeConfig is made of. KubeConfig itself loads 868 modules, a third of a second
 *  of processor time; it is asked where these parts do not suffice, and says what is wrong with a file. Undefined:
 *  there is no such file. */
async function partsOf(file: string): Promise<KubeconfigParts | undefined> {
  try {
    const text = await readFile(file, 'utf8').catch(undefinedIfMissing);
    if (text === undefined) return undefined;
    return besideFile(parsed(text) ?? (await loadedByClient(file)), resolve(dirname(file)));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is not a kubeconfig';
    throw new Misconfigured([`kubeconfig ${file} cannot be read: ${why}`], { cause });
  }
}

function undefinedIfMissing(cause: unknown): undefined {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
  throw cause;
}

/** Undefined: this is not YAML, or not a mapping. */
function parsed(text: string): KubeconfigParts | undefined {
  const content = parsedYaml(text);
  // Of comments, `---` or nothing at all, kubectl has nothing.
  if (content === null) return { clusters: [], contexts: [], users: [], currentContext: undefined };
  if (typeof content !== 'object') return undefined;
  const { clusters, contexts, users, 'current-context': currentContext }: Record<string, unknown> = { ...content };
  // What `kubectl config set-context` leaves unfinished is told to who uses it.
  const unfinished = { onInvalidEntry: 'filter' } as const;
  return {
    clusters: newClusters(clusters, unfinished),
    contexts: newContexts(contexts, unfinished),
    users: newUsers(users, unfinished),
    currentContext: typeof currentContext === 'string' ? currentContext : undefined,
  };
}

/** As kubectl does: paths are relative to the file; a plugin by its name alone is found by PATH. */
function besideFile({ clusters, users, ...parts }: KubeconfigParts, folder: string): KubeconfigParts {
  const absolute = (path: string) => (isAbsolute(path) ? path : join(folder, path));
  return {
    ...parts,
    clusters: clusters.map((each) => ({ ...each, ...(each.caFile ? { caFile: absolute(each.caFile) } : {}) })),
    users: users.map((each) => ({
      ...each,
      ...(each.certFile ? { certFile: absolute(each.certFile) } : {}),
      ...(each.keyFile ? { keyFile: absolute(each.keyFile) } : {}),
      ...(each.exec?.command?.includes?.('/') ? { exec: { ...each.exec, command: absolute(each.exec.command) } } : {}),
    })),
  };
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text, { merge: true, logLevel: 'error' });
  } catch {
    return undefined;
  }
}

async function loadedByClient(file: string): Promise<KubeconfigParts> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = new KubeConfig();
  config.loadFromFile(file);
  return {
    clusters: config.getClusters(),
    contexts: config.getContexts(),
    users: config.getUsers(),
    currentContext: config.getCurrentContext(),
  };
}

function unknownContext(name: string, { source, place, contexts }: Kubeconfig): string {
  const known = contexts.map((each) => each.name);
  const contain = place === 'the file' ? 'has' : 'have';
  const has = known.length === 0 ? 'no contexts' : `the contexts ${known.join(', ')}`;
  return `${source}: there is no context ${name === '' ? '(none is set as current)' : name}; ${place} ${contain} ${has}`;
}

/** Token, client certificate or exec plugin, over TLS. */
function isPlain(cluster: Cluster, user: User): boolean {
  return !user.authProvider && (cluster.server.startsWith('https:') || cluster.skipTLSVerify === true);
}

type ReadCredentials = () => Promise<RequestOptions>;

/** The plugin keeps what it was given until it expires. */
function plainCredentials(cluster: Cluster, user: User): ReadCredentials {
  const plugin = new ExecAuth();
  return async () => {
    const [ca, cert, key] = await Promise.all([
      pemOf(cluster.caFile, cluster.caData),
      pemOf(user.certFile, user.certData),
      pemOf(user.keyFile, user.keyData),
    ]);
    const options: RequestOptions = { ca, cert, key };
    if (plugin.isAuthProvider(user)) await plugin.applyAuthentication(user, options);
    return user.token ? { ...options, headers: { Authorization: `Bearer ${user.token}` } } : options;
  };
}

async function pemOf(file: string | undefined, data: string | undefined): Promise<Buffer | undefined> {
  if (file) return readFile(file);
  return data ? Buffer.from(data, 'base64') : undefined;
}

/** Runs exec plugins and reads token files; client-node caches exec credentials until they expire. */
async function anyCredentials(config: KubeconfigParts & { readonly currentContext: string }): Promise<ReadCredentials> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const known = new KubeConfig();
  known.loadFromOptions({ ...config });
  return async () => {
    const options: RequestOptions = {};
    await known.applyToHTTPSOptions(options);
    return options;
  };
}

function credentialsFailed(cause: unknown): never {
  throw new Transient('the credentials of the kubeconfig cannot be read', { kind: 'forbidden', cause });
}

function bearerOf({ headers }: RequestOptions): string {
  const authorization = Object.entries(headers ?? {}).find(([name]) => name === 'Authorization')?.[1];
  return typeof authorization === 'string' ? authorization.replace(/^Bearer /, '') : '';
}

function certificateOf({ cert, key }: RequestOptions): { readonly cert: string; readonly key: string } | undefined {
  const [certText, keyText] = [textOf(cert), textOf(key)];
  return certText === undefined || keyText === undefined ? undefined : { cert: certText, key: keyText };
}

function textOf(pem: unknown): string | undefined {
  if (typeof pem === 'string') return pem;
  return Buffer.isBuffer(pem) ? pem.toString('utf8') : undefined;
}
