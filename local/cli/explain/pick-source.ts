import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { defaultPolicy, type Policy } from '../../../functions/core/configuration/policy.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterName } from '../../run/own-cluster.ts';
import { type ClusterReader, readerOfSnapshot } from '../../snapshot/cluster-reader.ts';
import { openMustGather } from '../../snapshot/must-gather.ts';
import { readSnapshot } from '../../snapshot/snapshot.ts';
import type { Surroundings } from '../command.ts';
import { configuredClusters, configuredFlags } from '../configured-clusters.ts';
import { clusterFlags, pickCluster } from '../pick-cluster.ts';
import { knownIn } from './live-applications.ts';
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
  readonly firstSeen: Readonly<Record<string, string>>;
  readonly waitsForRender: readonly string[];
  /** What this source cannot provide, known after it was asked. */
  readonly gaps: () => readonly string[];
  close(): Promise<void>;
}

export const liveFlags = { ...clusterFlags, ...configuredFlags } as const;

export const sourceFlags = {
  ...liveFlags,
  snapshot: { type: 'string' },
  'must-gather': { type: 'string' },
} as const;

export interface SourceRequest {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly config: string;
  readonly snapshot?: string | undefined;
  readonly 'must-gather'?: string | undefined;
}

/** Throws Misconfigured for more than one source. Must be closed. */
export async function pickSource(wished: SourceRequest, surroundings: Surroundings): Promise<Source> {
  const { snapshot, 'must-gather': folder, cluster, context } = wished;
  const named = Object.entries({ snapshot, 'must-gather': folder, cluster, context }).filter(([, value]) => value);
  if (named.length > 1)
    throw new Misconfigured([`${named.map(([flag]) => `--${flag}`).join(' and ')} exclude each other`]);
  if (snapshot !== undefined) return fromSnapshot(snapshot);
  if (folder !== undefined) return fromMustGather(folder);
  return cluster === undefined ? fromContext(wished, surroundings) : fromConfiguration(cluster, wished, surroundings);
}

const nothingMore = {
  policy: defaultPolicy,
  client: undefined,
  firstSeen: {},
  waitsForRender: [],
  gaps: () => [],
  close: async () => {},
};

async function fromSnapshot(file: string): Promise<Source> {
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
  const { takenAt, observed, gaps } = await openMustGather(folder);
  return { ...nothingMore, cluster: 'must-gather', now: takenAt, observed, gaps };
}

async function fromContext(wished: SourceRequest, surroundings: Surroundings): Promise<Source> {
  const { connection, kubeconfig } = await pickCluster(wished, surroundings);
  const { pools, reader, client } = connection;
  return {
    ...nothingMore,
    cluster: clusterName(kubeconfig.context),
    now: surroundings.now(),
    observed: { pools, reader, change: liveChange(connection), applications: () => knownIn(client) },
    client,
    close: () => connection.close(),
  };
}

/** With the service's token: what the service may not read is not read here either. */
async function fromConfiguration(name: string, { config }: SourceRequest, surroundings: Surroundings): Promise<Source> {
  const clusters = await configuredClusters(config, surroundings);
  const { policy } = clusters.settings(name);
  const connection = await clusters.connect(name);
  const { pools, reader, client } = connection;
  return {
    ...nothingMore,
    cluster: name,
    policy,
    now: surroundings.now(),
    observed: { pools, reader, change: liveChange(connection), applications: () => knownIn(client) },
    client,
    close: () => clusters.close(),
  };
}
