import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import type { Wait } from '../../../functions/core/gates/wait.ts';
import { wrapLines } from '../../../functions/core/text/columns.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import type { EvidencePorts } from '../../../functions/keep-pools/resume/evidence-reader.ts';
import { lineLogger } from '../../run/line-logger.ts';
import { configurationFor } from '../../run/own-cluster.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { configurationFile, configurationFileIfAny } from '../configuration-file.ts';
import { isSameServer } from '../connection/configuration-entry.ts';
import { inPlace, type TypedCluster, typedCluster } from '../in-place.ts';
import { inForm, type OutputForm } from '../output.ts';
import { pickCluster } from '../pick-cluster.ts';
import { askWaits } from './ask-waits.ts';
import type { AskedFor } from './chosen.ts';
import { type WhyAnswer, type WhyPool, whyText } from './why-pool.ts';

interface AskedWhy extends Wished {
  readonly url: string | undefined;
  readonly asked: AskedFor;
  readonly output: OutputForm;
}

/** Asks Poolkeeper or looks at the cluster, and prints it. Throws Misconfigured and Transient. */
export async function whyPaused(asked: AskedWhy, surroundings: Surroundings): Promise<ExitStatus> {
  const { url, cluster } = asked;
  const found =
    url === undefined
      ? await lookLive(asked, asked.asked, surroundings)
      : await askWaits(url, { cluster, asked: asked.asked }, surroundings);
  const answer = url === undefined ? placed(found, typedCluster(asked, surroundings)) : found;
  surroundings.out(
    await inForm(asked.output, { data: dataOf(answer), text: () => textOf(answer, asked, surroundings.now()) }),
  );
  if (answer.pools.some(({ paused }) => paused)) return 1;
  return answer.unread.length === 0 ? 0 : 2;
}

/** With commands for the cluster that was looked at. */
function placed({ pools, unread }: WhyAnswer, typed: TypedCluster): WhyAnswer {
  const here = (how: string | undefined) => how && inPlace(how, typed);
  const each = (waits: readonly Wait[]) => waits.map((wait) => ({ ...wait, how: here(wait.how) }));
  return {
    pools: pools.map(({ why, guards, ...pool }) => ({
      ...pool,
      why: { now: each(why.now), afterwards: each(why.afterwards), override: here(why.override) },
      guards: each(guards),
    })),
    unread,
  };
}

function dataOf({ pools, unread }: WhyAnswer) {
  return { v: 1, pools, ...(unread.length === 0 ? {} : { unread }) };
}

function textOf({ pools, unread }: WhyAnswer, { asked, url, cluster }: AskedWhy, now: Date): string {
  const [ofPools, ofGuards] =
    unread.length === 0 ? ['No pool', 'no guard'] : ['No pool that was read', 'no guard that was read'];
  const behind = new Set(pools.flatMap(({ guards }) => guards.map(({ name }) => name)));
  const free = asked.applications
    .filter((name) => !behind.has(name))
    .map(
      (name) => `${name} waits behind ${ofGuards}${url === undefined ? '' : ', if there is such an Application'}.\n`,
    );
  const missing = asked.pools
    .filter((name) => !pools.some(({ pool }) => pool === name))
    .map((name) => `Pool ${name} is not in what was read.\n`);
  const nothing = free.length + missing.length === 0 ? `${ofPools} is paused.\n` : '';
  const unknown = unread.map((each) => `Not known: ${safeLine(each, unreadAtMost)}.\n`);
  const shown = pools.length === 0 ? nothing : whyText(pools, now);
  const isElsewhere = (url ?? cluster) !== undefined && pools.some(hasCommand);
  const place = isElsewhere ? [wrapLines(`${elsewhere}\n`)] : [];
  return [...free, ...missing, shown, ...place, ...unknown.map(wrapLines)].join('');
}

/** It was found by the file or the service, which know of nobody's kubeconfig. */
const elsewhere =
  'A command that says no --cluster acts on the cluster of your current context; --context names another.';

function hasCommand({ why, guards }: WhyPool): boolean {
  return [...why.now, ...why.afterwards, ...guards].some(({ how }) => how !== undefined) || why.override !== undefined;
}

/** Characters of what is said of something unread. */
const unreadAtMost = 600;

interface Wished {
  readonly cluster?: string | undefined;
  readonly config?: string | undefined;
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

function lookLive(wished: Wished, asked: AskedFor, surroundings: Surroundings): Promise<WhyAnswer> {
  const { cluster } = wished;
  if (cluster === undefined) return lookAtContext(wished, asked, surroundings);
  return lookAtConfigured(cluster, wished, asked, surroundings);
}

/** As the service. */
async function lookAtConfigured(
  name: string,
  { config }: Wished,
  asked: AskedFor,
  surroundings: Surroundings,
): Promise<WhyAnswer> {
  const { configuredClusters } = await import('../configured-clusters.ts');
  const clusters = await configuredClusters(await configurationFile(config, surroundings), surroundings);
  try {
    const { configuration } = clusters;
    const settings = clusters.settings(name);
    const ports = await portsOf(configuration, (each) => clusters.connect(each), surroundings);
    const { lookAtWaits } = await import('./look-at-waits.ts');
    return await lookAtWaits({ settings, cluster: await clusters.connect(name), ports }, asked);
  } finally {
    await clusters.close();
  }
}

/** As the person, with what a poolkeeper.yaml says about this cluster. */
async function lookAtContext(wished: Wished, asked: AskedFor, surroundings: Surroundings): Promise<WhyAnswer> {
  const file = await configurationFileIfAny(wished.config, surroundings);
  const { connection, kubeconfig } = await pickCluster(wished, surroundings);
  try {
    // What decides is loaded while the cluster answers.
    const [found, { lookAtWaits }] = await Promise.all([
      configurationFor(kubeconfig.context, kubeconfig.server, connection),
      import('./look-at-waits.ts'),
    ]);
    const configured = file === undefined ? undefined : await settingsFor(kubeconfig.server, file);
    if (configured === undefined) surroundings.note(notConfigured);
    const settings = configured?.settings ?? found.clusters[0];
    if (settings === undefined) throw new Misconfigured(['the context names no cluster']);
    const ports = await portsOf(configured?.configuration ?? found, onlyTo(settings.name, connection), surroundings);
    return await lookAtWaits({ settings, cluster: connection, ports }, asked);
  } finally {
    await connection.close();
  }
}

const notConfigured =
  'No poolkeeper.yaml was found that has this cluster: its windows, waves and other settings are not known here, --config names the file.';

/** The token of a person is good for the cluster of the context alone. */
function onlyTo(cluster: string, connection: ClusterConnection): (name: string) => Promise<ClusterConnection> {
  return async (name) => {
    if (name === cluster) return connection;
    throw new Transient(`it is on ${name}, another cluster: ask with --cluster ${cluster}, or --url`);
  };
}

/** The cluster in the file that has this API server, and all that the file says; undefined: none. */
async function settingsFor(
  server: string,
  file: string,
): Promise<{ readonly settings: ClusterSettings; readonly configuration: Configuration } | undefined> {
  const { readConfigurationFile } = await import('../configured-clusters.ts');
  const configuration = await readConfigurationFile(file);
  const settings = configuration.clusters.find(({ api }) => isSameServer(api.server, server));
  return settings === undefined ? undefined : { settings, configuration };
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
    routes: { load: notHere, last: () => undefined, save: notHere },
    keptCalendars: { load: notHere, save: notHere },
    tickets: { ask: () => Promise.reject(new Transient('only Poolkeeper may ask its ticket; ask with --url')) },
    clock: now,
    logger: lineLogger(note, now),
  };
}

function notHere(): Promise<never> {
  return Promise.reject(new Transient('it is in the table of Poolkeeper; ask with --url'));
}
