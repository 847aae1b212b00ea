import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import type { RelaySettings } from '../../functions/core/configuration/argocd.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { NodeTurns } from '../../functions/core/configuration/node-turns.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import type { Sequences } from '../../functions/core/configuration/sequence.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { product } from '../../functions/shell/product.ts';
import { gitRoutes } from '../git-server/git-routes.ts';
import { startGithubApi } from '../github/github-api.ts';
import type { RetryStrategy } from '../openshift/argocd/application.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { type OpenShift, startOpenShift } from '../openshift/index.ts';
import { buildReferenceWorld, type ReferenceWorld } from '../openshift/reference-world.ts';
import { buildStorageWorld, type StorageWorld } from '../openshift/storage-world.ts';
import { type AcceleratedClock, acceleratedClock } from '../run/accelerated-clock.ts';
import { arrivingBodies } from '../run/arriving-bodies.ts';
import { compose, type LocalPoolkeeper } from '../run/compose.ts';
import { localSecrets } from '../run/defaults.ts';
import { startEmbeddedTable } from '../run/embedded-table.ts';
import { fileWriter, lineLogger } from '../run/line-logger.ts';
import type { LocalServer } from '../run/local-server.ts';
import { type ChosenPort, serve } from '../run/serve.ts';
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
  /** Its repository can be cloned and pushed to: this machine has a Git. */
  readonly hasGit: boolean;
  /** Secrets that the webhooks accept. */
  readonly secrets: { readonly github: string; readonly argocd: string };
  /** Events published so far, oldest first. */
  readonly published: PublishedEvent[];
  /** Operations that Argo CD has announced so far. */
  readonly announced: string[];
  readonly outbox: string;
  readonly log: string;
  /** Called with what is awaited, at each look for it. */
  readonly whileWaiting: ((what: string) => void)[];
  /** Cuts the cluster off: Poolkeeper reaches nothing of it, and no notification of Argo CD arrives. The returned
   *  function ends that. */
  cutOff(): () => void;
  stop(): Promise<void>;
}

export interface DemoOptions {
  /** Argo CD gets its pushes from Poolkeeper and not from GitHub. */
  readonly relay?: RelaySettings | undefined;
  readonly sequences?: Sequences | undefined;
  readonly nodeTurns?: NodeTurns;
  /** How fast Argo CD syncs, as a part of what was measured with a small application. Default: forty times slower, like
   *  one with thousands of objects, and on faster clocks so slow that a sync takes half a second of real time: it must
   *  not be over before a busy machine has read the push. */
  readonly argocdSpeed?: number;
  /** How often Argo CD tries a failed sync again; default: as often as Argo CD does. */
  readonly retry?: RetryStrategy;
}

/** What Git may push to the demo at once. */
const pushAtMostBytes = 64 * 1024 * 1024;

interface Wanted extends ChosenPort {
  /** Folder of the table and the outbox; undefined: in memory and in a temporary folder. */
  readonly data: string | undefined;
  /** How many times faster than real time the simulated cluster runs. */
  readonly speed: number;
}

export async function setUpDemo(flags: Wanted, options: DemoOptions = {}): Promise<Demo> {
  const clock = acceleratedClock(flags.speed);
  const openshift = await startCluster(clock, options);
  const world = buildReferenceWorld(openshift, options.retry && { retry: options.retry });
  const storage = buildStorageWorld(openshift);
  const { table, outbox, log } = await prepareStorage(flags.data);
  const connection = connectTo(openshift, clock);
  const github = await startGithubApi({ host: openshift.git, origin: gitOrigin });
  const secretStore = withDemoToken(localSecrets(process.env));
  const published: PublishedEvent[] = [];
  const keeper = compose({
    configuration: demoConfiguration(openshift, github.api, { ...options, speed: flags.speed }),
    connections: new Map([[cluster, connection]]),
    secrets: secretStore,
    table,
    clock,
    logger: lineLogger(fileWriter(log), () => clock.now()),
    metrics: noMetrics,
    outbox,
    onPublished: (events) => published.push(...events),
  });
  const git = await gitRoutes({
    host: openshift.git,
    origin: gitOrigin,
    folder: join(dirname(log), 'git'),
    onReceived: async (push) => {
      const payload = pushPayload(push);
      await deliveries.push(payload);
      openshift.argocd.receivePush(payload);
    },
  });
  const server = await serve({ ...keeper.routes, ...git }, flags, {
    bodies: arrivingBodies({ keptAtMostBytes: pushAtMostBytes }),
  });
  const secrets = { github: await firstOf(secretStore, 'github'), argocd: await firstOf(secretStore, 'argocd') };
  const deliveries = deliveriesTo(server.url, secrets);
  const network = { isDown: false };
  const announced = deliverOperations(openshift, deliveries, network);
  const stopTicking = startTicking([cluster], clock, (event) => keeper.work.send(event));

  function cutOff(): () => void {
    network.isDown = true;
    openshift.faults.inject({ fault: { kind: 'status', code: 503 }, matches: () => true });
    return () => {
      network.isDown = false;
      openshift.faults.clear();
    };
  }

  async function stop(): Promise<void> {
    stopTicking();
    await openshift.stop();
    await github.close();
    await server.stop();
    await keeper.stop();
    await connection.close();
    await table.stop();
  }

  const hasGit = Object.keys(git).length > 0;
  const seen = { published, announced, outbox, log, whileWaiting: [] };
  return { clock, world, storage, keeper, connection, server, deliveries, hasGit, secrets, ...seen, cutOff, stop };
}

function startCluster(
  clock: AcceleratedClock,
  { argocdSpeed = Math.min(0.025, 1 / clock.speed) }: DemoOptions,
): Promise<OpenShift> {
  return startOpenShift({
    // The clock is fast, so the cluster need not be: all delays keep their real values.
    clock,
    gitOrigin,
    name: cluster,
    secure: true,
    argocd: { speed: argocdSpeed },
  });
}

/** `data`: folder of table and outbox; undefined: in memory and in a temporary folder. */
async function prepareStorage(data: string | undefined) {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'poolkeeper-')));
  await mkdir(folder, { recursive: true });
  const table = await startEmbeddedTable(data === undefined ? undefined : join(folder, 'table'));
  return { table, outbox: join(folder, 'outbox'), log: join(folder, 'poolkeeper.log') };
}

function connectTo({ url, ca, token }: OpenShift, clock: AcceleratedClock): ClusterConnection {
  return connectCluster({
    server: url,
    ca,
    token: async () => token,
    skipTLSVerify: false,
    userAgent: product,
    ...clock.runtime,
  });
}

async function firstOf(secrets: Secrets, name: string): Promise<string> {
  const [first = ''] = await secrets.read(name);
  return first;
}

/** Sends Argo CD's notifications to Poolkeeper; the returned ids grow with each. */
function deliverOperations(
  { argocd }: OpenShift,
  deliveries: Deliveries,
  network: { readonly isDown: boolean },
): string[] {
  const announced: string[] = [];
  argocd.onOperation(async (event) => {
    announced.push(event.id);
    if (network.isDown) throw new Error('the network is down');
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
function demoConfiguration(
  { url, ca }: Pick<OpenShift, 'url' | 'ca'>,
  api: string,
  { relay, sequences, nodeTurns, speed }: DemoOptions & Pick<Wanted, 'speed'>,
): Configuration {
  // What is read from the Git host are real requests, so that their limit is one of real time.
  const readChangeWithinSeconds = defaultPolicy.readChangeWithinSeconds * speed;
  return {
    clusters: [
      {
        name: cluster,
        api: { server: url, ca, tokenSecret: '', skipTLSVerify: false },
        policy: { ...defaultPolicy, readChangeWithinSeconds },
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
    ...(nodeTurns && { nodeTurns }),
    github: { api, tokenSecret: githubToken, readsChanges: true, hooks: [] },
  };
}
