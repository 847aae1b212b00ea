import { access } from 'node:fs/promises';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import type { EvidencePorts } from '../../../functions/keep-pools/resume/evidence-reader.ts';
import { lineLogger } from '../../run/line-logger.ts';
import { configurationFor } from '../../run/own-cluster.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { pickCluster } from '../pick-cluster.ts';
import { askWaits } from './ask-waits.ts';
import { type WhyPool, whyText } from './why-pool.ts';

interface AskedWhy extends Wished {
  readonly url: string | undefined;
  readonly pools: readonly string[];
  readonly output: 'text' | 'json';
}

/** Asks Poolkeeper or looks at the cluster, and prints it. Throws Misconfigured and Transient. */
export async function whyPaused(asked: AskedWhy, surroundings: Surroundings): Promise<ExitStatus> {
  const { url, cluster, pools: names, output } = asked;
  const pools =
    url === undefined
      ? await lookLive(asked, names, surroundings)
      : await askWaits(url, { cluster, pools: names }, surroundings);
  surroundings.out(inForm(pools, output, surroundings.now()));
  return pools.some(({ paused }) => paused) ? 1 : 0;
}

function inForm(pools: readonly WhyPool[], output: 'text' | 'json', now: Date): string {
  if (output === 'json') return `${JSON.stringify({ v: 1, pools }, undefined, 2)}\n`;
  return pools.length === 0 ? 'No pool is paused.\n' : whyText(pools, now);
}

interface Wished {
  readonly cluster?: string | undefined;
  readonly config?: string | undefined;
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

function lookLive(wished: Wished, pools: readonly string[], surroundings: Surroundings): Promise<readonly WhyPool[]> {
  const { cluster } = wished;
  if (cluster === undefined) return lookAtContext(wished, pools, surroundings);
  return lookAtConfigured(cluster, wished, pools, surroundings);
}

/** As the service. */
async function lookAtConfigured(
  name: string,
  { config = usualFile }: Wished,
  pools: readonly string[],
  surroundings: Surroundings,
): Promise<readonly WhyPool[]> {
  const { configuredClusters } = await import('../configured-clusters.ts');
  const clusters = await configuredClusters(config, surroundings);
  try {
    const { configuration } = clusters;
    const settings = clusters.settings(name);
    const ports = await portsOf(configuration, (each) => clusters.connect(each), surroundings);
    const { lookAtWaits } = await import('./look-at-waits.ts');
    return await lookAtWaits({ settings, cluster: await clusters.connect(name), ports }, pools);
  } finally {
    await clusters.close();
  }
}

const usualFile = 'poolkeeper.yaml';

/** As the person, with what a poolkeeper.yaml says about this cluster. */
async function lookAtContext(
  wished: Wished,
  pools: readonly string[],
  surroundings: Surroundings,
): Promise<readonly WhyPool[]> {
  const { connection, kubeconfig } = await pickCluster(wished, surroundings);
  try {
    // What decides is loaded while the cluster answers.
    const [found, { lookAtWaits }] = await Promise.all([
      configurationFor(kubeconfig.context, kubeconfig.server, connection),
      import('./look-at-waits.ts'),
    ]);
    const configured = await settingsFor(kubeconfig.server, wished, surroundings);
    if (configured === undefined)
      surroundings.note(
        'No poolkeeper.yaml was found that has this cluster: its windows, waves and other settings are not known here, --config names the file.',
      );
    const settings = configured?.settings ?? found.clusters[0];
    if (settings === undefined) throw new Misconfigured(['the context names no cluster']);
    const argocd = configured?.argocd ?? found.argocd;
    const ports = await portsOf({ ...found, argocd }, async () => connection, surroundings);
    return await lookAtWaits({ settings, cluster: connection, ports }, pools);
  } finally {
    await connection.close();
  }
}

/** The cluster in the file that has this API server, and the Argo CD instances that run on it; undefined: none. */
async function settingsFor(
  server: string,
  { config }: Wished,
  surroundings: Surroundings,
): Promise<{ readonly settings: ClusterSettings; readonly argocd: readonly ArgoCdSettings[] } | undefined> {
  if (config === undefined && !(await exists(usualFile))) return undefined;
  const { configuredClusters } = await import('../configured-clusters.ts');
  const { configuration } = await configuredClusters(config ?? usualFile, surroundings);
  const isThis = ({ api }: ClusterSettings) => URL.parse(api.server)?.host === URL.parse(server)?.host;
  const settings = configuration.clusters.find(isThis);
  if (settings === undefined) return undefined;
  return { settings, argocd: configuration.argocd.filter(({ cluster }) => cluster === settings.name) };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Reads clusters and no table. Expressions in CEL are those of sequences: without one, what evaluates them is not
 *  loaded. */
async function portsOf(
  configuration: Configuration,
  connect: (cluster: string) => Promise<ClusterConnection>,
  { note, now }: Surroundings,
): Promise<EvidencePorts> {
  const cel =
    configuration.sequences === undefined ? undefined : await import('../../../functions/adapters/cel/evaluate-cel.ts');
  return {
    configuration,
    cluster: connect,
    evaluateCel: cel?.evaluateCel,
    argocd: async (name) => {
      const settings = configuration.argocd.find((each) => each.name === name);
      if (settings === undefined) throw new Misconfigured([`Argo CD instance ${name} is not configured`]);
      return (await connect(settings.cluster)).argocd(settings);
    },
    approvals: { list: notHere, save: notHere },
    budgetPlaces: { load: notHere, save: notHere },
    nodeRollouts: { load: notHere, save: notHere, keep: notHere, ended: notHere },
    routes: { load: async () => undefined, last: () => undefined, save: notHere },
    keptCalendars: { load: notHere, save: notHere },
    tickets: { ask: () => Promise.reject(new Transient('only Poolkeeper may ask its ticket; ask with --url')) },
    clock: now,
    logger: lineLogger(note, now),
  };
}

function notHere(): Promise<never> {
  return Promise.reject(new Transient('it is in the table of Poolkeeper; ask with --url'));
}
