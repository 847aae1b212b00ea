import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import type { KubeClientOptions } from './kube-client.ts';

/** The connection settings of one cluster in a kubeconfig. */
export type KubeconfigConnection = Pick<
  KubeClientOptions,
  'server' | 'ca' | 'skipTLSVerify' | 'serverName' | 'clientCertificate' | 'token'
> & {
  /** Name of the context that was used. */
  readonly context: string;
};

/** Reads one context of a kubeconfig file (the current one by default). Tokens, token files, client certificates, exec
 *  plugins and OIDC work as in client-node; the token is requested again whenever the API server refuses one. Throws
 *  Misconfigured with every problem at once. */
export async function readKubeconfig(file: string, context?: string): Promise<KubeconfigConnection> {
  const config = await load(file);
  const name = context ?? config.getCurrentContext() ?? '';
  if (config.getContextObject(name) === null) throw new Misconfigured([unknownContext(file, name, config)]);
  config.setCurrentContext(name);
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  const problems = [
    ...(cluster === null ? [`${file}: context ${name} names a cluster that is not in the file`] : []),
    ...(user === null ? [`${file}: context ${name} names a user that is not in the file`] : []),
    ...(cluster?.proxyUrl ? [`${file}: proxy-url of cluster ${cluster.name} is not supported`] : []),
    ...(user?.impersonateUser ? [`${file}: user ${user.name} impersonates another, which is not supported`] : []),
    ...(user?.username ? [`${file}: user ${user.name} has a password, which API servers no longer accept`] : []),
  ];
  if (cluster === null || problems.length > 0) throw new Misconfigured(problems);

  const credentials = await credentialsOf(config).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown';
    throw new Misconfigured([`${file}: the credentials of context ${name} cannot be read: ${why}`], { cause });
  });
  if (bearerOf(credentials) === '' && certificateOf(credentials) === undefined)
    throw new Misconfigured([
      `${file}: user ${user?.name} has no token, client certificate or plugin that provides one`,
    ]);
  return {
    context: name,
    server: cluster.server,
    ca: textOf(credentials.ca),
    skipTLSVerify: cluster.skipTLSVerify ?? false,
    serverName: cluster.tlsServerName,
    clientCertificate: certificateOf(credentials),
    token: async () => bearerOf(await credentialsOf(config).catch(credentialsFailed)),
  };
}

/** The contexts of a kubeconfig and the API servers that they are for, the current context first. Throws
 *  Misconfigured. */
export async function listContexts(
  file: string,
): Promise<readonly { readonly name: string; readonly server: string }[]> {
  const config = await load(file);
  const current = config.getCurrentContext();
  return config
    .getContexts()
    .toSorted((a, b) => Number(b.name === current) - Number(a.name === current))
    .map(({ name, cluster }) => ({ name, server: config.getCluster(cluster)?.server ?? '' }));
}

async function load(file: string): Promise<KubeConfig> {
  const config = new KubeConfig();
  try {
    await readFile(file);
    config.loadFromFile(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it is not a kubeconfig';
    throw new Misconfigured([`kubeconfig ${file} cannot be read: ${why}`], { cause });
  }
  return config;
}

function unknownContext(file: string, name: string, config: KubeConfig): string {
  const known = config.getContexts().map((each) => each.name);
  const has = known.length === 0 ? 'no contexts' : `the contexts ${known.join(', ')}`;
  return `${file}: there is no context ${name === '' ? '(none is set as current)' : name}; the file has ${has}`;
}

/** Runs exec plugins and reads token files; client-node caches exec credentials until they expire. */
async function credentialsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
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
