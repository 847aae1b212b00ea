import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { makeTick } from '../../events/index.ts';
import { connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import type { Logger } from '../../functions/ports/telemetry.ts';
import { noMetrics } from '../../functions/shell/metric-names.ts';
import { type AcceleratedClock, acceleratedClock } from '../../local/run/accelerated-clock.ts';
import { compose } from '../../local/run/compose.ts';
import { localSecrets } from '../../local/run/defaults.ts';
import { startEmbeddedTable } from '../../local/run/embedded-table.ts';
import { githubSignature } from '../../local/run/github-signature.ts';
import { startLocalServer } from '../../local/run/local-server.ts';
import type { ControlPlane } from '../cluster/harness/control-plane.ts';
import type { Commit } from '../cluster/harness/git-server.ts';
import { githubPush } from '../cluster/harness/github-push.ts';
import { removeFolder, temporaryFolder } from '../cluster/harness/leave-nothing.ts';
import { type Stopwatch, timeConnection, timeTable } from './stopwatch.ts';
import { argocdNamespace, repositoryUrl } from './world.ts';

const githubSecret = 'bench-github-secret';
const cluster = 'bench';
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Poolkeeper itself, composed as `npm start` composes it, on a control plane of the harness. */
export interface BenchProduct {
  /** Delivers a signed push of a commit that nobody has seen to the repository of this Application. Throws unless it
   *  is accepted. */
  push(application: string): Promise<void>;
  /** A tick of the clock, as the scheduler sends one a minute. */
  tick(): Promise<void>;
  /** Forgets the races that were told of, as the weeks between two pushes do. */
  forgetRaces(): Promise<void>;
  stop(): Promise<void>;
}

/** `onPatched` runs as soon as a patch of a pool is answered. */
export async function startBenchProduct(
  controlPlane: ControlPlane,
  stopwatch: Stopwatch,
  onPatched: () => void = () => {},
): Promise<BenchProduct> {
  const { server, ca, token } = controlPlane;
  const clock = withoutLater(acceleratedClock(1));
  const table = await startEmbeddedTable();
  timeTable(table.client, stopwatch);
  const outbox = await temporaryFolder('bench-outbox');
  const connection = connectCluster({
    ...systemRuntime,
    server,
    ca,
    token: async () => token,
    userAgent: 'poolkeeper/bench',
    clock: clock.now,
  });
  const keeper = compose({
    configuration: configurationFor(server),
    connections: new Map([[cluster, timeConnection(connection, stopwatch, onPatched)]]),
    secrets: localSecrets({ POOLKEEPER_GITHUB_SECRET: githubSecret }),
    table,
    clock,
    logger: silent,
    metrics: noMetrics,
    outbox,
  });
  const http = await startLocalServer(keeper.routes, 0);
  const agent = new Agent({ keepAlive: true });

  return {
    async push(application) {
      const body = Buffer.from(JSON.stringify(githubPush(repositoryOf(application), freshCommit())));
      const status = await deliver(`${http.url}/github`, body, agent);
      if (status !== 202) throw new Error(`the push was answered with ${status}`);
    },
    tick: () => keeper.work.send(makeTick({ cluster, why: 'clock' }, clock.now())),
    async forgetRaces() {
      const { client, table: name } = table;
      const { Items: rows = [] } = await client.send(
        new QueryCommand({
          TableName: name,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: `race#${cluster}` } },
        }),
      );
      for (const { pk, sk } of rows) {
        if (pk !== undefined && sk !== undefined)
          await client.send(new DeleteItemCommand({ TableName: name, Key: { pk, sk } }));
      }
    },
    async stop() {
      agent.destroy();
      await http.stop();
      await keeper.stop();
      await connection.close();
      await table.stop();
      await removeFolder(outbox);
    },
  };
}

/** The recheck two seconds after a pause is no part of a sample, and would run into one of the next. */
function withoutLater(clock: AcceleratedClock): AcceleratedClock {
  return { ...clock, setTimeout: () => ({ cancel: () => {} }) };
}

/** One cluster, `bench`, and its Argo CD. */
export function configurationFor(server: string): Configuration {
  return {
    clusters: [
      {
        name: cluster,
        api: { server, ca: undefined, tokenSecret: '', skipTLSVerify: false },
        policy: defaultPolicy,
        pools: {},
      },
    ],
    argocd: [
      { name: 'bench', cluster, namespaces: [argocdNamespace], controllerNamespace: argocdNamespace, destinations: [] },
    ],
    alerts: { targets: [], statusUrl: undefined },
  };
}

export function repositoryOf(application: string) {
  const htmlUrl = repositoryUrl(application);
  return { name: `acme/${application}`, cloneUrl: `${htmlUrl}.git`, htmlUrl, branch: 'main' };
}

export function freshCommit(): Commit {
  const commitId = () => randomBytes(20).toString('hex');
  return {
    before: commitId(),
    after: commitId(),
    message: 'change a file',
    added: [],
    removed: [],
    modified: ['config.json'],
  };
}

/** Sends it as GitHub does, over a connection that stays open. Answers the status. */
function deliver(url: string, body: Buffer, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(
    url,
    {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': 'GitHub-Hookshot/bench',
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': githubSignature(body, githubSecret),
      },
    },
    (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    },
  );
  sent.once('error', reject);
  sent.end(body);
  return promise;
}
