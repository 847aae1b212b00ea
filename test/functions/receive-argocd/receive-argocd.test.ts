import { describe, expect, it } from 'vitest';
import { OperationSeen } from '../../../events/index.ts';
import { receiveArgocd } from '../../../functions/receive-argocd/receive-argocd.ts';
import { answerOf, post, receiverPorts } from '../receiving.ts';

const id = '6c8f8a2e-1111-4222-8333-444455556666/2026-03-02T09:59:58Z/Running/0';

/** What the notification template that we ship makes of an Application at its first Running event. */
function aNotification(data: Record<string, unknown> = {}, envelope: Record<string, unknown> = {}) {
  return {
    specversion: '1.0',
    type: 'poolkeeper.argocd.operation.v1',
    id,
    source: 'argocd/hub-1',
    subject: 'openshift-gitops/nodes',
    time: '2026-03-02T10:00:00Z',
    datacontenttype: 'application/json',
    data: {
      application: {
        name: 'nodes',
        namespace: 'openshift-gitops',
        uid: '6c8f8a2e-1111-4222-8333-444455556666',
        project: 'default',
        deletionTimestamp: '',
      },
      destination: { server: 'https://kubernetes.default.svc' },
      sources: [{ repoURL: 'https://github.com/acme/platform', path: 'nodes', targetRevision: 'HEAD' }],
      hydrator: {},
      automated: { prune: true },
      sync: { status: 'OutOfSync', revision: 'b'.repeat(40), revisions: [] },
      health: 'Healthy',
      reconciledAt: '2026-03-02T09:59:57Z',
      operation: {
        phase: 'Running',
        message: 'waiting for completion of hook',
        startedAt: '2026-03-02T09:59:58Z',
        finishedAt: '',
        retryCount: 0,
        retryLimit: 0,
        initiatedBy: { automated: true },
        dryRun: false,
        strategy: {},
        selfHealAttempts: 0,
        requestedResources: [],
        requestedRevision: 'b'.repeat(40),
        requestedRevisions: [],
        revision: '',
        revisions: [],
        machineConfigResults: [],
      },
      machineConfigResources: [{ kind: 'MachineConfig', name: '99-worker-ssh', status: 'OutOfSync' }],
      ...data,
    },
    ...envelope,
  };
}

interface Notified {
  readonly body?: unknown;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

async function receive({ body = aNotification(), token = 'new-secret', headers = {} }: Notified = {}) {
  const ports = receiverPorts();
  const request = post('/argocd', typeof body === 'string' ? body : JSON.stringify(body), {
    'content-type': 'application/cloudevents+json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  });
  const answer = await answerOf(await receiveArgocd(ports)(request));
  return { ...answer, ports, sent: ports.work.sent.map(({ event }) => event) };
}

describe('a notification of Argo CD', () => {
  it('[C-2] becomes one event with the identity of the operation', async () => {
    const { status, body, sent } = await receive();

    expect(status).toBe(202);
    expect(body).toMatchObject({ accepted: true, event: id });
    expect(sent.map((event) => OperationSeen.parse(event))).toEqual([
      {
        specversion: '1.0',
        type: 'poolkeeper.operation.seen.v1',
        id,
        source: '/poolkeeper/receive-argocd',
        subject: 'openshift-gitops/nodes',
        time: '2026-03-02T10:00:00.250Z',
        datacontenttype: 'application/json',
        correlation: id,
        data: {
          argocd: 'hub-1',
          namespace: 'openshift-gitops',
          name: 'nodes',
          phase: 'Running',
          startedAt: '2026-03-02T09:59:58Z',
          receivedAt: '2026-03-02T10:00:00.250Z',
        },
      },
    ]);
  });

  it('[C-2] is taken from an Application that never synced, whose absent values are empty', async () => {
    const operation = { phase: '', startedAt: '' };
    const sync = { status: 'OutOfSync', revision: '', revisions: ['c1', 'c2'] };

    const { status, sent } = await receive({ body: aNotification({ operation, sync }, { id: 'uid/none/none/0' }) });

    expect(status).toBe(202);
    expect(sent.map((event) => event.id)).toEqual(['uid/none/none/0/out-of-sync/c1+c2']);
  });

  it('[C-2] that says out of sync is no repeat of the operation whose id it carries', async () => {
    const operation = { phase: 'Succeeded', startedAt: '2026-03-02T09:00:00Z' };
    const synced = { status: 'Synced', revision: 'a1', revisions: [] };
    const moved = { status: 'OutOfSync', revision: 'b2', revisions: [] };

    const before = await receive({ body: aNotification({ operation, sync: synced }) });
    const after = await receive({ body: aNotification({ operation, sync: moved }) });

    expect(before.sent[0]?.id).toBe(id);
    expect(after.sent[0]?.id).toBe(`${id}/out-of-sync/b2`);
  });

  it.each(['application/json', 'application/cloudevents+json; charset=utf-8'])('[C-2] is read as %s', async (type) => {
    const { status } = await receive({ headers: { 'content-type': type } });

    expect(status).toBe(202);
  });

  it('[C-2] of another type is accepted and dropped', async () => {
    const { status, body, sent } = await receive({
      body: aNotification({}, { type: 'poolkeeper.argocd.operation.v2' }),
    });

    expect(status).toBe(202);
    expect(body['accepted']).toBe(false);
    expect(sent).toEqual([]);
  });

  it.each([
    ['specversion', {}, { specversion: '0.3' }],
    ['source', {}, { source: 'hub-1' }],
    ['id', {}, { id: '' }],
    ['data.application.name', { application: { name: '../secrets', namespace: 'openshift-gitops' } }, {}],
    ['data.operation', { operation: undefined }, {}],
  ])('[C-2] is refused naming %s when that field is wrong', async (field, data, envelope) => {
    const { status, body, sent } = await receive({ body: aNotification(data, envelope) });

    expect(status).toBe(400);
    expect(body['reason']).toContain(`${field}: `);
    expect(sent).toEqual([]);
  });

  it('[C-2] [C-11] with a long list of what is no text is refused by one complaint', async () => {
    const sync = { status: 'OutOfSync', revision: '', revisions: Array.from({ length: 400_000 }, () => 0) };

    const { status, body, sent } = await receive({ body: aNotification({ sync }) });

    expect([status, sent]).toEqual([400, []]);
    expect(body['reason']).toBe('data.sync.revisions: expected a list of texts');
  });

  it('[C-2] is refused when it is too large, not JSON, or not said to be', async () => {
    const large = await receive({ body: 'x'.repeat(1024 * 1024 + 1) });
    const broken = await receive({ body: '{{ .app }}' });
    const silent = await receive({ headers: { 'content-type': 'text/plain' } });

    expect([large.status, broken.status, silent.status]).toEqual([413, 400, 415]);
  });

  it('[C-2] that the queue does not take is answered with 503, which Argo CD tries again', async () => {
    const ports = receiverPorts();
    ports.faults.failAll(['work.send']);
    const headers = { authorization: 'Bearer new-secret', 'content-type': 'application/json' };

    const response = await receiveArgocd(ports)(post('/argocd', JSON.stringify(aNotification()), headers));

    expect(response.status).toBe(503);
  });
});

describe('the token of a notification', () => {
  it.each(['new-secret', 'old-secret'])('[C-2] may be either of two live ones: %s', async (token) => {
    const { status } = await receive({ token });

    expect(status).toBe(202);
  });

  it.each(['', 'wrong', 'new-secre', 'new-secrets'])('[C-2] is refused with 401 when it is %j', async (token) => {
    const { status, body, headers, sent } = await receive({ token });

    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body['reason']).toBe('the token is missing or wrong');
    expect(sent).toEqual([]);
  });

  it('[C-2] must be a bearer token', async () => {
    const { status } = await receive({ headers: { authorization: 'Basic new-secret' } });

    expect(status).toBe(401);
  });

  it('[C-2] that is a literal $key is explained: the secret lacks that key', async () => {
    const { status, body, ports } = await receive({ token: '$poolkeeper-token' });

    expect(status).toBe(401);
    expect(body['reason']).toBe(
      'the token is the literal $poolkeeper-token: argocd-notifications-secret has no key poolkeeper-token',
    );
    expect(ports.metrics.counts).toEqual({ RequestsUnauthorized: 1 });
  });

  it('[C-2] never shows in the log', async () => {
    const { ports } = await receive({ token: 'nearly-the-token' });

    expect(JSON.stringify(ports.logger.lines)).not.toContain('nearly-the-token');
  });
});

it.each(['GET', 'PUT', 'DELETE'])('[C-2] a %s is answered with 405 and the allowed method', async (method) => {
  const request = new Request('https://poolkeeper.example.com/argocd', { method });

  const { status, headers, body } = await answerOf(await receiveArgocd(receiverPorts())(request));

  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('POST');
  expect(body['reason']).toMatch(/^use POST; a GET means that the template/);
});
