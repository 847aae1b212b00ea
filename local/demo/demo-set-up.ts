import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublishedEvent } from '../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import type { RelaySettings } from '../../functions/core/configuration/argocd.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { product } from '../../functions/shell/product.ts';
import type { Flags } from '../flags.ts';
import { startGithubApi } from '../github/github-api.ts';
import { startOpenShift } from '../openshift/index.ts';
import { buildReferenceWorld, type ReferenceWorld } from '../openshift/reference-world.ts';
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

/** `relay`: Argo CD gets its pushes from Poolkeeper and not from GitHub. */
export async function setUpDemo(flags: Flags, relay?: RelaySettings): Promise<Demo> {
  const clock = acceleratedClock(flags.speed);
  // The clock is fast, so the cluster need not be: all delays keep their real values.
  const openshift = await startOpenShift({
    clock,
    gitOrigin,
    // Forty times as slow as the small application that was measured, as one of thousands of objects is: at twenty
    // times the speed its half second would be 22 ms, over before a push is read when this machine is busy with
    // something else.
    argocd: { speed: 0.025 },
  });
  const world = buildReferenceWorld(openshift);
  const folder = flags.data ?? (await mkdtemp(join(tmpdir(), 'poolkeeper-')));
  await mkdir(folder, { recursive: true });
  const table = await startEmbeddedTable(flags.data === undefined ? undefined : join(folder, 'table'));
  const connection = connectCluster({
    server: openshift.url,
    ca: undefined,
    token: async () => openshift.token,
    skipTLSVerify: true,
    userAgent: product,
    ...clock.runtime,
  });
  const [outbox, log] = [join(folder, 'outbox'), join(folder, 'poolkeeper.log')];
  const github = await startGithubApi({ host: openshift.git, origin: gitOrigin });
  const secretStore = withDemoToken(localSecrets(process.env));
  const published: PublishedEvent[] = [];
  const keeper = compose({
    configuration: demoConfiguration(openshift.url, github.api, relay),
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
  const [signature = ''] = await secretStore.read('github');
  const [argocd = ''] = await secretStore.read('argocd');
  const deliveries = deliveriesTo(server.url, { github: signature, argocd });
  const announced: string[] = [];
  openshift.argocd.onOperation(async (event) => {
    announced.push(event.id);
    const answer = await deliveries.operation(event);
    if (answer.status !== 202) throw new Error(`/argocd answered ${answer.status}`);
  });
  const stopTicking = startTicking([cluster], clock, (event) => keeper.work.send(event));

  return {
    clock,
    world,
    keeper,
    connection,
    server,
    deliveries,
    secrets: { github: signature, argocd },
    published,
    announced,
    outbox,
    log,
    async stop() {
      stopTicking();
      await openshift.stop();
      await github.close();
      await server.stop();
      await keeper.stop();
      await connection.close();
      await table.stop();
    },
  };
}

/** The simulated Git host requires a token and accepts any. */
function withDemoToken(secrets: Secrets): Secrets {
  return { read: async (name, options) => (name === githubToken ? [githubToken] : secrets.read(name, options)) };
}

/** The defaults for one cluster and its Argo CD, with messages to the outbox. */
function demoConfiguration(server: string, api: string, relay: RelaySettings | undefined): Configuration {
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
    github: { api, tokenSecret: githubToken, readsChanges: true, hooks: [] },
  };
}
