import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { ClusterSeen } from '../../../events/index.ts';
import { receiveCluster } from '../../../functions/receive-cluster/receive-cluster.ts';
import { answerOf, post, receiverPorts } from '../receiving.ts';

/** As Knative's ApiServerSource makes it in Reference mode; the SDK writes it in the mode that a test wants. */
function anApiServerEvent(change: Record<string, unknown> = {}): CloudEvent<unknown> {
  return new CloudEvent<unknown>({
    id: '5f2f7c3a-7e0c-4f5b-9b8e-0d0f6f1f2a3b',
    type: 'dev.knative.apiserver.ref.update',
    source: 'https://172.30.0.1:443',
    subject: '/apis/machineconfiguration.openshift.io/v1/namespaces//machineconfigpools/worker',
    time: '2026-03-02T10:00:00Z',
    datacontenttype: 'application/json',
    apiversion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    name: 'worker',
    namespace: '',
    data: {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigPool',
      name: 'worker',
      namespace: '',
    },
    ...change,
  });
}

function anAlert(change: Record<string, unknown> = {}) {
  return {
    status: 'firing',
    labels: { alertname: 'MCDRebootError', cluster: 'prod-eu-1', node: 'worker-1', severity: 'critical' },
    annotations: { summary: 'Node has to be rebooted' },
    startsAt: '2026-03-02T09:58:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'https://prometheus.example.com',
    fingerprint: '8a1c4d2e5f60718a',
    ...change,
  };
}

function anAlertmanagerMessage(alerts: readonly unknown[], change: Record<string, unknown> = {}) {
  return {
    version: '4',
    groupKey: '{}:{alertname="MCDRebootError"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'poolkeeper',
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'https://alertmanager.example.com',
    alerts,
    ...change,
  };
}

interface Message {
  readonly path?: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const authorization = { authorization: 'Bearer new-secret' };

async function receive({ path = '/cluster', headers, body }: Message) {
  const ports = receiverPorts();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const answer = await answerOf(await receiveCluster(ports)(post(path, text, sent)));
  return { ...answer, ports, sent: ports.work.sent.map(({ event }) => ClusterSeen.parse(event)) };
}

function receiveAlerts(alerts: readonly unknown[], path = '/cluster') {
  return receive({
    path,
    headers: { ...authorization, 'content-type': 'application/json' },
    body: anAlertmanagerMessage(alerts),
  });
}

describe('an event of a cluster', () => {
  it('[C-3] becomes a hint that names the pool, under the id it came with', async () => {
    const { headers, body } = HTTP.binary(anApiServerEvent());

    const { status, body: answer, sent } = await receive({ headers: { ...headers, ...authorization }, body });

    expect(status).toBe(202);
    expect(answer).toMatchObject({ accepted: true, events: 1 });
    expect(sent).toEqual([
      {
        specversion: '1.0',
        type: 'poolkeeper.cluster.seen.v1',
        id: '5f2f7c3a-7e0c-4f5b-9b8e-0d0f6f1f2a3b',
        source: '/poolkeeper/receive-cluster',
        subject: 'MachineConfigPool/worker',
        time: '2026-03-02T10:00:00.250Z',
        datacontenttype: 'application/json',
        correlation: '5f2f7c3a-7e0c-4f5b-9b8e-0d0f6f1f2a3b',
        data: {
          cluster: '',
          kind: 'MachineConfigPool',
          name: 'worker',
          what: 'update',
          receivedAt: '2026-03-02T10:00:00.250Z',
        },
      },
    ]);
  });

  it.each([
    ['binary', () => HTTP.binary(anApiServerEvent())],
    ['structured', () => HTTP.structured(anApiServerEvent())],
    [
      'batched',
      () => ({
        headers: { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
        body: JSON.stringify([anApiServerEvent()]),
      }),
    ],
  ])('[C-3] is read in %s mode', async (_mode, write) => {
    const { headers, body } = write();

    const { status, sent } = await receive({ headers: { ...headers, ...authorization }, body });

    expect(status).toBe(202);
    expect(sent.map(({ data }) => [data.kind, data.name, data.what])).toEqual([
      ['MachineConfigPool', 'worker', 'update'],
    ]);
  });

  it('[C-3] gives one hint per known event of a batch and drops the rest', async () => {
    const events = [
      anApiServerEvent({ id: '1', type: 'dev.knative.apiserver.resource.add', kind: 'Node', name: 'worker-1' }),
      anApiServerEvent({ id: '2', type: 'dev.knative.sources.ping' }),
      anApiServerEvent({ id: '3', type: 'dev.knative.apiserver.ref.delete' }),
    ];

    const { sent } = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents-batch+json' },
      body: events,
    });

    expect(sent.map(({ id, data }) => [id, data.kind, data.what])).toEqual([
      ['1', 'Node', 'add'],
      ['3', 'MachineConfigPool', 'delete'],
    ]);
  });

  it('[C-3] [N-30] is one of a batch that names as many clusters as it has events: a few are passed on', async () => {
    const events = Array.from({ length: 2000 }, (_each, index) =>
      anApiServerEvent({ id: `${index}`, cluster: `c${index}` }),
    );

    const { status, body, sent } = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents-batch+json' },
      body: events,
    });

    expect([status, sent.length]).toEqual([202, 20]);
    expect(body).toMatchObject({ accepted: true, events: 20, leftOut: 1980 });
  });

  it('[C-3] [N-30] gives the hints of a batch in which others are invalid; all invalid are refused', async () => {
    const headers = { ...authorization, 'content-type': 'application/cloudevents-batch+json' };
    const sound = anApiServerEvent({ id: '1' }).toJSON();

    for (const wrong of [null, 7, [], {}, { ...sound, id: 1 }, { ...sound, kind: undefined, data: {} }]) {
      const mixed = await receive({ headers, body: [wrong, sound, wrong] });
      const alone = await receive({ headers, body: [wrong] });

      expect([mixed.status, mixed.sent.map(({ id }) => id)]).toEqual([202, ['1']]);
      expect([alone.status, alone.sent.length]).toEqual([400, 0]);
    }
  });

  it.each([
    ['the data of Reference mode', { kind: '', name: '' }, 'worker'],
    [
      'the object of Resource mode',
      { kind: '', name: '', data: { kind: 'MachineConfigPool', metadata: { name: 'infra' }, spec: {} } },
      'infra',
    ],
    ['the subject with its empty namespace', { name: '', data: { kind: 'MachineConfigPool' } }, 'worker'],
  ])('[C-3] takes the name from %s where no extension says it', async (_where, change, name) => {
    const { sent } = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents+json' },
      body: anApiServerEvent(change),
    });

    expect(sent.map(({ data }) => [data.kind, data.name])).toEqual([['MachineConfigPool', name]]);
  });

  it('[C-3] may come without readable data, when its attributes say what it is about', async () => {
    const { headers } = HTTP.binary(anApiServerEvent());

    const { status } = await receive({ headers: { ...headers, ...authorization }, body: '' });

    expect(status).toBe(202);
  });

  it('[C-3] of an unknown type is accepted and dropped', async () => {
    const { headers, body } = HTTP.binary(anApiServerEvent({ type: 'com.example.unknown' }));

    const { status, body: answer, sent } = await receive({ headers: { ...headers, ...authorization }, body });

    expect(status).toBe(202);
    expect(answer['accepted']).toBe(false);
    expect(sent).toEqual([]);
  });

  it.each([
    ['id', { id: undefined }],
    ['specversion', { specversion: '0.3' }],
    ['kind', { kind: undefined, data: {} }],
  ])('[C-3] is refused naming %s when that is missing or wrong', async (field, change) => {
    const { status, body, sent } = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents+json' },
      body: { ...anApiServerEvent().toJSON(), ...change },
    });

    expect(status).toBe(400);
    expect(body['reason']).toContain(`${field}: `);
    expect(sent).toEqual([]);
  });

  it('[C-3] is refused in a format other than JSON, too large or broken', async () => {
    const avro = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents+avro' },
      body: '',
    });
    const large = await receive({ headers: authorization, body: 'x'.repeat(2 * 1024 * 1024 + 1) });
    const broken = await receive({
      headers: { ...authorization, 'content-type': 'application/cloudevents-batch+json' },
      body: '[{',
    });

    expect([avro.status, large.status, broken.status]).toEqual([415, 413, 400]);
  });
});

describe('alerts of Alertmanager', () => {
  it('[C-3] become one hint each, with an id that a repeat repeats', async () => {
    const alerts = [anAlert(), anAlert({ status: 'resolved', endsAt: '2026-03-02T10:00:00Z' })];

    const first = await receiveAlerts(alerts);
    const repeat = await receiveAlerts(alerts);

    expect(first.status).toBe(202);
    expect(first.sent.map(({ id, data }) => ({ id, ...data }))).toEqual([
      {
        id: '8a1c4d2e5f60718a/2026-03-02T09:58:00Z/firing',
        cluster: 'prod-eu-1',
        kind: 'Alert',
        name: 'MCDRebootError',
        what: 'firing',
        receivedAt: '2026-03-02T10:00:00.250Z',
      },
      expect.objectContaining({ id: '8a1c4d2e5f60718a/2026-03-02T09:58:00Z/resolved', what: 'resolved' }),
    ]);
    expect(repeat.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
  });

  it('[C-3] of a storm are passed on a few per cluster, each cluster at least once', async () => {
    const storm = Array.from({ length: 500 }, (_each, index) => anAlert({ fingerprint: `f${index}` }));
    const other = anAlert({ fingerprint: 'other', labels: { alertname: 'KubeletHealthState', cluster: 'prod-us-1' } });

    const { sent } = await receiveAlerts([...storm, other]);

    const clusters = sent.map(({ data }) => data.cluster);
    expect(clusters.filter((cluster) => cluster === 'prod-eu-1')).toHaveLength(10);
    expect(clusters.filter((cluster) => cluster === 'prod-us-1')).toHaveLength(1);
  });

  it('[C-3] [N-30] that name as many clusters as there are alerts put a few messages on the queue of the pushes', async () => {
    const named = (cluster: number, fingerprint: string) =>
      anAlert({ fingerprint, labels: { alertname: 'KubeletHealthState', cluster: `c${cluster}` } });
    const invented = Array.from({ length: 2000 }, (_each, index) => [named(index, 'a'), named(index, 'b')]).flat();
    const few = invented.slice(0, 24);

    const flood = await receiveAlerts(invented);
    const calm = await receiveAlerts(few);

    expect([flood.status, flood.sent.length]).toEqual([202, 20]);
    expect(flood.body).toMatchObject({ accepted: true, events: 20, leftOut: 3980 });
    expect(flood.ports.logger.lines.at(-1)?.fields).toMatchObject({
      events: 20,
      leftOut: 3980,
      cluster: Array.from({ length: 20 }, (_each, index) => `c${index}`).join(' '),
    });
    // Each cluster once before any of them twice.
    expect(calm.sent.map(({ id, data }) => `${data.cluster} ${id.slice(0, 1)}`)).toEqual([
      ...Array.from({ length: 12 }, (_each, index) => `c${index} a`),
      ...Array.from({ length: 8 }, (_each, index) => `c${index} b`),
    ]);
  });

  it('[C-3] [N-30] cost the others nothing where one is invalid; all invalid are refused', async () => {
    const long = anAlert({ fingerprint: 'long', labels: { alertname: 'x'.repeat(513), cluster: 'prod-eu-1' } });

    for (const wrong of [long, null, 7, 'x', [], {}]) {
      const mixed = await receiveAlerts([wrong, anAlert(), wrong]);
      const alone = await receiveAlerts([wrong]);

      expect([mixed.status, mixed.sent.length]).toEqual([202, 1]);
      expect([alone.status, alone.sent.length]).toEqual([400, 0]);
    }
  });

  it('[C-3] [N-30] [C-11] a million that are invalid are not all tried: a hundred of them, and the rest is left unread', async () => {
    const first = anAlert({ fingerprint: 'first' });
    const last = anAlert({ fingerprint: 'last' });
    const wrong = (count: number) => Array.from({ length: count }, () => 0);

    const few = await receiveAlerts([first, ...wrong(99), last]);
    const many = await receiveAlerts([first, ...wrong(500_000), last]);
    const none = await receiveAlerts([...wrong(500_000), last]);

    expect(few.sent.map(({ id }) => id.slice(0, 5))).toEqual(['first', 'last/']);
    expect(many.sent.map(({ id }) => id.slice(0, 5))).toEqual(['first']);
    expect(many.ports.logger.lines.at(-1)?.fields).toMatchObject({ events: 1, invalid: 500_001 });
    expect([none.status, none.sent.length]).toEqual([400, 0]);
  });

  it('[C-3] of another version, or no alerts at all, are refused naming the field', async () => {
    const headers = { ...authorization, 'content-type': 'application/json' };

    const old = await receive({ headers, body: anAlertmanagerMessage([], { version: '3' }) });
    const none = await receive({ headers, body: { hello: 'world' } });

    expect([old.status, none.status]).toEqual([400, 400]);
    expect(old.body['reason']).toContain('version: ');
    expect(none.body['reason']).toContain('alerts: ');
  });

  it('[C-3] that the queue takes only in part are answered with 503, so that all of them come again', async () => {
    const ports = receiverPorts();
    ports.faults.failNth('work.send', 2);
    const body = JSON.stringify(anAlertmanagerMessage([anAlert(), anAlert({ fingerprint: 'b' })]));

    const response = await receiveCluster(ports)(
      post('/cluster', body, { ...authorization, 'content-type': 'application/json' }),
    );

    expect(response.status).toBe(503);
  });
});

describe('the name of the cluster', () => {
  it.each([
    ['the URL before all', '/cluster?cluster=prod-eu-1', { cluster: 'from-extension' }, 'prod-eu-1'],
    ['the extension of the event', '/cluster', { cluster: 'from-extension' }, 'from-extension'],
    ['nobody', '/cluster', {}, ''],
  ])('[C-3] is taken from %s', async (_who, path, change, cluster) => {
    const { headers, body } = HTTP.binary(anApiServerEvent(change));

    const { sent } = await receive({ path, headers: { ...headers, ...authorization }, body });

    expect(sent.map(({ data }) => data.cluster)).toEqual([cluster]);
  });

  it('[C-3] is taken from the label of an alert unless the URL says it', async () => {
    const byLabel = await receiveAlerts([anAlert()]);
    const byUrl = await receiveAlerts([anAlert()], '/cluster?cluster=hub');
    const byNobody = await receiveAlerts([anAlert({ labels: {} })]);

    expect([byLabel, byUrl, byNobody].map(({ sent }) => sent[0]?.data.cluster)).toEqual(['prod-eu-1', 'hub', '']);
  });
});

describe('the token of a cluster', () => {
  const { headers, body } = HTTP.binary(anApiServerEvent());

  it.each([
    ['a header', '/cluster', authorization],
    ['a header, the older one', '/cluster', { authorization: 'Bearer old-secret' }],
    ['the URL of the sink, for Knative can set no header', '/cluster?cluster=prod-eu-1&token=new-secret', {}],
  ])('[C-3] is accepted in %s', async (_where, path, token) => {
    const { status } = await receive({ path, headers: { ...headers, ...token }, body });

    expect(status).toBe(202);
  });

  it.each([
    ['missing', '/cluster', {}],
    ['wrong in the header, whatever the URL says', '/cluster?token=new-secret', { authorization: 'Bearer guess' }],
    ['wrong in the URL', '/cluster?token=guess', {}],
    ['empty in the URL', '/cluster?token=', {}],
  ])('[C-3] is refused with 401 when it is %s', async (_how, path, token) => {
    const { status, sent, ports } = await receive({ path, headers: { ...headers, ...token }, body });

    expect(status).toBe(401);
    expect(sent).toEqual([]);
    expect(JSON.stringify(ports.logger.lines)).not.toMatch(/guess|new-secret/);
  });
});

it('[C-3] anything but a POST is answered with 405', async () => {
  const response = await receiveCluster(receiverPorts())(new Request('https://poolkeeper.example.com/cluster'));

  expect(response.status).toBe(405);
});
