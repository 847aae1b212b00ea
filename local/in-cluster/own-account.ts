import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** What a pod is told of its own cluster and account. */
export interface OwnAccount {
  readonly server: string;
  readonly ca: string;
  readonly namespace: string;
  readonly tokenFile: string;
}

/** Reads what the kubelet mounts into a pod. Throws Misconfigured where this is none.
 *  @param folder default of Kubernetes: /var/run/secrets/kubernetes.io/serviceaccount
 *  @param environment KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are in that of each pod */
export async function readOwnAccount(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OwnAccount> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || host === '')
    throw new Misconfigured([
      'KUBERNETES_SERVICE_HOST is not set: serve runs in a pod of the cluster that has its Lease',
    ]);
  // One after the other: where both are missing, the same one is always told.
  const ca = await textOf(join(folder, 'ca.crt'));
  const namespace = await textOf(join(folder, 'namespace'));
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca,
    namespace: namespace.trim(),
    tokenFile: join(folder, 'token'),
  };
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${file}: cannot be read; is the token of the account mounted?`], { cause });
  });
}
