import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cloudEvent } from '../../../events/index.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { handler as handshake } from '../../../functions/handshake/lambda.ts';
import { handler as keepPools } from '../../../functions/keep-pools/lambda.ts';
import { handler as sendAlerts } from '../../../functions/send-alerts/lambda.ts';
import { handler as status } from '../../../functions/status/lambda.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda } from '../lambda-environment.ts';
import { apiEvent, lambdaContext, queueEvent } from '../receiving.ts';

/** Nothing listens on port 1 of loopback: the cluster is there and cannot be seen. */
const configuration = {
  clusters: [
    {
      name: 'prod',
      api: { server: 'http://127.0.0.1:1', tokenSecret: 'poolkeeper/prod/token', skipTLSVerify: false },
      policy: defaultPolicy,
      pools: {},
    },
  ],
  argocd: [
    {
      name: 'hub-1',
      cluster: 'prod',
      namespaces: ['openshift-gitops'],
      controllerNamespace: 'openshift-gitops',
      destinations: [],
    },
  ],
  alerts: { targets: [] },
};

let aws: FakeAws;
let folder = '';

beforeAll(async () => {
  aws = await startFakeAws({
    'arn:handshake': ['job-token'],
    'poolkeeper/prod/token': ['cluster-token'],
    'arn:status': ['reader-token'],
  });
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-lambdas-'));
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify(configuration));
});
afterAll(async () => {
  await aws.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  enterLambda({
    ...aws.env,
    POOLKEEPER_STAGE: 'test',
    POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
    WORK_QUEUE_URL: `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`,
    ALERT_QUEUE_URL: `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`,
    TABLE_NAME: 'poolkeeper',
    BUS_NAME: 'poolkeeper',
    HANDSHAKE_TOKEN_SECRET_ARN: 'arn:handshake',
    STATUS_TOKEN_SECRET_ARN: 'arn:status',
  });
});
afterEach(leaveLambda);

function ask(token: string, argocd: string) {
  const body = JSON.stringify({ argocd, namespace: 'openshift-gitops', name: 'nodes', waitSeconds: 0 });
  return handshake(
    apiEvent({ path: '/handshake', headers: { authorization: `Bearer ${token}` }, body }),
    lambdaContext(),
  );
}

describe('the deployed handshake', () => {
  it('confirms nothing while the cluster cannot be seen', async () => {
    const result = await ask('job-token', 'hub-1');

    expect(result.statusCode).toBe(503);
    expect(JSON.parse(result.body ?? '')).toMatchObject({ confirmed: false, why: [expect.any(String)] });
  });

  it('knows neither other tokens nor other Argo CD instances', async () => {
    const wrong = await ask('guess', 'hub-1');
    const unknown = await ask('job-token', 'hub-9');

    expect([wrong.statusCode, unknown.statusCode]).toEqual([401, 404]);
  });
});

describe('the deployed keep-pools', () => {
  function tick(cluster: string) {
    return cloudEvent({
      type: 'poolkeeper.tick.v1',
      id: `${cluster}/1`,
      source: '/poolkeeper/clock',
      subject: cluster,
      time: new Date('2026-03-02T10:00:00Z'),
      correlation: `${cluster}/1`,
      data: { cluster, why: 'clock' },
    });
  }

  function operation() {
    return cloudEvent({
      type: 'poolkeeper.operation.seen.v1',
      id: 'operation-1',
      source: '/poolkeeper/receive-argocd',
      subject: 'openshift-gitops/nodes',
      time: new Date('2026-03-02T10:00:00Z'),
      correlation: 'operation-1',
      data: {
        argocd: 'hub-1',
        namespace: 'openshift-gitops',
        name: 'nodes',
        phase: 'Running',
        startedAt: '2026-03-02T09:59:58Z',
        receivedAt: '2026-03-02T10:00:00Z',
      },
    });
  }

  it('gives back what must be retried and what nobody can read, and only that', async () => {
    const bodies = [JSON.stringify(tick('not-configured')), '{"type":', JSON.stringify(operation())];

    const { batchItemFailures } = await keepPools(queueEvent(bodies), lambdaContext());

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-2' }]);
  });

  it('[N-24] counts a cluster that could not be seen in a metric, even when the table cannot be reached either', async () => {
    const lines: string[] = [];
    const keep = (chunk: unknown) => lines.push(String(chunk)) > 0;
    vi.mocked(process.stdout.write).mockImplementation(keep);
    vi.mocked(console.log).mockImplementation(keep);

    await keepPools(queueEvent([JSON.stringify(tick('prod'))]), lambdaContext());

    const written = lines.filter((line) => line.includes('_aws')).map((line) => JSON.parse(line));
    expect(written).toEqual([
      expect.objectContaining({ environment: 'unknown', function: 'keep-pools', BlindClusters: 1 }),
    ]);
    expect(written[0]._aws.CloudWatchMetrics[0]).toMatchObject({
      Namespace: 'Poolkeeper',
      Dimensions: [['environment', 'function']],
    });
    expect(written[0].TickAge).toBeGreaterThan(0);
  });
});

describe('the deployed send-alerts', () => {
  it('is done with an incident when nobody wants to hear, and gives back what nobody can read', async () => {
    const due = cloudEvent({
      type: 'poolkeeper.incident.due.v1',
      id: 'due-1',
      source: '/poolkeeper/keep-pools',
      subject: 'prod/worker',
      time: new Date('2026-03-02T10:00:00Z'),
      correlation: 'prod/worker/degraded',
      data: { cluster: 'prod', pool: 'worker', kind: 'degraded' },
    });

    const { batchItemFailures } = await sendAlerts(queueEvent([JSON.stringify(due), '{}']), lambdaContext());

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-1' }]);
  });
});

describe('the deployed status', () => {
  function read(token: string) {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    return status(apiEvent({ method: 'GET', path: '/status', headers }), lambdaContext());
  }

  it('says what it cannot read instead of showing nothing as calm', async () => {
    const result = await read('reader-token');

    expect(result.statusCode).toBe(503);
    expect(JSON.parse(result.body ?? '')).toMatchObject({
      unread: ['clusters', 'incidents', 'sequences', 'runs', 'timeline', 'reboots'],
    });
  });

  it('says to anybody that it answers, and nothing else', async () => {
    const result = await status(apiEvent({ method: 'GET', path: '/healthz' }), lambdaContext());

    expect(result.statusCode).toBe(200);
    expect(JSON.parse(result.body ?? '')).toEqual({ ok: true });
  });

  it('explains the codes of messages to anybody, in the place where messages link to', async () => {
    const result = await status(apiEvent({ method: 'GET', path: '/causes' }), lambdaContext());

    expect(result.statusCode).toBe(200);
    expect(result.headers?.['content-security-policy']).toContain("default-src 'none'");
    expect(result.body).toContain('id="self-deadlock"');
    expect(result.body).toContain('force deletion lets two pods write to it');
  });

  it('shows nothing to strangers', async () => {
    const result = await read('guess');

    expect(result.statusCode).toBe(401);
    expect(result.body).not.toContain('clusters');
  });
});
