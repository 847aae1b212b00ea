import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import { listContexts } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { clusterName } from '../run/own-cluster.ts';
import type { Surroundings } from './command.ts';
import { clustersIfRead } from './configured-clusters.ts';
import { isOwnAddress, isSameServer } from './connection/configuration-entry.ts';
import { leadsElsewhere } from './leads-elsewhere.ts';
import { kubeconfigFile, type PickedCluster, pickCluster } from './pick-cluster.ts';

interface NamedCluster {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Its name, as messages and pages have it; absent: the context alone decides. */
  readonly cluster?: string | undefined;
  /** File of the configuration, which knows its API server. */
  readonly config: string;
}

/** As `pickCluster`, for a command that changes a cluster, and may name it: copied from a message it must not change
 *  another cluster that happens to be the current one. Without a context, one that leads to its API server is taken; of
 *  a cluster whose address is not known here, as that of a Poolkeeper that runs in it, one of its name. Where nothing
 *  tells, a context that was typed, or the only cluster of the kubeconfig, is believed, and that is said. `settings`:
 *  those of the configuration, if it could be read. Throws Misconfigured for a context that leads, or may lead, to
 *  another cluster. */
export async function pickNamedCluster(
  { cluster, config, ...flags }: NamedCluster,
  surroundings: Pick<Surroundings, 'environment' | 'now' | 'note' | 'folders'>,
): Promise<PickedCluster & { readonly settings: ClusterSettings | undefined }> {
  if (cluster === undefined) return { ...(await pickCluster(flags, surroundings)), settings: undefined };
  const { servers, settings } = await readClusters(config, surroundings);
  const contexts = await listContexts(kubeconfigFile(flags.kubeconfig, surroundings.environment));
  const isRight = isOf(cluster, servers);
  const right = contexts.find(isRight)?.name;
  const picked = await pickCluster({ ...flags, context: flags.context ?? right }, surroundings);
  const { context, server } = picked.kubeconfig;
  const found = { ...picked, settings: settings.find(({ name }) => name === cluster) };
  if (isRight({ name: context, server })) return found;
  const other = servers.find((each) => each.name !== cluster && isSameServer(each.server, server));
  const isOnly = flags.context !== undefined || contexts.every((each) => isSameServer(each.server, server));
  if (right === undefined && other === undefined && isOnly) {
    surroundings.note(`It is not certain that this is cluster ${cluster}: context ${context} leads to ${server}.`);
    return found;
  }
  await picked.connection.close();
  throw new Misconfigured([leadsElsewhere({ context, server, other: other?.name, right }, `cluster ${cluster}`)]);
}

interface NamedServer {
  readonly name: string;
  readonly server: string;
}

/** Whether a context leads to the cluster, as far as its API server or, where that is not known, its name tells. */
function isOf(cluster: string, servers: readonly NamedServer[]): (context: NamedServer) => boolean {
  const own = servers.find(({ name }) => name === cluster)?.server;
  if (own !== undefined && !isOwnAddress(own)) return ({ server }) => isSameServer(server, own);
  return ({ name, server }) =>
    clusterName(name) === cluster &&
    !servers.some((each) => each.name !== cluster && isSameServer(each.server, server));
}

const Servers = z.object({
  clusters: z.array(z.object({ name: z.string(), api: z.object({ server: z.string() }) })),
});

/** Of a file that is not whole here, as one that names files of the pod that it is for, the addresses alone. */
async function readClusters(config: string, surroundings: Pick<Surroundings, 'note' | 'folders'>) {
  const settings = await clustersIfRead(config, surroundings);
  const written = settings ?? Servers.safeParse(yamlOf(await textOf(config))).data?.clusters ?? [];
  return { settings: settings ?? [], servers: written.map(({ name, api: { server } }) => ({ name, server })) };
}

/** Empty: there is none. */
async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
