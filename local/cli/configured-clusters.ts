import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { byName } from '../../functions/core/text/by-name.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { product } from '../../functions/shell/product.ts';
import { clusterSecrets } from './cluster-secrets.ts';
import type { Surroundings } from './command.ts';
import { readConfigurationText } from './configuration-file.ts';

/** The clusters of a poolkeeper.yaml, with the tokens of the service: what the service may not read is not read here
 *  either. */
export interface ConfiguredClusters {
  readonly configuration: Configuration;
  /** Throws Misconfigured for an unknown name or a missing token. */
  connect(name: string): Promise<ClusterConnection>;
  settings(name: string): ClusterSettings;
  close(): Promise<void>;
}

/** For what connects to no cluster by it: certificate authorities that only the pod has, whose file it is, are left
 *  out. Throws Misconfigured. */
export async function readConfigurationFile(file: string): Promise<Configuration> {
  return readConfiguration(await readConfigurationText(file), { source: file, unread: () => undefined });
}

/** Undefined: there is no configuration here that can be read. */
export async function clustersIfRead(file: string): Promise<readonly ClusterSettings[] | undefined> {
  try {
    return (await readConfigurationFile(file)).clusters;
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    return undefined;
  }
}

/** Throws Misconfigured. */
export function clusterIn({ clusters }: Configuration, name: string, file: string): ClusterSettings {
  const found = byName(clusters, name);
  if (found !== undefined) return found;
  const known = clusters.map((each) => each.name).join(', ');
  throw new Misconfigured([`--cluster ${name}: is not in ${file}, which has ${known}`]);
}

/** Throws Misconfigured. Must be closed. */
export async function configuredClusters(file: string, surroundings: Surroundings): Promise<ConfiguredClusters> {
  const configuration = readConfiguration(await readConfigurationText(file), { source: file });
  const secrets = clusterSecrets(surroundings);
  const connections = new Map<string, ClusterConnection>();

  const settings = (name: string) => clusterIn(configuration, name, file);

  return {
    configuration,
    settings,
    async connect(name) {
      const known = connections.get(name);
      if (known !== undefined) return known;
      const { api } = settings(name);
      const [token = ''] = await secrets.read(api.tokenSecret);
      const opened = connectCluster({
        ...api,
        token: async () => token.trim(),
        userAgent: product,
        ...systemRuntime,
        clock: surroundings.now,
      });
      connections.set(name, opened);
      return opened;
    },
    async close() {
      await Promise.all([...connections.values()].map((each) => each.close()));
    },
  };
}
