import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { makeTick, type PublishedEvent } from '../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { AlertTarget } from '../../functions/core/configuration/alerts.ts';
import type { ArgoCdSettings, RelaySettings } from '../../functions/core/configuration/argocd.ts';
import type { PoolSettings } from '../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { NodeTurns } from '../../functions/core/configuration/node-turns.ts';
import { defaultPolicy, type Policy } from '../../functions/core/configuration/policy.ts';
import type { Sequences } from '../../functions/core/configuration/sequence.ts';
import type { Window } from '../../functions/core/configuration/window.ts';
import type { NodeRollout } from '../../functions/core/openshift/node-rollout.ts';
import { readRecord } from '../../functions/core/openshift/pool-record.ts';
import type { Race } from '../../functions/core/races/race.ts';
import { acceleratedClock } from '../../local/run/accelerated-clock.ts';
import { compose } from '../../local/run/compose.ts';
import { localSecrets } from '../../local/run/defaults.ts';
import { startEmbeddedTable } from '../../local/run/embedded-table.ts';
import { githubSignature } from '../../local/run/github-signature.ts';
import { startLocalServer } from '../../local/run/local-server.ts';
import { fakeLogger } from '../fakes/index.ts';
import type { Commit, Repository } from './harness/git-server.ts';
import { githubPush } from './harness/github-push.ts';
import type { Lab } from './harness/lab.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';

export const githubSecret = 'lab-github-secret';
const argocdToken = 'lab-argocd-token';
const handshakeToken = 'lab-handshake-token';
/** Name of the Argo CD instance in the configuration and in its notifications' context. */
const instance = 'lab';

export interface ProductOptions {
  readonly policy?: Partial<Policy>;
  readonly pools?: Readonly<Record<string, PoolSettings>>;
  /** When its pools may resume. Default: at any time. */
  readonly windows?: readonly Window[];
  /** Argo CD's notifications controller is told of us, with the configuration that we ship. */
  readonly notifications?: boolean;
  /** Token of the account that Poolkeeper acts as. Default: the administrator's. */
  readonly token?: string;
  /** What stands between it and the cluster. Default: nothing. */
  readonly through?: (connection: ClusterConnection) => ClusterConnection;
  /** Argo CD has its pushes from us. */
  readonly relay?: RelaySettings;
  /** Which Applications may name pools. Default: none. */
  readonly poolsAnnotation?: ArgoCdSettings['poolsAnnotation'];
  /** Orders over steps. Default: none. */
  readonly sequences?: Sequences;
  /** Runs over pools. Default: none. */
  readonly nodeTurns?: NodeTurns;
  /** Clusters besides `lab`, by name; nothing ticks for them. */
  readonly others?: Readonly<Record<string, OtherCluster>>;
  /** Who is told of incidents. Default: nobody. */
  readonly targets?: readonly AlertTarget[];
  /** Values of secrets by the names that targets give them. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Another API server, on which calls end sooner than they would in production. */
export interface OtherCluster {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly callTimeoutMs: number;
}

/** Poolkeeper itself on this laboratory: its functions behind HTTP, its table, its queues; it ends with the test. */
export interface Product {
  readonly url: string;
  readonly told: readonly PublishedEvent[];
  /** Delivers a push to Poolkeeper as GitHub does, signed. Answers the status. */
  push(repository: Repository, commit: Commit): Promise<number>;
  /** A tick of the clock, and what it leads to at once. */
  tick(): Promise<void>;
  /** Ticks every `everyMs`, but not while one is under way, until the test ends or the returned function is called. */
  ticking(everyMs?: number): () => void;
  handshake(application: string, waitSeconds?: number): Promise<{ readonly status: number; readonly body: unknown }>;
  races(pool: string): Promise<readonly Race[]>;
  /** A tick that has ended: the cluster was read and everything told. Or all has ended. */
  look(): Promise<void>;
  /** Time passes for Poolkeeper: its clock is ahead from now on. */
  passTime(seconds: number): void;
  /** Ends it before the test does, so that nothing that it began writes any more. */
  end(): Promise<void>;
  /** Updates of the pool's nodes that ended. */
  updates(pool: string): Promise<readonly NodeRollout[]>;
  /** Waits until an event of this type was told of the pool. */
  untilTold(type: string, pool: string): Promise<PublishedEvent>;
}

/** A tick of which nothing is seen for so long could not read the cluster, milliseconds. */
const unansweredMs = 10_000;

export async function startProduct(lab: Lab, options: ProductOptions = {}): Promise<Product> {
  const told: PublishedEvent[] = [];
  const real = acceleratedClock(1);
  let aheadMs = 0;
  const now = () => new Date(real.now().getTime() + aheadMs);
  const clock = { ...real, now, runtime: { ...real.runtime, clock: now } };
  const table = await startEmbeddedTable();
  const outbox = await mkdtemp(join(tmpdir(), 'poolkeeper-outbox-'));
  const connection = connectLab(lab, options.token);
  const others = Object.entries(options.others ?? {}).map(([name, other]) => [name, connectOther(other)] as const);
  const secrets = localSecrets({
    POOLKEEPER_GITHUB_SECRET: githubSecret,
    POOLKEEPER_ARGOCD_TOKEN: argocdToken,
    POOLKEEPER_HANDSHAKE_TOKEN: handshakeToken,
    ...options.secrets,
  });
  const logger = fakeLogger();
  const keeper = compose({
    configuration: configurationOf(lab, options),
    connections: new Map([['lab', options.through?.(connection) ?? connection], ...others]),
    secrets,
    table,
    clock,
    logger,
    metrics: { count: () => {}, milliseconds: () => {} },
    outbox,
    onPublished: (events) => told.push(...events),
  });
  const server = await startLocalServer(keeper.routes, 0);
  const stops: (() => void)[] = [];
  let ended: Promise<void> | undefined;
  async function endOnce(): Promise<void> {
    for (const stop of stops) stop();
    await server.stop();
    await keeper.stop();
    await connection.close();
    for (const [, other] of others) await other.close();
    await table.stop();
    await rm(outbox, { recursive: true, force: true });
  }
  function end(): Promise<void> {
    ended ??= endOnce();
    return ended;
  }
  onTestFinished(end);
  if (options.notifications === true) await shipNotifications(lab, server.url);

  const tick = () => keeper.work.send(makeTick({ cluster: 'lab', why: 'clock' }, clock.now()));
  /** Not when the cluster was read last: a tick that was overtaken by another pass leaves the time of that one. */
  const tickedAt = async () => (await keeper.ports.checkpoints.load('lab'))?.tickedAt;
  /** A machine that is too busy for one tick after the other would let pushes wait behind all of them. */
  function tickWhenIdle(): () => Promise<void> {
    let sent = { ms: Number.NEGATIVE_INFINITY, tickedAt: undefined as string | undefined };
    return async () => {
      const last = await tickedAt();
      if (sent.tickedAt === last && performance.now() - sent.ms < unansweredMs) return;
      sent = { ms: performance.now(), tickedAt: last };
      await tick();
    };
  }
  return {
    url: server.url,
    told,
    push: (repository, commit) => pushTo(`${server.url}/github`, githubPush(repository, commit)),
    tick,
    ticking(everyMs = 500) {
      const tickAgain = tickWhenIdle();
      const timer = setInterval(() => void tickAgain().catch(() => undefined), everyMs);
      const stop = () => clearInterval(timer);
      stops.push(stop);
      return stop;
    },
    async handshake(name, waitSeconds = 10) {
      const body = JSON.stringify({ argocd: instance, namespace: lab.argocd.namespace, name, waitSeconds });
      const answer = await fetch(`${server.url}/handshake`, {
        method: 'POST',
        headers: { authorization: `Bearer ${handshakeToken}`, 'content-type': 'application/json' },
        body,
      });
      return { status: answer.status, body: await answer.json() };
    },
    async look() {
      const before = await tickedAt();
      await tick();
      await until(
        async () => ended !== undefined || (await tickedAt()) !== before,
        60_000,
        () => `the tick to end; ${warningsOf(logger)}`,
      );
    },
    passTime(seconds) {
      aheadMs += seconds * 1000;
    },
    updates: async (pool) => (await keeper.ports.nodeRollouts.ended({ cluster: 'lab', pool, limit: 100 })).rollouts,
    end,
    races: async (pool) => (await keeper.ports.races.load('lab')).filter((race) => race.pool === pool),
    untilTold: (type, pool) =>
      until(
        () =>
          told.find(
            (event) => event.type === `poolkeeper.${type}.v1` && 'pool' in event.data && event.data.pool === pool,
          ),
        60_000,
        () =>
          `${type} to be told of ${pool}; told were ${told.map(({ type: was }) => was).join(', ')}; ${warningsOf(logger)}`,
      ),
  };
}

/** The last that it warned of, to say why something was waited for in vain. */
function warningsOf({ lines }: ReturnType<typeof fakeLogger>): string {
  const warnings = lines.filter(({ level }) => level === 'warn' || level === 'error').slice(-5);
  return `it warned of ${warnings.length === 0 ? 'nothing' : warnings.map(inWords).join(', ')}`;
}

function inWords({ message, fields }: ReturnType<typeof fakeLogger>['lines'][number]): string {
  const { error, why } = fields;
  return `${message} (${error instanceof Error ? error.message : String(why ?? '')})`;
}

/** What the annotation on the pool says, and whether it is paused, as the API server has it. */
export async function readPool(lab: Lab, name: string) {
  const pool = await lab.kube.get(`${paths.pools}/${name}`);
  const read = readRecord(pool.metadata.annotations?.['poolkeeper.dev/holds']);
  return {
    paused: pool.spec.paused === true,
    record: read.kind === 'record' ? read.record : undefined,
    generation: pool.metadata.generation,
    managedFields: pool.metadata.managedFields ?? [],
    status: pool.status,
  };
}

/** As Poolkeeper reads and writes a cluster. Default: with the administrator's token. */
export function connectLab(lab: Lab, token = lab.controlPlane.token): ClusterConnection {
  return connectCluster({
    ...systemRuntime,
    server: lab.controlPlane.server,
    ca: readFileSync(lab.controlPlane.caFile, 'utf8'),
    token: async () => token,
    userAgent: 'poolkeeper/lab',
    clock: () => new Date(),
  });
}

function connectOther({ server, ca, token, callTimeoutMs }: OtherCluster): ClusterConnection {
  const common = { ...systemRuntime, userAgent: 'poolkeeper/lab', clock: () => new Date() };
  return connectCluster({ ...common, server, ca, token: async () => token, callTimeoutMs });
}

function configurationOf(lab: Lab, options: ProductOptions): Configuration {
  const { policy = {}, pools = {}, windows = [], relay, poolsAnnotation, sequences, nodeTurns, targets = [] } = options;
  const others = Object.entries(options.others ?? {}).map(([name, { server }]) => ({
    name,
    api: { server, ca: undefined, tokenSecret: '', skipTLSVerify: false },
    policy: defaultPolicy,
    pools: {},
    windows: [],
  }));
  return {
    clusters: [
      {
        name: 'lab',
        api: { server: lab.controlPlane.server, ca: undefined, tokenSecret: '', skipTLSVerify: false },
        policy: { ...defaultPolicy, renderSettleSeconds: 2, ...policy },
        pools,
        windows,
      },
      ...others,
    ],
    argocd: [
      {
        name: instance,
        cluster: 'lab',
        namespaces: [lab.argocd.namespace],
        controllerNamespace: lab.argocd.namespace,
        destinations: [],
        ...(relay && { relay }),
        ...(poolsAnnotation && { poolsAnnotation }),
      },
    ],
    alerts: { targets, statusUrl: undefined },
    sequences,
    ...(nodeTurns && { nodeTurns }),
  };
}

/** The file that users apply, with the three things changed that it says to change. */
async function shipNotifications(lab: Lab, url: string): Promise<void> {
  const shipped: { readonly data: Readonly<Record<string, string>> } = parse(
    readFileSync(join(import.meta.dirname, '../../docs/install/argocd-notifications-cm.yaml'), 'utf8'),
  );
  const config = Object.fromEntries(
    Object.entries(shipped.data).map(([key, value]) => [
      key,
      value
        .replace('https://poolkeeper.example.com', url)
        .replace('poolkeeperInstance: openshift-gitops', `poolkeeperInstance: ${instance}`),
    ]),
  );
  await lab.argocd.configureNotifications({ config, secrets: { 'poolkeeper-token': argocdToken } });
  onTestFinished(() => lab.argocd.configureNotifications({ config: {} }));
}

async function pushTo(url: string, body: unknown): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body));
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': githubSignature(bytes, githubSecret),
    },
    body: bytes,
  });
  await answer.arrayBuffer();
  return answer.status;
}
