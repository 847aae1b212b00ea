import { existsSync } from 'node:fs';
import { listContexts } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { clusterName } from '../run/own-cluster.ts';
import type { Surroundings } from './command.ts';
import { readConfigurationFile } from './configured-clusters.ts';
import { isSameServer } from './connection/configuration-entry.ts';
import { kubeconfigFile, type PickedCluster, pickCluster } from './pick-cluster.ts';
import { pickClusterOf } from './pick-cluster-of.ts';

interface Flags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

interface NamedCluster extends Flags {
  /** Its name, as messages and pages have it; absent: the context alone decides. */
  readonly cluster?: string | undefined;
  /** File of the configuration, which knows its API server. */
  readonly config: string;
}

/** As `pickCluster`, for a command that changes a cluster, and may name it: copied from a message it must not change
 *  another cluster that happens to be the current one. Without a context, one that leads to its API server is taken, or
 *  one of its name. Without the file it goes on where nothing tells which cluster it is, and says so: somebody may have
 *  nothing but a kubeconfig at hand. Throws Misconfigured for a context that leads to another one. */
export async function pickNamedCluster(
  { cluster, config, ...flags }: NamedCluster,
  surroundings: Pick<Surroundings, 'environment' | 'now' | 'note'>,
): Promise<PickedCluster> {
  if (cluster === undefined) return pickCluster(flags, surroundings);
  const clusters = existsSync(config) ? (await readConfigurationFile(config)).clusters : [];
  const own = clusters.find(({ name }) => name === cluster)?.api.server;
  const contexts = await listContexts(kubeconfigFile(flags.kubeconfig, surroundings.environment));
  const isRight = ({ name, server }: (typeof contexts)[number]) =>
    own === undefined ? clusterName(name) === cluster : isSameServer(server, own);
  const wanted = { ...flags, context: flags.context ?? contexts.find(isRight)?.name };
  const { doubt, ...picked } =
    own === undefined
      ? await pickByName(wanted, surroundings)
      : await pickClusterOf({ cluster, clusters }, wanted, surroundings);
  const { context, server } = picked.kubeconfig;
  if (doubt === undefined || isRight({ name: context, server })) return picked;
  if (own === undefined && clusters.length > 0) {
    await picked.connection.close();
    const known = clusters.map(({ name }) => name).join(', ');
    throw new Misconfigured([
      `--cluster ${cluster}: is not in ${config}, which has ${known}; without --cluster, the context decides`,
    ]);
  }
  surroundings.note(`It is not certain that this is cluster ${cluster}: ${doubt}.`);
  return picked;
}

async function pickByName(flags: Flags, surroundings: Pick<Surroundings, 'environment' | 'now'>) {
  const picked = await pickCluster(flags, surroundings);
  const { context, server } = picked.kubeconfig;
  return { ...picked, doubt: `context ${context} leads to ${server}, and there is no poolkeeper.yaml that has it` };
}
