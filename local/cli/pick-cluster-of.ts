import { listContexts } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Surroundings } from './command.ts';
import { isSameServer } from './connection/configuration-entry.ts';
import { leadsElsewhere } from './leads-elsewhere.ts';
import { kubeconfigFiles, type PickedCluster, pickCluster } from './pick-cluster.ts';

interface Flags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** The cluster of poolkeeper.yaml that keeps what a command is about. */
interface Wanted {
  /** Its name there. */
  readonly cluster: string;
  readonly clusters: readonly ClusterSettings[];
}

/** As `pickCluster`, for what one cluster of poolkeeper.yaml keeps: asked of another cluster, nobody would do it.
 *  `doubt`: why it may be another one all the same, where people reach API servers by other addresses than Poolkeeper
 *  does. Throws Misconfigured for a context that leads elsewhere. */
export async function pickClusterOf(
  wanted: Wanted,
  flags: Flags,
  surroundings: Pick<Surroundings, 'environment' | 'now'>,
): Promise<PickedCluster & { readonly doubt: string | undefined }> {
  const picked = await pickCluster(flags, surroundings);
  const { context, server } = picked.kubeconfig;
  const { cluster, clusters } = wanted;
  const own = clusters.find(({ name }) => name === cluster)?.api.server ?? '';
  if (isSameServer(own, server)) return { ...picked, doubt: undefined };
  const other = clusters.find(({ api }) => isSameServer(api.server, server));
  const contexts = await listContexts(kubeconfigFiles(flags.kubeconfig, surroundings.environment));
  const right = contexts.find((each) => isSameServer(each.server, own));
  if (other === undefined && right === undefined)
    return {
      ...picked,
      doubt: `context ${context} leads to ${server}, and poolkeeper.yaml has cluster ${cluster} at ${own}`,
    };
  await picked.connection.close();
  const seen = { context, server, other: other?.name, right: right?.name };
  throw new Misconfigured([leadsElsewhere(seen, `cluster ${cluster} at ${own}`)]);
}

/** For people: what was asked may be meant for another cluster. Before a run or sequence has begun, it has no record on
 *  its own cluster either. */
export function noRecord(what: string, doubt: string): string {
  return `${what} had no record there: ${doubt}. If these are two clusters, nobody does what is asked there.`;
}

/** For people: what is said by a file that moves a run or sequence, and is not deployed, changes nothing where
 *  Poolkeeper looks. */
export function noRecordYet(what: string, namespace: string): string {
  const where = `Poolkeeper has written no record of ${what} in namespace ${namespace} yet`;
  return `${where}: if this file is not deployed, say it by the one that is, with --config.`;
}
