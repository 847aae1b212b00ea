import { describe, expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { nodeOf } from '../../../functions/adapters/kubernetes/node-of.ts';
import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import { clusterPools } from '../../../functions/adapters/kubernetes/pools.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aRecord } from '../../fakes/index.ts';
import { type SeenRequest, type StubReply, startStub } from './stub-server.ts';

const poolPath = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker';

/** As an API server sends it; the field managers of a pool that Argo CD's operator made and a person paused. */
function poolBody(change: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {}) {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name: 'worker', uid: 'u1', resourceVersion: '7', generation: 2, ...change.metadata },
    spec: { ...change.spec },
    ...(change.status === undefined ? {} : { status: change.status }),
  };
}

function owner(manager: string, time: string | undefined, fields: object, subresource?: string) {
  return { manager, operation: 'Update', time, fieldsType: 'FieldsV1', fieldsV1: fields, subresource };
}

const paused = { 'f:spec': { 'f:paused': {} } };

async function poolsAt(answer: (request: SeenRequest) => StubReply) {
  const stub = await startStub(answer);
  const client = createKubeClient({
    ...systemRuntime,
    server: stub.url,
    token: async () => 't',
    userAgent: 'poolkeeper/test',
  });
  onTestFinished(() => client.close());
  return { pools: clusterPools(client), seen: stub.seen };
}

describe('a pool', () => {
  test('of which the MCO has said nothing yet is read with empty figures', () => {
    expect(poolOf(poolBody())).toMatchObject({
      observedGeneration: 0,
      paused: false,
      pausedBy: undefined,
      target: { name: '', sources: [] },
      current: { name: '', sources: [] },
      counts: { machines: 0, updated: 0, ready: 0, unavailable: 0, degraded: 0 },
      conditions: [],
      machineConfigSelector: undefined,
      nodeSelector: undefined,
    });
  });

  test('with explicit nulls is read as one with absent fields', () => {
    const nulls = {
      paused: null,
      maxUnavailable: null,
      machineConfigSelector: null,
      nodeSelector: null,
      configuration: null,
    };
    const body = poolBody({
      metadata: { labels: null, annotations: null, managedFields: null },
      spec: nulls,
      status: { conditions: null, configuration: null, machineCount: null },
    });

    expect(poolOf(body)).toEqual(poolOf(poolBody({ status: {} })));
  });

  test.each<[string, readonly object[], string | undefined]>([
    ['nobody', [owner('mcc', '2026-03-01T00:00:00Z', { 'f:spec': { 'f:configuration': {} } })], undefined],
    ['the only writer', [owner('oc', '2026-03-01T00:00:00Z', paused)], 'oc'],
    [
      'the newest writer, in whatever order they stand',
      [
        owner('console', '2026-03-02T00:00:00Z', paused),
        owner('oc', '2026-03-03T00:00:00Z', paused),
        owner('old', '2026-03-01T00:00:00Z', paused),
      ],
      'oc',
    ],
    ['a writer without a time, when there is no other', [owner('ancient', undefined, paused)], 'ancient'],
    [
      'a writer with a time before one without',
      [owner('oc', '2026-03-01T00:00:00Z', paused), owner('ancient', undefined, paused)],
      'oc',
    ],
    [
      'ourselves, where Argo CD has applied the pause that it found',
      [owner('poolkeeper', '2026-03-01T00:00:00Z', paused), owner('argocd-controller', '2026-03-02T00:00:00Z', paused)],
      'poolkeeper',
    ],
    [
      'a person who has applied it beside us',
      [owner('poolkeeper', '2026-03-01T00:00:00Z', paused), owner('kubectl', '2026-03-02T00:00:00Z', paused)],
      'kubectl',
    ],
    [
      'Argo CD, where it has taken the pause from us',
      [
        owner('poolkeeper', '2026-03-01T00:00:00Z', { 'f:metadata': {} }),
        owner('argocd-controller', '2026-03-02T00:00:00Z', paused),
      ],
      'argocd-controller',
    ],
    [
      'never who wrote the status',
      [owner('oc', '2026-03-01T00:00:00Z', paused), owner('mcc', '2026-03-02T00:00:00Z', paused, 'status')],
      'oc',
    ],
  ])('is paused by %s', (_, managedFields, manager) => {
    expect(poolOf(poolBody({ metadata: { managedFields } })).pausedBy?.manager).toBe(manager);
  });

  test('[N-4] [N-21] has our record as long as we own it, also where Argo CD has applied what it found', () => {
    const record = { 'f:metadata': { 'f:annotations': { 'f:poolkeeper.dev/holds': {} } } };
    const ours = owner('poolkeeper', '2026-03-01T00:00:00Z', record);
    const theirs = owner('argocd-controller', '2026-03-02T00:00:00Z', record);
    const by = (...managedFields: object[]) => poolOf(poolBody({ metadata: { managedFields } })).recordBy;

    expect([by(ours, theirs), by(ours), by(theirs), by()]).toEqual([
      'poolkeeper',
      'poolkeeper',
      'argocd-controller',
      undefined,
    ]);
  });

  const noted = 'kubectl.kubernetes.io/last-applied-configuration';
  const notes = { 'f:metadata': { 'f:annotations': { [`f:${noted}`]: {} } } };
  const updating = { ...owner('argocd-controller', '2026-03-02T00:00:00Z', notes), operation: 'Update' };
  const applying = (fields: object) => ({
    ...owner('argocd-controller', '2026-03-02T00:00:00Z', fields),
    operation: 'Apply',
  });
  const wanted = JSON.stringify({ spec: { paused: true } });

  test.each<[string, { entries: readonly object[]; note?: string; paused?: boolean }, string | undefined]>([
    ['notes it', { entries: [updating], note: wanted }, 'argocd-controller'],
    ['notes the opposite', { entries: [updating], note: JSON.stringify({ spec: { paused: false } }) }, undefined],
    ['notes nothing of it', { entries: [updating], note: JSON.stringify({ spec: {}, note: wanted }) }, undefined],
    ['notes no JSON', { entries: [updating], note: wanted.slice(1) }, undefined],
    ['has not written what is noted', { entries: [owner('kubectl', undefined, notes)], note: wanted }, undefined],
    ['noted it of a pool that is not paused', { entries: [updating], note: wanted, paused: false }, undefined],
    ['owns it by server-side apply', { entries: [applying(paused)] }, 'argocd-controller'],
    ['owns another field by server-side apply', { entries: [applying({ 'f:spec': {} })] }, undefined],
    [
      'noted it before it went over to server-side apply',
      { entries: [updating, applying({ 'f:spec': {} })], note: wanted },
      undefined,
    ],
  ])('[S0-14] whose pause Argo CD %s', (_, { entries, note, paused: isPaused = true }, expected) => {
    const annotations = note === undefined ? {} : { [noted]: note };
    const body = poolBody({ metadata: { managedFields: entries, annotations }, spec: { paused: isPaused } });

    expect(poolOf(body).appliedPausedBy?.manager).toBe(expected);
  });

  test('[S0-14] tells an owner of the pause by server-side apply from one who noted it', () => {
    const read = (entries: readonly object[]) =>
      poolOf(
        poolBody({ metadata: { managedFields: entries, annotations: { [noted]: wanted } }, spec: { paused: true } }),
      ).appliedPausedBy?.ownsField;

    expect([read([applying(paused)]), read([updating])]).toEqual([true, undefined]);
  });

  test('[S0-14] bears the mark of the Application that has applied it', () => {
    const annotations = {
      'argocd.argoproj.io/tracking-id': 'pools:machineconfiguration.openshift.io/MachineConfigPool:default/worker',
    };

    expect(poolOf(poolBody({ metadata: { annotations } })).deployedBy).toEqual({ name: 'pools' });
    expect(poolOf(poolBody({ metadata: { name: 'copy', annotations } })).deployedBy).toBeUndefined();
  });

  test.each([
    [{ 'app.kubernetes.io/instance': 'pools' }, { name: 'pools' }],
    [{ 'argocd.argoproj.io/instance': 'pools', 'app.kubernetes.io/instance': 'chart' }, { name: 'pools' }],
    [{ 'app.kubernetes.io/instance': 'team_pools' }, { namespace: 'team', name: 'pools' }],
    [{ 'app.kubernetes.io/instance': '' }, undefined],
    [{ 'app.kubernetes.io/instance': 'Pools of all' }, undefined],
    [{ app: 'pools' }, undefined],
  ])('[S0-14] bears its mark as a label, where Argo CD marks by labels: %j', (labels, expected) => {
    expect(poolOf(poolBody({ metadata: { labels } })).deployedBy).toEqual(expected);
  });

  test('[S0-14] that Git pauses by its record is paused by Argo CD, for as long as that is what it applies', () => {
    const record = { v: 1, holds: [], pausedInGit: { by: 'argocd-controller', at: '2026-03-01T00:00:00Z' } };
    const annotations = { [holdsAnnotation]: JSON.stringify(record), [noted]: wanted };
    const authorOf = (entries: readonly object[], isPaused = true) =>
      poolOf(poolBody({ metadata: { managedFields: entries, annotations }, spec: { paused: isPaused } })).pausedBy;
    const ours = owner('poolkeeper', '2026-03-01T00:00:00Z', paused);

    expect(authorOf([ours, updating])).toEqual({ manager: 'argocd-controller', at: record.pausedInGit.at });
    expect(authorOf([ours])?.manager).toBe('poolkeeper');
    expect(authorOf([ours, updating], false)?.manager).toBe('poolkeeper');
    expect(authorOf([owner('oc', '2026-03-03T00:00:00Z', paused), updating])?.manager).toBe('oc');
  });

  test('knows a condition status that it was not told about as unknown', () => {
    const conditions = [{ type: 'Updated', status: 'Perhaps' }];

    expect(poolOf(poolBody({ status: { conditions } })).conditions).toEqual([
      { type: 'Updated', status: 'Unknown', reason: '', message: '', since: undefined },
    ]);
  });

  test.each([
    ['no object', 'hello'],
    ['no metadata', { spec: {} }],
    ['a paused that is no boolean', poolBody({ spec: { paused: 'yes' } })],
  ])('with %s is not guessed at', (_, body) => {
    expect(() => poolOf(body)).toThrow(Transient);
  });
});

describe('a patch', () => {
  test('is one merge patch with the resourceVersion, the pause and the record', async () => {
    const { pools, seen } = await poolsAt(() => ({ body: poolBody() }));
    const record = aRecord();

    await pools.patchPool({ name: 'worker', resourceVersion: '6' }, { paused: true, record });

    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'PATCH', path: poolPath, query: { fieldManager: 'poolkeeper' } });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      metadata: { resourceVersion: '6', annotations: { 'poolkeeper.dev/holds': JSON.stringify(record) } },
      spec: { paused: true },
    });
  });

  test.each<[string, object, object]>([
    [
      'the record alone',
      { record: null },
      { metadata: { resourceVersion: '6', annotations: { 'poolkeeper.dev/holds': null } } },
    ],
    ['the pause alone', { paused: false }, { metadata: { resourceVersion: '6' }, spec: { paused: false } }],
  ])('leaves out what does not change: %s', async (_, change, body) => {
    const { pools, seen } = await poolsAt(() => ({ body: poolBody() }));

    await pools.patchPool({ name: 'worker', resourceVersion: '6' }, change);

    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body);
  });
});

describe('nodes', () => {
  test('are read from their metadata alone, also where the whole object is sent', async () => {
    const metadata = {
      name: 'worker-1',
      uid: 'n1',
      labels: { zone: 'a' },
      annotations: {
        'machineconfiguration.openshift.io/currentConfig': 'rendered-a',
        'machineconfiguration.openshift.io/desiredConfig': 'rendered-b',
        'machineconfiguration.openshift.io/post-config-action': 'Rebooting',
      },
    };
    const { pools, seen } = await poolsAt(() => ({ body: { items: [{ metadata, status: { images: [] } }] } }));

    const { items: nodes } = await pools.listNodes({
      matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
    });

    expect(nodes).toMatchObject([
      {
        name: 'worker-1',
        currentConfig: 'rendered-a',
        desiredConfig: 'rendered-b',
        postConfigAction: 'Rebooting',
        state: '',
      },
    ]);
    expect(seen[0]).toMatchObject({ path: '/api/v1/nodes', query: { labelSelector: 'zone in (a,b)', limit: '500' } });
    expect(seen[0]?.headers.accept).toContain('as=PartialObjectMetadataList');
  });

  test('were targeted when the owner of desiredConfig last wrote', () => {
    const annotation = (key: string) => ({
      'f:metadata': { 'f:annotations': { [`f:machineconfiguration.openshift.io/${key}`]: {} } },
    });
    const managedFields = [
      owner('machine-config-daemon', '2026-03-02T10:00:09Z', annotation('currentConfig')),
      owner('machine-config-controller', '2026-03-02T10:00:05Z', annotation('desiredConfig')),
    ];

    expect(nodeOf({ metadata: { name: 'n', managedFields } }).targetedAt).toBe('2026-03-02T10:00:05Z');
    expect(nodeOf({ metadata: { name: 'n' } }).targetedAt).toBeUndefined();
  });
});

test('[C-13] [N-29] a cluster that has no pools is told as that, not by a bare 404', async () => {
  const { pools } = await poolsAt(() => ({ status: 404, body: '404 page not found' }));

  const refusal = await pools.listPools().catch((cause: unknown) => cause);

  expect(refusal).toBeInstanceOf(Transient);
  expect(refusal).toMatchObject({
    message: expect.stringMatching(
      /machineconfigpools: 404.*: this cluster has no MachineConfigPools; hosted control planes/,
    ),
  });
});

describe('MachineConfigs', () => {
  const nothing = (): StubReply => ({
    status: 404,
    body: { kind: 'Status', reason: 'NotFound', details: { name: 'x' } },
  });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `mc-${index}`);

  test('are asked for one by one up to eight, and never with their content', async () => {
    const { pools, seen } = await poolsAt(nothing);

    await pools.readMachineConfigs([...names(8), 'mc-0']);

    expect(seen).toHaveLength(8);
    expect(seen.every(({ headers }) => headers.accept?.includes('as=PartialObjectMetadata;'))).toBe(true);
  });

  test('are listed beyond eight, and never with their content', async () => {
    const items = [{ metadata: { name: 'mc-3' } }, { metadata: { name: 'other' } }];
    const { pools, seen } = await poolsAt(() => ({ body: { items } }));

    const { items: heads } = await pools.readMachineConfigs(names(9));

    expect(heads.map(({ name }) => name)).toEqual(['mc-3']);
    expect(seen.map(({ headers }) => headers.accept?.includes('as=PartialObjectMetadataList;'))).toEqual([true]);
  });

  test.each(['', '.', '..', 'a/b', 'a%b', '../machineconfigpools/worker', 'A', '\ud800'])(
    '[S0-3] [N-30] whose name no object can have are not asked for, and fail no pass: %j',
    async (name) => {
      // As the API server does: a list, other things, or a refusal.
      const { pools, seen } = await poolsAt(({ path }) =>
        path.endsWith('/machineconfigs/mc-0')
          ? { body: { metadata: { name: 'mc-0' } } }
          : path.includes('%')
            ? { status: 400, body: { kind: 'Status', reason: 'BadRequest', message: 'Name parameter invalid' } }
            : { body: { items: [], metadata: {} } },
      );

      const { items: heads } = await pools.readMachineConfigs([name, 'mc-0']);

      expect(heads.map((head) => head.name)).toEqual(['mc-0']);
      expect(seen).toHaveLength(1);
    },
  );

  test('changed when their spec was last written, not their labels or status', async () => {
    const managedFields = [
      owner('argocd-controller', '2026-03-02T10:00:00Z', { 'f:spec': { 'f:config': {} } }),
      owner('kubectl-label', '2026-03-02T11:00:00Z', { 'f:metadata': { 'f:labels': {} } }),
    ];
    const { pools } = await poolsAt(() => ({ body: { metadata: { name: 'mc-0', managedFields } } }));

    expect((await pools.readMachineConfigs(['mc-0'])).items).toEqual([
      { name: 'mc-0', labels: {}, changedAt: '2026-03-02T10:00:00Z' },
    ]);
  });
});

describe('an announcement', () => {
  const pool = { name: 'worker', uid: 'u1' };
  const event = {
    reason: 'Paused',
    message: 'm',
    type: 'Normal',
    at: new Date('2026-03-02T10:00:00.700Z'),
  } as const;

  test('has the same name when it is repeated and another for another event', async () => {
    const { pools, seen } = await poolsAt(() => ({ status: 201 }));

    await pools.recordEvent(pool, event);
    await pools.recordEvent(pool, event);
    await pools.recordEvent(pool, { ...event, message: 'n' });

    const names = seen.map(({ body }) => JSON.parse(body).metadata.name as string);
    expect(names[0]).toMatch(/^worker\.[0-9a-f]{16}$/);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
    expect(seen[0]?.path).toBe('/api/v1/namespaces/default/events');
  });

  test.each([403, 409, 500])('that is answered with %i disturbs nobody', async (code) => {
    const { pools } = await poolsAt(() => ({ status: code, body: { kind: 'Status' } }));

    await expect(pools.recordEvent(pool, event)).resolves.toBeUndefined();
  });
});

test.each(['constructor', 'toString'])(
  '[N-30] a pool named %s, as every object has a member, is told as unreadable and spoils no other',
  async (name) => {
    const items = [poolBody({ metadata: { name } }), poolBody()];
    const { pools } = await poolsAt(() => ({ body: { items } }));

    const { items: read, unreadable } = await pools.listPools();

    expect(read.map((pool) => pool.name)).toEqual(['worker']);
    expect(unreadable).toMatchObject([{ kind: 'MachineConfigPool', name, why: 'cannot be parsed at metadata.name' }]);
  },
);
