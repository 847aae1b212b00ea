import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { clustersServedBy } from '../../../functions/core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { parseFiles } from '../../../functions/core/routing/manifest-file.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterName } from '../../run/own-cluster.ts';
import type { Surroundings } from '../command.ts';
import { configurationFile } from '../configuration-file.ts';
import { configuredClusters } from '../configured-clusters.ts';
import { pickCluster } from '../pick-cluster.ts';
import { writePrivate } from '../write-private.ts';
import { askPaces } from './ask-paces.ts';
import type { ClusterSource, ImpactRequest } from './impact-request.ts';
import { everythingIn } from './judge.ts';
import { readApplications, readObjects } from './read-objects.ts';
import { type RecordedCluster, recordedCluster } from './recorded-cluster.ts';
import { readRecording, recordingText } from './recording.ts';
import { usualCluster } from './usual-pools.ts';

/** The cluster for which the impact is predicted; recorded if requested. Throws Misconfigured and Transient. */
export async function look(
  { cluster, record, status }: Pick<ImpactRequest, 'cluster' | 'record' | 'status'>,
  files: FilesRead | undefined,
  surroundings: Surroundings,
): Promise<RecordedCluster> {
  const { note, now } = surroundings;
  if (cluster.kind === 'none') {
    note('No cluster was read: these are the pools that every cluster has; nodes are unknown.');
    const { files: changed, ...rest } = files ?? { files: [], tools: [], incomplete: undefined };
    return usualCluster(everythingIn({ ...rest, files: parseFiles(changed, manifestReader()) }));
  }
  const { name, objects, argocd, settings, recorded } = await read(cluster, surroundings);
  if (record !== undefined) {
    await writePrivate(record, recordingText(name, objects, now()));
    note(`Recorded ${objects.length} objects of ${name} in ${record}.`);
  }
  const seen = recordedCluster(name, objects, argocd);
  const paces = status === undefined ? undefined : await askPaces(status, name, surroundings);
  return { ...seen, settings, paces, recorded };
}

interface Objects {
  /** Name of the cluster, for people. */
  readonly name: string;
  readonly objects: readonly unknown[];
  /** The instances that its Applications belong to; undefined: no configuration was read. */
  readonly argocd?: readonly ArgoCdSettings[] | undefined;
  /** What poolkeeper.yaml says about it; undefined: no configuration was read. */
  readonly settings?: ClusterSettings | undefined;
  /** Absent: just read. */
  readonly recorded?: RecordedCluster['recorded'];
}

type SomeCluster = Exclude<ClusterSource, { kind: 'none' }>;

function read(cluster: SomeCluster, surroundings: Surroundings): Promise<Objects> {
  switch (cluster.kind) {
    case 'snapshot':
      return readSnapshot(cluster.file);
    case 'live':
      return readAsOneself(cluster, surroundings);
    case 'configured':
      return readAsService(cluster, surroundings);
    default:
      return cluster satisfies never;
  }
}

async function readSnapshot(file: string): Promise<Objects> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`--snapshot ${file}: cannot be read`], { cause });
  });
  const { objects, recordedAt: at } = readRecording(text, file);
  return { name: basename(file).replace(/\.json$/, ''), objects, recorded: { at } };
}

async function readAsOneself(
  wish: Extract<ClusterSource, { kind: 'live' }>,
  surroundings: Surroundings,
): Promise<Objects> {
  const { connection, kubeconfig } = await pickCluster(wish, surroundings);
  try {
    return { name: clusterName(kubeconfig.context), objects: await readObjects(connection.client) };
  } finally {
    await connection.close();
  }
}

/** The Applications are those that deploy to this cluster, wherever their Argo CD runs. */
async function readAsService(
  { name, config }: Extract<ClusterSource, { kind: 'configured' }>,
  surroundings: Surroundings,
): Promise<Objects> {
  const clusters = await configuredClusters(await configurationFile(config, surroundings), surroundings);
  try {
    const { client } = await clusters.connect(name);
    const serving = clusters.configuration.argocd.filter((each) => clustersServedBy(each).includes(name));
    const applications = async () => {
      const perInstance = serving.map(async (argocd) =>
        readApplications((await clusters.connect(argocd.cluster)).client, argocd, name),
      );
      return (await Promise.all(perInstance)).flat();
    };
    const settings = clusters.settings(name);
    return { name, objects: await readObjects(client, applications), argocd: serving, settings };
  } finally {
    await clusters.close();
  }
}
