import { describe, expect, test } from 'vitest';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import { clusterArgoCd } from '../../../functions/adapters/kubernetes/argocd.ts';
import { clusterHealthChecks } from '../../../functions/adapters/kubernetes/health-checks.ts';
import { itemByItem } from '../../../functions/adapters/kubernetes/item-by-item.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { clusterReader } from '../../../functions/adapters/kubernetes/object-reader.ts';
import { clusterPools } from '../../../functions/adapters/kubernetes/pools.ts';
import { clusterRenderings } from '../../../functions/adapters/kubernetes/renderings.ts';
import type { Listed } from '../../../functions/core/findings/listed.ts';
import { foreignLimits } from '../../../functions/core/text/foreign-text.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

const metadata = {
  name: 'subject',
  namespace: 'home',
  uid: 'u-1',
  resourceVersion: '7',
  creationTimestamp: '2026-03-02T10:00:00Z',
  generation: 3,
  labels: { 'app.kubernetes.io/name': 'argocd-application-controller', zone: 'a' },
  annotations: { 'poolkeeper.dev/pools': 'worker', 'machineconfiguration.openshift.io/reason': 'why' },
  ownerReferences: [{ kind: 'ApplicationSet', name: 'fleet' }],
  managedFields: [
    {
      manager: 'argocd',
      time: '2026-03-02T10:00:00Z',
      subresource: '',
      fieldsV1: { 'f:spec': { 'f:paused': {} }, 'f:metadata': { 'f:annotations': { 'f:x': {} } } },
    },
  ],
};

const source = {
  repoURL: 'https://git.example/x',
  path: 'p',
  targetRevision: 'main',
  chart: '',
  ref: 'r',
  directory: { recurse: true, include: '*', exclude: '' },
};

const resource = { group: 'g', kind: 'MachineConfig', namespace: '', name: 'n', status: 'SyncFailed', message: 'm' };

const application = {
  metadata,
  spec: {
    destination: { server: 'https://kubernetes.default.svc', name: '' },
    source,
    sources: [source],
    sourceHydrator: { drySource: source, syncSource: { repoURL: 'u', targetBranch: 'b', path: 'p' } },
    syncPolicy: { automated: { enabled: true, selfHeal: false }, retry: { limit: 2 }, syncOptions: ['A=true'] },
    ignoreDifferences: [{ group: 'g', kind: 'k', jsonPointers: ['/spec'], jqPathExpressions: ['.x'] }],
  },
  operation: { sync: { dryRun: false } },
  status: {
    sync: { status: 'Synced', revision: 'abc', revisions: ['abc'] },
    health: { status: 'Healthy' },
    reconciledAt: '2026-03-02T10:00:00Z',
    resources: [resource],
    operationState: {
      phase: 'Running',
      message: 'running',
      startedAt: '2026-03-02T10:00:00Z',
      finishedAt: '2026-03-02T10:00:00Z',
      retryCount: 1,
      operation: {
        sync: { revision: 'abc', revisions: ['abc'], dryRun: false, resources: [{}], syncStrategy: { apply: {} } },
        initiatedBy: { username: 'anna' },
      },
      syncResult: { revision: 'abc', revisions: ['abc'], resources: [{ ...resource, hookType: 'PreSync' }] },
    },
  },
};

const selector = {
  matchLabels: { pool: 'worker' },
  matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }],
};

const pool = {
  metadata,
  spec: {
    paused: true,
    machineConfigSelector: selector,
    nodeSelector: selector,
    maxUnavailable: '10%',
    configuration: { name: 'rendered-worker-1', source: [{ name: '00-worker' }] },
  },
  status: {
    observedGeneration: 3,
    configuration: { name: 'rendered-worker-1', source: [{ name: '00-worker' }] },
    machineCount: 1,
    updatedMachineCount: 1,
    readyMachineCount: 1,
    unavailableMachineCount: 0,
    degradedMachineCount: 0,
    conditions: [{ type: 'Degraded', status: 'True', reason: 'r', message: 'm', lastTransitionTime: 't' }],
    certExpirys: [{ expiry: '2026-05-02T10:00:00Z' }],
  },
};

const set = {
  metadata,
  spec: {
    generators: [
      { git: { repoURL: 'u', revision: 'main', files: [{ path: 'a', exclude: false }], requeueAfterSeconds: 60 } },
      { matrix: { generators: [{ git: { repoURL: 'u', revision: 'main', directories: [{ path: 'a' }] } }] } },
    ],
    template: { spec: application.spec },
    templatePatch: '',
  },
};

const healthCheck = { metadata, spec: { selector } };
const pod = { metadata, spec: { nodeName: 'node-1' }, status: { phase: 'Running' } };
const chooser = { metadata, spec: { machineConfigPoolSelector: selector, machineConfigPool: { name: 'worker' } } };

/** A client whose every list has these items. */
function clientOf(items: readonly Json[]): KubeClient {
  const refuse = () => Promise.reject(new Error('nothing is written here'));
  return {
    get: async () => items[0],
    pages: async function* () {
      yield items;
    },
    list: async () => items,
    count: async () => items.length,
    mergePatch: refuse,
    post: refuse,
    apply: refuse,
    remove: refuse,
    close: async () => undefined,
  };
}

const settings = { name: 'hub', namespaces: ['home'], controllerNamespace: 'home' };

/** Every list of objects that somebody else writes. */
const lists: readonly (readonly [string, string, Fields, (client: KubeClient) => Promise<Listed<unknown>>])[] = [
  ['pools', 'MachineConfigPool', pool, (client) => clusterPools(client).listPools()],
  ['nodes', 'Node', { metadata }, (client) => clusterPools(client).listNodes({})],
  ['Applications', 'Application', application, (client) => clusterArgoCd(client, settings).listApplications()],
  ['ApplicationSets', 'ApplicationSet', set, (client) => clusterArgoCd(client, settings).listApplicationSets()],
  [
    'MachineHealthChecks',
    'MachineHealthCheck',
    healthCheck,
    (client) => clusterHealthChecks(client).listHealthChecks(),
  ],
  ['machines', 'Machine', { metadata }, (client) => clusterHealthChecks(client).listMachines()],
];

/** Reads of which one item says enough, or whose invalid items change nothing for the better. */
const reads: readonly (readonly [string, Fields, (client: KubeClient) => Promise<unknown>])[] = [
  ...lists.map(([what, , body, list]) => [what, body, list] as const),
  ['controller pods', pod, (client) => clusterArgoCd(client, settings).controllerNodes()],
  ['choosers', chooser, (client) => clusterRenderings(client).readChoosers(['KubeletConfig', 'MachineOSConfig'])],
  [
    'objects of a diagnosis',
    pool,
    (client) => clusterReader(client, () => new Date(0)).read({ path: '/x', query: {} }),
  ],
  ['MachineConfigs', { metadata }, (client) => clusterPools(client).readMachineConfigs(['subject'])],
];

/** Paths of all values within a value, the value itself left out. */
function pathsIn(value: Json): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsIn(inner).map((path) => [key, ...path])]);
}

function at(value: Json, [key, ...rest]: readonly string[]): Json | undefined {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = Object.entries(value).find(([name]) => name === key)?.[1];
  return inner === undefined ? undefined : at(inner, rest);
}

/** The value with another one at a path. */
function changed(value: Json, [key, ...rest]: readonly string[], by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((each, index) => (String(index) === key ? changed(each, rest, by) : each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === key ? changed(inner, rest, by) : inner]),
  );
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Date || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

const size = 150_000;
const longTexts = ['-eyJ'.repeat(size / 4), 'a'.repeat(size), `password=${'x y'.repeat(size / 3)}`, '\n'.repeat(size)];

/** Of every kind of JSON. */
const wrongValues: readonly Json[] = [null, true, -1, '', 'x', [], [null], [[]], {}, { x: null }, 1e300];

/** The longest that leaves an adapter: an annotation that is interpreted. */
const longest = foreignLimits.annotation;

describe('[N-30] texts of strangers', () => {
  test.each(reads)('that are long leave the adapter short, wherever they stand: %s', async (_what, body, read) => {
    const texts = pathsIn(body).filter((path) => typeof at(body, path) === 'string');
    expect(texts.length).toBeGreaterThan(5);

    for (const path of texts)
      for (const long of longTexts) {
        const seen = await read(clientOf([changed(body, path, long)])).catch((cause: unknown) => String(cause));

        const beyond = textsIn(seen).filter((text) => text.length > longest);
        expect(beyond.length, path.join('.')).toBe(0);
      }
  });

  test.each(reads)('that are names of fields do so as well: %s', async (_what, body, read) => {
    const maps = pathsIn(body).filter((path) => isMap(at(body, path)));

    for (const path of maps) {
      const seen = await read(clientOf([changed(body, path, { ['k'.repeat(size)]: 'v' })])).catch((cause: unknown) =>
        String(cause),
      );

      expect(textsIn(seen).filter((text) => text.length > longest).length, path.join('.')).toBe(0);
    }
  });
});

function isMap(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('[N-30] one invalid object', () => {
  const [before, after] = ['one', 'other'].map((name) => ({ ...metadata, name }));

  test.each(lists)(
    'hides none of the other %s, and is listed with its name and a reason',
    async (_w, kind, body, list) => {
      const others = [before, after].map((each) => ({ ...body, metadata: each ?? metadata }));
      const alone = (await list(clientOf(others))).items;
      let unreadable = 0;

      for (const path of [[], ...pathsIn(body)])
        for (const wrong of wrongValues) {
          const broken = changed(body, path, wrong);
          const seen = await list(clientOf([...others.slice(0, 1), broken, ...others.slice(1)]));

          const where = `${path.join('.')} = ${JSON.stringify(wrong)}`;
          expect(seen.items, where).toEqual(expect.arrayContaining([...alone]));
          expect(seen.unreadable.length, where).toBeLessThanOrEqual(1);
          for (const item of seen.unreadable) {
            unreadable += 1;
            expect(item.kind).toBe(kind);
            expect(item.why, where).toMatch(/cannot be parsed/);
            if (at(broken, ['metadata', 'name']) === 'subject') expect(item.name, where).toBe('subject');
          }
        }
      expect(unreadable).toBeGreaterThan(0);
    },
  );

  test('that is asked for by name is not taken for one that does not exist', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `mc-${index}`);
    const bodies = names.map((name) => ({ metadata: { ...metadata, name } }));
    const broken = { metadata: { ...metadata, name: 'mc-3', labels: 7 } };
    const withBroken = (items: readonly Json[]) => clusterPools(clientOf(items)).readMachineConfigs(names);

    const read = await withBroken([...bodies.filter((_, index) => index !== 3), broken]);

    expect(read.items).toHaveLength(8);
    expect(read.unreadable).toMatchObject([
      { kind: 'MachineConfig', name: 'mc-3', why: expect.stringContaining('cannot be parsed') },
    ]);
    expect((await withBroken([...bodies, { metadata: { name: 'other', labels: 7 } }])).items).toHaveLength(9);
  });
});

test('[N-30] an object on which parsing itself fails spoils no other', () => {
  const { items, unreadable } = itemByItem('Application', [{ metadata: { name: 'evil' } }, 'fine'], (body) => {
    if (typeof body === 'string') return body;
    throw new RangeError('Maximum call stack size exceeded');
  });

  expect(items).toEqual(['fine']);
  expect(unreadable).toEqual([{ kind: 'Application', namespace: '', name: 'evil', why: 'cannot be parsed' }]);
});

describe('the reason of an object that cannot be parsed', () => {
  const canary = 'canary-of-a-value-5d1e';
  const wrong = [canary, [canary], { [canary.slice(0, 6)]: canary }, 7];
  const places: readonly (readonly string[])[] = [
    ['metadata', 'labels', 'a'],
    ['metadata', 'annotations', 'a'],
    ['metadata', 'managedFields'],
    ['spec'],
    ['spec', 'source'],
    ['spec', 'sources'],
    ['spec', 'destination'],
    ['spec', 'source', 'repoURL'],
    ['spec', 'source', 'helm'],
    ['status', 'sync'],
    ['status', 'operationState'],
    ['status', 'operationState', 'syncResult'],
    ['status', 'resources'],
    ['operation'],
  ];

  test('[N-30] names fields and quotes no value, whatever is wrong where', () => {
    const bodies = places.flatMap((place) =>
      wrong.map((value) => {
        const root = place.toReversed().reduce<unknown>((inner, key) => ({ [key]: inner }), value);
        const { metadata = {}, ...rest } = JSON.parse(JSON.stringify(root));
        return { metadata: { name: 'a', namespace: 'b', ...metadata }, ...rest };
      }),
    );

    const { unreadable } = itemByItem('Application', bodies, (body) => applicationOf('hub', body));

    expect(unreadable.length).toBeGreaterThan(10);
    expect(unreadable.map(({ why }) => why).join('\n')).not.toContain(canary);
    expect(unreadable.filter(({ why }) => !why.startsWith('cannot be parsed at '))).toEqual([]);
  });
});
