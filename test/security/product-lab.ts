import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SMTPServer } from 'smtp-server';
import type { PublishedEvent } from '../../events/index.ts';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import type { Logger } from '../../functions/ports/telemetry.ts';
import { openTelemetry } from '../../functions/shell/telemetry.ts';
import { type Deliveries, deliveriesTo } from '../../local/demo/deliveries.ts';
import { type GithubApi, startGithubApi } from '../../local/github/github-api.ts';
import { type OpenShift, startOpenShift } from '../../local/openshift/index.ts';
import { type AcceleratedClock, acceleratedClock } from '../../local/run/accelerated-clock.ts';
import { compose, type LocalPoolkeeper } from '../../local/run/compose.ts';
import { startEmbeddedTable } from '../../local/run/embedded-table.ts';
import { lineLogger } from '../../local/run/line-logger.ts';
import { type LocalServer, startLocalServer } from '../../local/run/local-server.ts';
import { startTicking } from '../../local/run/ticking.ts';
import { type SlackServer, startSlack } from '../fakes/slack-server.ts';
import { type Machines, startMachines } from './machines.ts';
import { startRenamingProxy } from './renaming-proxy.ts';

const cluster = 'demo';
export const argocd = 'openshift-gitops';

/** Live values of everything that is secret. */
export interface LabSecrets {
  readonly github: string;
  readonly githubToken: string;
  readonly argocd: string;
  readonly cluster: string;
  readonly handshake: string;
  readonly slack: string;
  readonly smtpPassword: string;
  readonly slackSigning: string;
  readonly pagerDuty: string;
  readonly hookBearer: string;
  readonly hookSigning: string;
  /** Bearer token of the cluster's service account. */
  readonly bearer: string;
}

/** One place that the product wrote to, with everything it wrote there. */
export interface Writing {
  readonly where: string;
  readonly text: string;
}

/** The whole product on a simulated OpenShift, with Slack, a mail server and an outbox to tell people by, and
 *  GitHub's API for its repositories. */
export interface ProductLab {
  readonly openshift: OpenShift;
  readonly clock: AcceleratedClock;
  readonly keeper: LocalPoolkeeper;
  readonly connection: ClusterConnection;
  readonly server: LocalServer;
  readonly slack: SlackServer;
  readonly github: GithubApi;
  /** Raw mails that the server took. */
  readonly mails: readonly string[];
  readonly machines: Machines;
  readonly deliveries: Deliveries;
  readonly told: readonly PublishedEvent[];
  /** One request to the product; what it answers counts as written. */
  ask(path: string, init?: RequestInit): Promise<{ readonly status: number; readonly text: string }>;
  /** Log lines so far, as the terminal and as the Lambda shell write them. */
  readonly logs: readonly string[];
  /** Looks until it is so, in the cluster's time. */
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Everything that was written anywhere until now. */
  everythingWritten(): Promise<readonly Writing[]>;
  stop(): Promise<void>;
}

/** How fast the cluster and Poolkeeper's clock run. */
const speed = 40;
const gitOrigin = 'https://github.com';

export async function startProductLab(
  secrets: LabSecrets,
  renamed: Readonly<Record<string, string>> = {},
): Promise<ProductLab> {
  const clock = acceleratedClock(speed);
  const now = () => clock.now();
  // Argo CD is slower than the small one that was measured: forty times as fast, its half second would be over before a
  // push is read on a busy machine, and so would two.
  const openshift = await startOpenShift({
    clock,
    gitOrigin,
    token: secrets.bearer,
    argocd: { speed: 0.25 },
  });
  const slack = await startSlack();
  slack.tokens.clear();
  slack.tokens.add(secrets.slack);
  const github = await startGithubApi({ host: openshift.git, origin: gitOrigin });
  const smtp = await startMailServer(secrets.smtpPassword);
  const machines = await startMachines();
  const table = await startEmbeddedTable();
  const outbox = await mkdtemp(join(tmpdir(), 'poolkeeper-outbox-'));
  const proxy = await startRenamingProxy(openshift.url, renamed);
  const connection = connectCluster({
    ...systemRuntime,
    server: proxy.url,
    ca: undefined,
    token: async () => secrets.bearer,
    skipTLSVerify: true,
    userAgent: 'poolkeeper',
    clock: now,
  });
  const logs: string[] = [];
  const answers: string[] = [];
  const told: PublishedEvent[] = [];
  const values = new Map(Object.entries(secrets));
  const keeper = compose({
    configuration: configurationOf({
      server: proxy.url,
      slackApi: slack.apiUrl,
      githubApi: github.api,
      machines: machines.url,
    }),
    connections: new Map([[cluster, connection]]),
    secrets: { read: async (name) => [values.get(name) ?? ''] },
    table,
    clock,
    logger: everyLogger((line) => logs.push(line), now),
    metrics: { count: () => {}, milliseconds: () => {} },
    outbox,
    smtpUrl: `smtp://poolkeeper:${encodeURIComponent(secrets.smtpPassword)}@127.0.0.1:${smtp.port}`,
    onPublished: (events) => told.push(...events),
  });
  const server = await startLocalServer(keeper.routes, 0);
  const deliveries = deliveriesTo(server.url, secrets);
  openshift.argocd.onOperation(async (event) => {
    const { text } = await deliveries.operation(event);
    answers.push(text);
  });
  const stopTicking = startTicking([cluster], clock, (event) => keeper.work.send(event));

  return {
    openshift,
    clock,
    keeper,
    connection,
    server,
    slack,
    github,
    mails: smtp.mails,
    machines,
    deliveries,
    told,
    logs,
    async ask(path, init = {}) {
      const answer = await fetch(`${server.url}${path}`, init);
      const text = await answer.text();
      answers.push([answer.status, ...[...answer.headers].map((header) => header.join(': ')), text].join('\n'));
      return { status: answer.status, text };
    },
    async until(what, isSo) {
      try {
        await untilIn(clock, what, isSo);
      } catch (cause) {
        // For whoever reads it where it cannot be run again.
        console.log(told.map(({ time, type, subject }) => `${time} ${type} ${subject}`).join('\n'));
        throw cause;
      }
    },
    async everythingWritten() {
      const slackBodies = slack.calls.map(({ body }) => JSON.stringify(body));
      return [
        { where: 'log', text: logs.join('\n') },
        { where: 'HTTP answer', text: answers.join('\n') },
        { where: 'event', text: JSON.stringify(told) },
        { where: 'Slack', text: slackBodies.join('\n') },
        { where: 'GitHub', text: JSON.stringify([github.comments, github.statuses, github.requests]) },
        { where: 'mail', text: smtp.mails.join('\n') },
        { where: 'machines', text: machines.bodies.map(({ body }) => body).join('\n') },
        { where: 'outbox', text: await filesIn(outbox) },
        { where: 'table', text: await itemsIn(table) },
        { where: 'cluster', text: JSON.stringify(await writtenToCluster(connection)) },
      ];
    },
    async stop() {
      stopTicking();
      await openshift.stop();
      await server.stop();
      await keeper.stop();
      await connection.close();
      await proxy.stop();
      await table.stop();
      await slack.close();
      await github.close();
      await smtp.close();
      await machines.close();
      await rm(outbox, { recursive: true });
    },
  };
}

/** Looks until it is so. Throws with what was waited for after forty minutes of the cluster's time, which slows down
 *  with the machine. */
async function untilIn(clock: AcceleratedClock, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = clock.now().getTime() + 40 * 60_000;
  while (!(await isSo())) {
    if (clock.now().getTime() > deadline) throw new Error(`waited forty minutes of the cluster's time for ${what}`);
    await pause(20);
  }
}

interface Addresses {
  readonly server: string;
  readonly slackApi: string;
  readonly githubApi: string;
  readonly machines: string;
}

function configurationOf({ server, slackApi, githubApi, machines }: Addresses): Configuration {
  const filter = { clusters: [], pools: [], severities: [], causes: [] };
  return {
    clusters: [
      {
        name: cluster,
        api: { server, ca: undefined, tokenSecret: 'bearer', skipTLSVerify: true },
        policy: { ...defaultPolicy, alerting: { ...defaultPolicy.alerting, holdDownSeconds: 0 } },
        pools: {},
      },
    ],
    argocd: [{ name: argocd, cluster, namespaces: [argocd], controllerNamespace: argocd, destinations: [] }],
    github: {
      api: githubApi,
      tokenSecret: 'githubToken',
      hooks: [],
      readsChanges: false,
      preview: { clusterNames: 'show', forks: 'comment' },
    },
    alerts: {
      statusUrl: 'https://poolkeeper.example.com/status',
      targets: [
        { kind: 'slack', name: 'slack', channel: 'C1', tokenSecret: 'slack', apiUrl: slackApi, filter },
        { kind: 'pagerduty', name: 'pager', routingKeySecret: 'pagerDuty', eventsUrl: `${machines}/pd`, filter },
        { kind: 'alertmanager', name: 'am', url: machines, bearerSecret: 'hookBearer', filter },
        {
          kind: 'webhook',
          name: 'hook',
          url: `${machines}/hook`,
          bearerSecret: 'hookBearer',
          signingSecret: 'hookSigning',
          filter,
        },
        { kind: 'email', name: 'mail', via: 'smtp', from: 'pk@example.com', to: ['ops@example.com'], filter },
        { kind: 'outbox', name: 'outbox', filter },
      ],
      slackButtons: {
        signingSecret: 'slackSigning',
        team: 'T0123456789',
        users: [],
        mayFreeze: [],
        mayResume: [],
        maySteer: [],
        acknowledgeForSeconds: 3600,
      },
    },
  };
}

/** Writes each line twice: as the terminal shows it and as a Lambda writes it. Debug lines are not spared. */
function everyLogger(write: (line: string) => void, now: () => Date): Logger {
  const terminal = lineLogger(write, now);
  const { logger } = openTelemetry('lab', { POOLKEEPER_STAGE: 'lab' });
  const both =
    (level: keyof Logger): Logger['info'] =>
    (message, fields) => {
      terminal[level === 'debug' ? 'info' : level](message, fields);
      captured(write, () => logger[level === 'debug' ? 'info' : level](message, fields));
    };
  return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
}

/** What `run` writes to the streams that Lambda turns into log lines. It does so at once, so nothing else is caught. */
function captured(write: (line: string) => void, run: () => void): void {
  const originals = [process.stdout.write, process.stderr.write] as const;
  const take = (chunk: string | Uint8Array) => {
    write(String(chunk));
    return true;
  };
  process.stdout.write = take;
  process.stderr.write = take;
  try {
    run();
  } finally {
    [process.stdout.write, process.stderr.write] = originals;
  }
}

interface MailServer {
  readonly port: number;
  readonly mails: readonly string[];
  close(): Promise<void>;
}

/** A mail server that wants a password. The first login is refused with words that repeat what was sent. */
async function startMailServer(password: string): Promise<MailServer> {
  const mails: string[] = [];
  let logins = 0;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth(auth, _session, callback) {
      logins += 1;
      if (logins > 1 && auth.password === password) callback(null, { user: 'poolkeeper' });
      else callback(Object.assign(new Error(`no such password: ${auth.password}`), { responseCode: 454 }));
    },
    async onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(Buffer.from(chunk));
      mails.push(Buffer.concat(chunks).toString('utf8'));
      callback();
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function filesIn(folder: string): Promise<string> {
  // A file is written beside its old form and then renamed: it is read under its own name.
  const names = (await readdir(folder)).filter((name) => !name.endsWith('.new'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('\n');
}

async function itemsIn(table: Awaited<ReturnType<typeof startEmbeddedTable>>): Promise<string> {
  const items: Record<string, AttributeValue>[] = [];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({ TableName: table.table, ...(start === undefined ? {} : { ExclusiveStartKey: start }) }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  // Bodies are JSON inside a text: unpacked, so that escapes hide nothing.
  return items.map((item) => `${JSON.stringify(item)}\n${item['body']?.S ?? ''}`).join('\n');
}

/** What Poolkeeper itself wrote to the cluster: the annotations of the pools and its events. */
async function writtenToCluster({ client }: ClusterConnection): Promise<readonly unknown[]> {
  const pools = await client.list('/apis/machineconfiguration.openshift.io/v1/machineconfigpools', { pageSize: 100 });
  const events = await client.list('/api/v1/namespaces/default/events', { pageSize: 500 });
  return [...pools.map(annotationsOf), ...events.filter(isOurs)];
}

function annotationsOf(pool: unknown): unknown {
  return (pool as { metadata: { annotations?: unknown } }).metadata.annotations;
}

function isOurs(event: unknown): boolean {
  return (event as { source?: { component?: string } }).source?.component === 'poolkeeper';
}
