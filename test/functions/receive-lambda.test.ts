import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClusterSeen, OperationSeen, PushSeen } from '../../events/index.ts';
import { handler as receiveArgocd } from '../../functions/receive-argocd/lambda.ts';
import { handler as receiveCluster } from '../../functions/receive-cluster/lambda.ts';
import { handler as receiveGithub } from '../../functions/receive-github/lambda.ts';
import { type FakeAws, startFakeAws } from './fake-aws.ts';
import { enterLambda, leaveLambda } from './lambda-environment.ts';
import { apiEvent, githubHeaders, lambdaContext } from './receiving.ts';

let aws: FakeAws;
/** On the host of the fake: the SDK sends to the host of the queue's URL. */
let queue = '';

beforeAll(async () => {
  aws = await startFakeAws({
    'arn:github': ['github-new', 'github-old'],
    'arn:argocd': ['argocd-token'],
    'arn:cluster': ['cluster-token\n'],
  });
  queue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`;
});
afterAll(() => aws.close());

beforeEach(() => {
  enterLambda({
    ...aws.env,
    POOLKEEPER_STAGE: 'test',
    WORK_QUEUE_URL: queue,
    GITHUB_SECRET_ARN: 'arn:github',
    ARGOCD_TOKEN_SECRET_ARN: 'arn:argocd',
    CLUSTER_TOKEN_SECRET_ARN: 'arn:cluster',
  });
});
afterEach(leaveLambda);

const push = JSON.stringify({
  ref: 'refs/heads/main',
  before: 'a'.repeat(40),
  after: 'b'.repeat(40),
  created: false,
  deleted: false,
  forced: false,
  commits: [{ added: [], modified: ['knoten/größe-日本-🚀.yaml'], removed: [] }],
  pusher: { name: 'ada' },
  repository: { full_name: 'acme/platform', html_url: 'https://github.com/acme/platform', default_branch: 'main' },
});

function lastSent(): unknown {
  return JSON.parse(aws.sent.get(queue)?.at(-1) ?? 'null');
}

describe('the deployed receive-github', () => {
  it.each([
    ['text, signed with the newer secret', push, 'github-new'],
    ['base64, signed with the older secret', Buffer.from(push), 'github-old'],
  ])('[C-1] queues a push whose non-ASCII body comes as %s', async (_how, body, secret) => {
    const headers = await githubHeaders({ body: push, secret });

    const result = await receiveGithub(apiEvent({ path: '/github', headers, body }), lambdaContext());

    expect(result.statusCode).toBe(202);
    expect(JSON.parse(result.body ?? '')).toMatchObject({ accepted: true, requestId: 'JKJaXmPLvHcESHA=' });
    expect(PushSeen.parse(lastSent()).data.files).toEqual({ kind: 'known', paths: ['knoten/größe-日本-🚀.yaml'] });
  });

  it('[C-1] refuses one byte more than was signed', async () => {
    const headers = await githubHeaders({ body: push, secret: 'github-new' });
    const before = aws.sent.get(queue)?.length;

    const result = await receiveGithub(apiEvent({ path: '/github', headers, body: `${push}\n` }), lambdaContext());

    expect(result.statusCode).toBe(401);
    expect(aws.sent.get(queue)?.length).toBe(before);
  });

  it('[C-1] reads a form-encoded delivery, which comes as base64', async () => {
    const before = aws.sent.get(queue)?.length ?? 0;
    const form = new URLSearchParams({ payload: push }).toString();
    const headers = await githubHeaders({
      body: form,
      secret: 'github-new',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

    const result = await receiveGithub(
      apiEvent({ path: '/github', headers, body: Buffer.from(form) }),
      lambdaContext(),
    );

    expect(result.statusCode).toBe(202);
    expect(aws.sent.get(queue)?.length).toBe(before + 1);
  });
});

it('[C-2] the deployed receive-argocd queues an operation', async () => {
  const notification = {
    specversion: '1.0',
    type: 'poolkeeper.argocd.operation.v1',
    id: 'uid/2026-03-02T09:59:58Z/Running/0',
    source: 'argocd/hub-1',
    data: {
      application: { name: 'nodes', namespace: 'openshift-gitops' },
      sync: { status: 'Synced', revision: 'b', revisions: [] },
      operation: { phase: 'Running', startedAt: '2026-03-02T09:59:58Z' },
    },
  };
  const headers = { 'content-type': 'application/cloudevents+json', authorization: 'Bearer argocd-token' };

  // What API Gateway does not know as text comes as base64.
  const result = await receiveArgocd(
    apiEvent({ path: '/argocd', headers, body: Buffer.from(JSON.stringify(notification)) }),
    lambdaContext(),
  );

  expect(result.statusCode).toBe(202);
  expect(OperationSeen.parse(lastSent()).data).toMatchObject({ argocd: 'hub-1', name: 'nodes', phase: 'Running' });
});

it('[C-3] the deployed receive-cluster queues a hint', async () => {
  const headers = {
    'ce-specversion': '1.0',
    'ce-id': 'event-1',
    'ce-source': 'https://172.30.0.1:443',
    'ce-type': 'dev.knative.apiserver.ref.update',
    'ce-kind': 'MachineConfigPool',
    'ce-name': 'worker',
    'content-type': 'application/json',
  };

  const result = await receiveCluster(
    apiEvent({ path: '/cluster', query: 'cluster=prod&token=cluster-token', headers, body: '{}' }),
    lambdaContext(),
  );

  expect(result.statusCode).toBe(202);
  expect(ClusterSeen.parse(lastSent()).data).toMatchObject({
    cluster: 'prod',
    kind: 'MachineConfigPool',
    name: 'worker',
  });
});

it('[C-1] a queue that is down is answered with 503, and the secret is not read again for each delivery', async () => {
  aws.breakQueues();
  const headers = await githubHeaders({ body: push, secret: 'github-new' });
  const reads = aws.asked.filter((target) => target.startsWith('secretsmanager')).length;

  const result = await receiveGithub(apiEvent({ path: '/github', headers, body: push }), lambdaContext());

  expect(result.statusCode).toBe(503);
  expect(result.headers).toMatchObject({ 'retry-after': '1' });
  expect(aws.asked.filter((target) => target.startsWith('secretsmanager'))).toHaveLength(reads);
});
