import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { defaultPolicy, type Policy } from '../../../functions/core/configuration/policy.ts';
import { clusterName } from '../../run/own-cluster.ts';
import type { ClusterReader } from '../../snapshot/cluster-reader.ts';
import { refuseSeveralSources } from '../cluster-flags.ts';
import type { Surroundings } from '../command.ts';
import { configurationFile } from '../configuration-file.ts';
import { nameOfServer } from '../configured-servers.ts';
import { pickCluster } from '../pick-cluster.ts';
import { once } from './ask-once.ts';
import { knownOf, liveApplications } from './live-applications.ts';
import { liveChange } from './live-change.ts';

/** Source of an explanation: a live cluster, as the person or as the service, or a recording. */
export interface Source {
  readonly cluster: string;
  readonly policy: Policy;
  /** The current time at the source. */
  readonly now: Date;
  readonly observed: ClusterReader;
  /** The client of a live cluster; undefined: recorded. */
  readonly client: KubeClient | undefined;
  /** Where a context of a kubeconfig leads to; undefined: a cluster of poolkeeper.yaml, or recorded. */
  readonly live: { readonly context: string; readonly server: string } | undefined;
  readonly firstSeen: Readonly<Record<string, string>>;
  readonly waitsForRender: readonly string[];
  /** What this source cannot provide, known after it was asked. */
  readonly gaps: () => readonly string[];
  close(): Promise<void>;
}

export interface SourceRequest {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  /** As it was typed. */
  readonly config?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly 'must-gather'?: string | undefined;
}

/** Throws Misconfigured for more than one source. Must be closed. */
export async function pickSource(wished: SourceRequest, surroundings: Surroundings): Promise<Source> {
  refuseSeveralSources(wished);
  const { snapshot, 'must-gather': folder, cluster } = wished;
  if (snapshot !== undefined) return fromSnapshot(snapshot);
  if (folder !== undefined) return fromMustGather(folder);
  return cluster === undefined ? fromContext(wished, surroundings) : fromConfiguration(cluster, wished, surroundings);
}

const nothingMore = {
  policy: defaultPolicy,
  client: undefined,
  live: undefined,
  firstSeen: {},
  waitsForRender: [],
  gaps: () => [],
  close: async () => {},
};

async function fromSnapshot(file: string): Promise<Source> {
  const [{ readSnapshot }, { readerOfSnapshot }] = await Promise.all([
    import('../../snapshot/snapshot.ts'),
    import('../../snapshot/cluster-reader.ts'),
  ]);
  const snapshot = await readSnapshot(file);
  const { cluster, takenAt, firstSeen, waitsForRender } = snapshot;
  return {
    ...nothingMore,
    cluster,
    now: new Date(takenAt),
    observed: readerOfSnapshot(snapshot),
    firstSeen,
    waitsForRender,
  };
}

async function fromMustGather(folder: string): Promise<Source> {
  const { openMustGather } = await import('../../snapshot/must-gather.ts');
  const { takenAt, observed, gaps } = await openMustGather(folder);
  return { ...nothingMore, cluster: 'must-gather', now: takenAt, observed, gaps };
}

async function fromContext(wished: SourceRequest, surroundings: Surroundings): Promise<Source> {
  const { connection, kubeconfig } = await pickCluster(wished, surroundings);
  // Commands that are printed find it by that name.
  const name = await nameOfServer(kubeconfig.server, wished.config, surroundings);
  const gaps = new Set<string>();
  return {
    ...nothingMore,
    cluster: name ?? clusterName(kubeconfig.context),
    now: surroundings.now(),
    observed: readerOf(connection, gaps),
    gaps: () => [...gaps],
    client: connection.client,
    live: { context: kubeconfig.context, server: kubeconfig.server },
    close: () => connection.close(),
  };
}

/** With the service's token: what the service may not read is not read here either. */
async function fromConfiguration(name: string, { config }: SourceRequest, surroundings: Surroundings): Promise<Source> {
  const { configuredClusters } = await import('../configured-clusters.ts');
  const clusters = await configuredClusters(await configurationFile(config, surroundings), surroundings);
  const { policy } = clusters.settings(name);
  const connection = await clusters.connect(name);
  const gaps = new Set<string>();
  return {
    ...nothingMore,
    cluster: name,
    policy,
    now: surroundings.now(),
    observed: readerOf(connection, gaps),
    gaps: () => [...gaps],
    client: connection.client,
    close: () => clusters.close(),
  };
}

/** The Applications are read once a look, for remedies and for the change.
 *  @param gaps gets what could not be read of them */
function readerOf(connection: ClusterConnection, gaps: Set<string>): ClusterReader {
  const missed = (why: string) =>
    gaps.add(`Applications, so that a remedy may be an edit that Argo CD takes back: ${why}`);
  const applications = once(() => liveApplications(connection.client, missed));
  return {
    pools: connection.pools,
    reader: connection.reader,
    change: liveChange(connection, applications),
    applications: async () => (await applications()).map(knownOf),
    anew: () => readerOf(connection, gaps),
  };
}
