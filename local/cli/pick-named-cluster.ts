import { listContexts } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { byName } from '../../functions/core/text/by-name.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { clusterName } from '../run/own-cluster.ts';
import type { Surroundings } from './command.ts';
import { configuredServers, type NamedServer } from './configured-servers.ts';
import { isOwnAddress, isSameServer } from './connection/configuration-entry.ts';
import { leadsElsewhere } from './leads-elsewhere.ts';
import { kubeconfigFiles, type PickedCluster, pickCluster } from './pick-cluster.ts';

interface NamedCluster {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Its name, as messages and pages have it; absent: the context alone decides. */
  readonly cluster?: string | undefined;
  /** File of the configuration, which knows its API server; undefined: there is none. */
  readonly config: string | undefined;
}

/** As `pickCluster`, for a command that changes a cluster, and may name it: copied from a message it must not change
 *  another cluster that happens to be the current one. Without a context, one that leads to its API server is taken; of
 *  a cluster whose address is not known here, as that of a Poolkeeper that runs in it, one of its name. Where nothing
 *  tells, a context that was typed or, without an address, the only cluster of the kubeconfig, is believed, and that is
 *  said. `settings`: those of the configuration, if it could be read. Throws Misconfigured for a context that leads, or
 *  may lead, to another cluster. */
export async function pickNamedCluster(
  { cluster, config, ...flags }: NamedCluster,
  surroundings: Pick<Surroundings, 'environment' | 'now' | 'note'>,
): Promise<PickedCluster & { readonly settings: ClusterSettings | undefined }> {
  if (cluster === undefined) return { ...(await pickCluster(flags, surroundings)), settings: undefined };
  const { servers, settings } = await configuredServers(config);
  const contexts = await listContexts(kubeconfigFiles(flags.kubeconfig, surroundings.environment));
  const known = addressOf(cluster, servers);
  const isRight = isOf(cluster, servers);
  const right = rightContext(contexts.filter(isRight), { cluster, context: flags.context });
  const picked = await pickCluster({ ...flags, context: flags.context ?? right }, surroundings);
  const { context, server } = picked.kubeconfig;
  const found = { ...picked, settings: byName(settings, cluster) };
  if (isRight({ name: context, server })) return found;
  const other = servers.find((each) => each.name !== cluster && isSameServer(each.server, server));
  const isOnly = known === undefined && contexts.every((each) => isSameServer(each.server, server));
  if (right === undefined && other === undefined && (flags.context !== undefined || isOnly)) {
    surroundings.note(`It is not certain that this is cluster ${cluster}: context ${context} leads to ${server}.`);
    return found;
  }
  await picked.connection.close();
  const about = `cluster ${cluster}${known === undefined ? '' : ` at ${known}`}`;
  const why = leadsElsewhere({ context, server, other: other?.name, right }, about);
  // A name that nobody configured is often that of a context, for a cluster that has another one here.
  const isMeant = right === undefined && !servers.some(({ name }) => name === cluster);
  const another = other !== undefined && isMeant ? `, --cluster ${other.name} this one` : '';
  throw new Misconfigured([`${why}${another}`]);
}

/** Names of contexts are shortened to those of clusters: several may read alike. Throws Misconfigured where they lead
 *  to several clusters and none was chosen. */
function rightContext(
  right: readonly NamedServer[],
  { cluster, context }: { readonly cluster: string; readonly context: string | undefined },
): string | undefined {
  const [first] = right;
  if (context !== undefined || right.every(({ server }) => isSameServer(server, first?.server ?? '')))
    return first?.name;
  const names = listed(right.map(({ name }) => name));
  throw new Misconfigured([`contexts ${names} lead to several clusters that may be ${cluster}; --context names one`]);
}

/** Where people reach it; undefined: that is not known, as of a Poolkeeper that runs in it. */
function addressOf(cluster: string, servers: readonly NamedServer[]): string | undefined {
  const server = byName(servers, cluster)?.server;
  return server === undefined || isOwnAddress(server) ? undefined : server;
}

/** Whether a context leads to the cluster, as far as its API server or, where that is not known, its name tells. */
function isOf(cluster: string, servers: readonly NamedServer[]): (context: NamedServer) => boolean {
  const own = addressOf(cluster, servers);
  if (own !== undefined) return ({ server }) => isSameServer(server, own);
  return ({ name, server }) =>
    clusterName(name) === cluster &&
    !servers.some((each) => each.name !== cluster && isSameServer(each.server, server));
}
