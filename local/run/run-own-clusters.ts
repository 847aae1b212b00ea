import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { readKubeconfig } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { waitsForCallbacks } from '../../functions/core/node-turns/run-plan.ts';
import { isManaged } from '../../functions/core/openshift/managed-pools.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Runtime } from '../../functions/ports/time.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { product } from '../../functions/shell/product.ts';
import type { Flags } from '../flags.ts';
import { machineClock } from './accelerated-clock.ts';
import { compose } from './compose.ts';
import { connectConfigured } from './connect-configured.ts';
import { guardedPaths, localSecrets } from './defaults.ts';
import { startEmbeddedTable } from './embedded-table.ts';
import { startDeletingExpired } from './expired-rows.ts';
import { lineLogger } from './line-logger.ts';
import { configurationFor } from './own-cluster.ts';
import { serve } from './serve.ts';
import { startTicking } from './ticking.ts';

interface Connected {
  readonly configuration: Configuration;
  readonly connections: ReadonlyMap<string, ClusterConnection>;
}

/** Runs Poolkeeper on this machine for real clusters, from a kubeconfig or a configuration file. The returned function
 *  ends it. Throws Misconfigured for what the caller must fix, Transient if a kubeconfig's cluster does not answer. */
export async function runOwnClusters(flags: Flags, say: (line: string) => void): Promise<() => Promise<void>> {
  const clock = machineClock();
  const secrets = localSecrets(process.env);
  const { configuration, connections } = await connect(flags, secrets, clock.runtime, say);
  const folder = flags.data ?? (await mkdtemp(join(tmpdir(), 'poolkeeper-')));
  const logger = lineLogger(say, () => clock.now());
  const path = flags.data === undefined ? undefined : join(flags.data, 'table');
  const table = await startEmbeddedTable(path, (done) => logger.error(done));
  const stopDeleting = startDeletingExpired(table, clock, logger);
  const keeper = compose({
    configuration,
    connections,
    secrets,
    table,
    clock,
    logger,
    metrics: noMetrics,
    outbox: join(folder, 'outbox'),
    smtpUrl: process.env['POOLKEEPER_SMTP_URL'],
  });
  // Slack signs its requests, and no publicly known secret would do.
  const signed = configuration.alerts.slackButtons === undefined ? [] : ['/slack'];
  // Each group has a token of its own in its paths.
  const locked = configuration.fleetLock === undefined ? [] : ['/fleet-lock/{proxy+}'];
  // Each event has a token of its own.
  const answered = waitsForCallbacks(configuration.nodeTurns) ? ['/callbacks/{proxy+}'] : [];
  const anyHost = [...guardedPaths(process.env), ...signed, ...locked, ...answered];
  const server = await serve(keeper.routes, flags, { anyHost });
  await sayWhatIsKept({ configuration, connections }, say);
  await keeper.takeUp();
  const names = configuration.clusters.map((cluster) => cluster.name);
  const stopTicking = startTicking(names, clock, (event) => keeper.work.send(event));

  say(`\nStatus     ${server.url}/status`);
  say(`GitHub     POST ${server.url}/github   (content type application/json, secret POOLKEEPER_GITHUB_SECRET)`);
  say(
    `Argo CD    POST ${server.url}/argocd   (docs/install/argocd-notifications-cm.yaml, token POOLKEEPER_ARGOCD_TOKEN)`,
  );
  if (signed.length > 0) say(`Slack      POST ${server.url}/slack    (interactivity request URL of the Slack App)`);
  if (locked.length > 0) say(`FleetLock  ${server.url}/fleet-lock/TOKEN/   (base_url of the machines)`);
  if (answered.length > 0) say(`Callbacks  ${server.url}/   (callbackUrl of rules of type http)`);
  say(`Messages   ${server.url}/outbox   (files in ${join(folder, 'outbox')})`);
  say('Without webhooks, syncs are found within five minutes. Ctrl-C ends; holds stay on their pools.\n');
  return async () => {
    stopTicking();
    await server.stop();
    await keeper.stop();
    await Promise.all([...connections.values()].map((connection) => connection.close()));
    await stopDeleting();
    await table.stop();
  };
}

async function connect(
  flags: Flags,
  secrets: Secrets,
  runtime: Runtime,
  say: (line: string) => void,
): Promise<Connected> {
  if (flags.kubeconfig === undefined) {
    const configuration = await readFileConfiguration(flags.config, say);
    return { configuration, connections: connectConfigured(configuration, secrets, runtime) };
  }

  const kubeconfig = await readKubeconfig([flags.kubeconfig], flags.context);
  const connection = connectCluster({ ...kubeconfig, userAgent: product, ...runtime });
  await connection.readVersion();
  if (flags.config === undefined) {
    const configuration = await configurationFor(kubeconfig.context, kubeconfig.server, connection);
    return { configuration, connections: new Map(configuration.clusters.map(({ name }) => [name, connection])) };
  }
  const configuration = await readFileConfiguration(flags.config, say);
  const own = configuration.clusters.find(({ api }) => api.server === kubeconfig.server.replace(/\/+$/, ''));
  if (own === undefined) {
    throw new Misconfigured([
      `${flags.config}: no cluster has the server ${kubeconfig.server} of the kubeconfig's context`,
    ]);
  }
  const others = connectConfigured(configuration, secrets, runtime);
  return { configuration, connections: new Map([...others, [own.name, connection]]) };
}

async function readFileConfiguration(path: string | undefined, say: (line: string) => void): Promise<Configuration> {
  if (path === undefined) throw new Misconfigured(['neither --kubeconfig nor --config was given']);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${path}: cannot be read`], { cause });
  });
  return readConfiguration(text, { source: path, warn: (warning) => say(`warning: ${warning}`) });
}

/** Prints which pools may be paused and which are only watched, before anything is done. */
async function sayWhatIsKept({ configuration, connections }: Connected, say: (line: string) => void): Promise<void> {
  for (const cluster of configuration.clusters) {
    say(`Cluster ${cluster.name}`);
    const pools = await connections.get(cluster.name)?.pools.listPools();
    for (const pool of pools?.items ?? []) {
      say(
        `  pool ${pool.name.padEnd(20)} ${isManaged(cluster, pool) ? 'is managed: paused before a sync, resumed afterwards' : 'is only watched'}`,
      );
    }
  }
  for (const argocd of configuration.argocd) say(`Argo CD ${argocd.name} in ${argocd.namespaces.join(', ')}`);
  if (configuration.argocd.length === 0) say('No Argo CD found: pools are only watched, none is paused.');
}
