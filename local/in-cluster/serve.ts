import { mkdir, readFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDynamoDb } from '../../functions/adapters/aws/dynamo-tables.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { secretToken } from '../../functions/adapters/kubernetes/secret-token.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Logger } from '../../functions/ports/telemetry.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { liveSecret } from '../../functions/shell/live-secret.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { product } from '../../functions/shell/product.ts';
import { type AcceleratedClock, machineClock } from '../run/accelerated-clock.ts';
import { compose } from '../run/compose.ts';
import { connectConfigured } from '../run/connect-configured.ts';
import { type OpenTable, startEmbeddedTable } from '../run/embedded-table.ts';
import { startDeletingExpired } from '../run/expired-rows.ts';
import { type Routes, startLocalServer } from '../run/local-server.ts';
import { startTicking } from '../run/ticking.ts';
import { clusterLease } from './cluster-lease.ts';
import { elect, type Term } from './elect.ts';
import { jsonLogger } from './json-logger.ts';
import { leaseTimes } from './judge-lease.ts';
import { accountSecret, mountedSecrets, namesWithValues } from './mounted-secrets.ts';
import { type OwnAccount, readOwnAccount } from './own-account.ts';
import { guardingSecrets, healthRoutes, networkRoutes, standbyRoutes } from './served-routes.ts';

export interface ServeOptions {
  /** Path of poolkeeper.yaml. */
  readonly config: string;
  readonly store: Store;
  /** Folder of the mounted Secret. */
  readonly secrets: string;
  /** Folder of the pod's account. */
  readonly account: string;
  readonly lease: OwnLease;
  /** For the network; 0: any free one. */
  readonly port: number;
  /** For this machine alone: everything, as `npm start` serves it. */
  readonly localPort: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface OwnLease {
  /** In the namespace of the pod. */
  readonly name: string;
  /** How long others leave it alone after they saw it renewed. */
  readonly seconds: number;
}

/** Where incidents, timeline and deliveries are kept. */
export type Store =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'dynamodb'; readonly table: string };

/** The secret with the server for mail, as `smtp://user:password@host:port`. */
const smtpSecret = 'smtp';

/** Milliseconds for a call about the Lease: two of them fit into the time in which the shortest must be renewed. */
const leaseCallTimeoutMs = 4_000;

/** Runs Poolkeeper in a pod: everything that acts, acts only while this process leads. Ends the process: with 0 after a
 *  SIGTERM or SIGINT, once nothing is being done any more and the Lease is given back; with 1 at once when the Lease is
 *  lost. Throws Misconfigured for what the caller must fix. */
export async function serveInCluster(options: ServeOptions): Promise<never> {
  const logger = jsonLogger((line) => console.log(line), systemRuntime.clock);
  const account = await readOwnAccount(options.account, options.environment);
  const secrets = mountedSecrets({ folder: options.secrets, tokenFile: account.tokenFile });
  const configuration = await readConfigured(options.config, logger);
  const known = await namesWithValues(secrets, [...guardingSecrets, smtpSecret]);

  const stop = stopSignal();
  let routes = standbyRoutes;
  const health = healthRoutes(() => routes !== standbyRoutes && !stop.aborted);
  const server = await startLocalServer(() => ({ ...health, ...routes }), options.port, { everywhere: true });
  logger.info('listening', { url: server.url, lease: options.lease.name, guarded: [...known] });
  try {
    const term = await untilLeading({ account, secrets, lease: options.lease, logger, stop });
    if (term === undefined) return process.exit(0);
    const leader = await startLeader({ ...options, configuration, secrets, known, term, logger });
    routes = networkRoutes(leader.routes, known);
    await aborted(stop);
    logger.info('ending');
    await server.stop();
    await leader.stop();
    await term.release();
    return process.exit(0);
  } catch (error) {
    logger.error('failed', { error });
    return process.exit(1);
  }
}

interface ElectionPlace {
  readonly account: OwnAccount;
  readonly secrets: Secrets;
  readonly lease: OwnLease;
  readonly logger: Logger;
  readonly stop: AbortSignal;
}

/** Undefined: it was asked to end before. */
async function untilLeading({ account, secrets, lease, logger, stop }: ElectionPlace): Promise<Term | undefined> {
  const { clock, sleep } = systemRuntime;
  const { client } = connectCluster({
    ...account,
    ...systemRuntime,
    token: secretToken(secrets, accountSecret),
    userAgent: product,
    callTimeoutMs: leaseCallTimeoutMs,
  });
  const store = clusterLease(client, { namespace: account.namespace, name: lease.name });
  const identity = `${hostname()}_${systemRuntime.newId()}`;
  const monotonic = () => performance.now();
  const term = await elect(
    { lease: store, identity, times: leaseTimes(lease.seconds), clock, monotonic, sleep, logger },
    stop,
  );
  // Nothing more is written, and nothing is tidied up: that would be writing too.
  term?.over.addEventListener('abort', () => process.exit(1));
  // It may have ended before anybody listened.
  if (term?.over.aborted === true) process.exit(1);
  if (term !== undefined) logger.info('leading', { identity });
  return term;
}

interface LeaderOptions extends Pick<ServeOptions, 'store' | 'localPort'> {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  /** The secrets that have a value, of those that nothing names. */
  readonly known: ReadonlySet<string>;
  readonly term: Term;
  readonly logger: Logger;
}

interface Leader {
  readonly routes: Routes;
  /** Resolves once nothing is being done any more. */
  stop(): Promise<void>;
}

/** Everything that acts. Its calls to clusters and services end with the term at the latest. */
async function startLeader(options: LeaderOptions): Promise<Leader> {
  const { configuration, secrets, known, term, logger, localPort } = options;
  const runtime = { ...systemRuntime, deadline: term.deadline(systemRuntime.deadline) };
  const clock = machineClock(runtime);
  const connections: ReadonlyMap<string, ClusterConnection> = connectConfigured(configuration, secrets, runtime);
  const store = await openStore(options.store, clock, logger);
  const keeper = compose({
    configuration,
    connections,
    secrets,
    table: store.table,
    clock,
    logger,
    metrics: noMetrics,
    outbox: store.outbox,
    smtpUrl: known.has(smtpSecret) ? (await secrets.read(smtpSecret))[0] : undefined,
    ...(known.has('status') ? { statusToken: liveSecret({ secrets, secret: 'status', clock: clock.now }) } : {}),
  });
  const local = await startLocalServer(keeper.routes, localPort);
  await keeper.takeUp();
  const names = configuration.clusters.map(({ name }) => name);
  const stopTicking = startTicking(names, clock, (event) => keeper.work.send(event));
  logger.info('serving', { clusters: names, local: local.url });
  return {
    routes: keeper.routes,
    async stop() {
      stopTicking();
      await local.stop();
      await keeper.stop();
      await store.close();
    },
  };
}

async function openStore(
  store: Store,
  clock: AcceleratedClock,
  logger: Logger,
): Promise<{ readonly table: OpenTable; readonly outbox: string; close(): Promise<void> }> {
  if (store.kind === 'dynamodb') {
    const client = openDynamoDb();
    return {
      table: { client, table: store.table },
      outbox: join(tmpdir(), 'poolkeeper-outbox'),
      close: async () => client.destroy(),
    };
  }
  await mkdir(store.folder, { recursive: true });
  const table = await startEmbeddedTable(join(store.folder, 'table'), (done) => logger.error(done));
  const stopDeleting = startDeletingExpired(table, clock, logger);
  return {
    table,
    outbox: join(store.folder, 'outbox'),
    async close() {
      await stopDeleting();
      await table.stop();
    },
  };
}

async function readConfigured(path: string, logger: Logger): Promise<Configuration> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${path}: cannot be read`], { cause });
  });
  return readConfiguration(text, { source: path, warn: (warning) => logger.warn('configuration', { warning }) });
}

/** Aborts when the process is asked to end. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
