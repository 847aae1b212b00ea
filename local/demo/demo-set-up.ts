import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import type { RelaySettings } from '../../functions/core/configuration/argocd.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import type { Sequences } from '../../functions/core/configuration/sequence.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { product } from '../../functions/shell/product.ts';
import type { Flags } from '../flags.ts';
import { startGithubApi } from '../github/github-api.ts';
import { type OpenShift, startOpenShift } from '../openshift/index.ts';
import { buildReferenceWorld, type ReferenceWorld } from '../openshift/reference-world.ts';
import { buildStorageWorld, type StorageWorld } from '../openshift/storage-world.ts';
import { type AcceleratedClock, acceleratedClock } from '../run/accelerated-clock.ts';
import { compose, type LocalPoolkeeper } from '../run/compose.ts';
import { localSecrets } from '../run/defaults.ts';
import { startEmbeddedTable } from '../run/embedded-table.ts';
import { fileWriter, lineLogger } from '../run/line-logger.ts';
import type { LocalServer } from '../run/local-server.ts';
import { serve } from '../run/serve.ts';
import { startTicking } from '../run/ticking.ts';
import { type Deliveries, deliveriesTo } from './deliveries.ts';

export const cluster = 'demo';

/** Where the repositories of the demo seem to be. Their files are read from this machine. */
const gitOrigin = 'https://github.com';
const githubToken = 'demo-github';

/** Everything that the demo runs on: the simulated world, Poolkeeper, and the webhooks between them. */
export interface Demo {
  readonly clock: AcceleratedClock;
  readonly world: ReferenceWorld;
  readonly storage: StorageWorld;
  readonly keeper: LocalPoolkeeper;
  readonly connection: ClusterConnection;
  readonly server: LocalServer;
  readonly deliveries: Deliveries;
  /** Secrets that the webhooks accept. */
  readonly secrets: { readonly github: string; readonly argocd: string };
  /** Events published so far, oldest first. */
  readonly published: PublishedEvent[];
  /** Operations that Argo CD has announced so far. */
  readonly announced: string[];
  readonly outbox: string;
  readonly log: string;
  stop(): Promise<void>;
}

export interface DemoOptions {
  /** Argo CD gets its pushes from Poolkeeper and not from GitHub. */
  readonly relay?: RelaySettings | undefined;
  readonly sequences?: Sequences | undefined;
}

export async function setUpDemo(flags: Flags, options: DemoOptions = {}): Promise<Demo> {
  const clock = acceleratedClock(flags.speed);
  const openshift = await startCluster(clock);
  const world = buildReferenceWorld(openshift);
  const storage = buildStorageWorld(openshift);
  const { table, outbox, log } = await prepareStorage(flags.data);
  const connection = connectTo(openshift, clock);
  const github = await startGithubApi({ host: openshift.git, origin: gitOrigin });
  const secretStore = withDemoToken(localSecrets(process.env));
  const published: PublishedEvent[] = [];
  const keeper = compose({
    configuration: demoConfiguration(openshift.url, github.api, options),
    connections: new Map([[cluster, connection]]),
    secrets: secretStore,
    table,
    clock,
    logger: lineLogger(fileWriter(log), () => clock.now()),
    metrics: noMetrics,
    outbox,
    onPublished: (events) => published.push(...events),
  });
  const server = await serve(keeper.routes, flags);
  const secrets = { github: await firstOf(secretStore, 'github'), argocd: await firstOf(secretStore, 'argocd') };
  const deliveries = deliveriesTo(server.url, secrets);
  const announced = deliverOperations(openshift, deliveries);
  const stopTicking = startTicking([cluster], clock, (event) => keeper.work.send(event));

  async function stop(): Promise<void> {
    stopTicking();
    await openshift.stop();
    await github.close();
    await server.stop();
    await keeper.stop();
    await connection.close();
    await table.stop();
  }

  const seen = { published, announced, outbox, log };
  return { clock, world, storage, keeper, connection, server, deliveries, secrets, ...seen, stop };
}

function startCluster(clock: AcceleratedClock): Promise<OpenShift> {
  return startOpenShift({
    // The clock is fast, so the cluster need not be: all delays keep their real values.
    clock,
    gitOrigin,
    // Forty times slower than the measured small application, like one with thousands of objects. At twenty times the
    // speed, the measured half second would be 22 ms: over before a busy machine has read the push.
    argocd: { speed: 0.025 },
  });
}

/** `data`: folder of table and outbox; undefined: in memory and in a temporary folder. */
async function prepareStorage(data: string | undefined) {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'poolkeeper-')));
  await mkdir(folder, { recursive: true });
  const table = await startEmbeddedTable(data === undefined ? undefined : join(folder, 'table'));
  return { table, outbox: join(folder, 'outbox'), log: join(folder, 'poolkeeper.log') };
}

function connectTo({ url, token }: OpenShift, clock: AcceleratedClock): ClusterConnection {
  return connectCluster({
    server: url,
    ca: undefined,
    token: async () => token,
    skipTLSVerify: true,
    userAgent: product,
    ...clock.runtime,
  });
}

async function firstOf(secrets: Secrets, name: string): Promise<string> {
  const [first = ''] = await secrets.read(name);
  return first;
}

/** Sends Argo CD's notifications to Poolkeeper; the returned ids grow with each. */
function deliverOperations({ argocd }: OpenShift, deliveries: Deliveries): string[] {
  const announced: string[] = [];
  argocd.onOperation(async (event) => {
    announced.push(event.id);
    const answer = await deliveries.operation(event);
    if (answer.status !== 202) throw new Error(`/argocd answered ${answer.status}`);
  });
  return announced;
}

/** The simulated Git host requires a token and accepts any. */
function withDemoToken(secrets: Secrets): Secrets {
  return { read: async (name, options) => (name === githubToken ? [githubToken] : secrets.read(name, options)) };
}

/** The defaults for one cluster and its Argo CD, with messages to the outbox. */
function demoConfiguration(server: string, api: string, { relay, sequences }: DemoOptions): Configuration {
  return {
    clusters: [
      {
        name: cluster,
        api: { server, ca: undefined, tokenSecret: '', skipTLSVerify: true },
        policy: defaultPolicy,
        pools: {},
      },
    ],
    argocd: [
      {
        name: 'openshift-gitops',
        cluster,
        namespaces: ['openshift-gitops'],
        controllerNamespace: 'openshift-gitops',
        destinations: [],
        ...(relay && { relay }),
      },
    ],
    alerts: {
      targets: [{ kind: 'outbox', name: 'outbox', filter: { clusters: [], pools: [], severities: [], causes: [] } }],
      statusUrl: undefined,
    },
    ...(sequences && { sequences }),
    github: { api, tokenSecret: githubToken, readsChanges: true, hooks: [] },
  };
}
