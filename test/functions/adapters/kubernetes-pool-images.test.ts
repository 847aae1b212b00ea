import { expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { readPoolImages } from '../../../functions/adapters/kubernetes/pool-images.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { type StubReply, startStub } from './stub-server.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';
const prefix = 'machineconfiguration.openshift.io/';

/** A cluster that answers these paths, and says of every other one what a release without it says. */
async function clusterWith(answers: Readonly<Record<string, StubReply>>) {
  const stub = await startStub(
    ({ path }) => answers[path.split('?')[0] ?? ''] ?? { status: 404, body: '404 page not found' },
  );
  const client = createKubeClient({
    ...systemRuntime,
    server: stub.url,
    token: async () => 't',
    userAgent: 'poolkeeper/test',
  });
  onTestFinished(() => client.close());
  return { read: () => readPoolImages(client), seen: stub.seen };
}

const listOf = (...items: readonly unknown[]): StubReply => ({ body: { kind: 'List', metadata: {}, items } });

/** As the API server returns them. Form: api machineconfiguration/v1 types_machineosconfig.go and
 *  types_machineosbuild.go. */
function machineOSConfig(change: { readonly metadata?: object; readonly status?: object } = {}) {
  const annotations = { [`${prefix}current-machine-os-build`]: 'worker-9a8b' };
  return {
    metadata: { name: 'worker', generation: 2, annotations, ...change.metadata },
    spec: { machineConfigPool: { name: 'worker' }, renderedImagePushSpec: 'registry.example.com/os:latest' },
    status: { observedGeneration: 2, ...change.status },
  };
}

function machineOSBuild(...conditions: readonly (readonly [type: string, status: string])[]) {
  return {
    metadata: { name: 'worker-9a8b', creationTimestamp: '2026-03-02T10:00:30Z' },
    spec: { machineConfig: { name: 'rendered-worker-aaa' }, machineOSConfig: { name: 'worker' } },
    status: {
      buildStart: '2026-03-02T10:00:31Z',
      conditions: conditions.map(([type, status]) => ({ type, status })),
    },
  };
}

const writtenBy = (manager: string, time: string, fieldsV1: object) => ({
  manager,
  time,
  operation: 'Update',
  fieldsV1,
});

test('[N-30] MachineOSConfigs and MachineOSBuilds are read in two lists', async () => {
  const { read, seen } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig()),
    [`${mco}/machineosbuilds`]: listOf(machineOSBuild(['Prepared', 'False'], ['Building', 'True'])),
  });

  expect(await read()).toEqual({
    configs: [{ name: 'worker', pool: 'worker', image: undefined, currentBuild: 'worker-9a8b', asked: undefined }],
    builds: [
      {
        name: 'worker-9a8b',
        of: 'worker',
        config: 'rendered-worker-aaa',
        state: 'under-way',
        createdAt: '2026-03-02T10:00:30Z',
        endedAt: undefined,
      },
    ],
    unreadable: [],
    isServed: true,
  });
  expect(seen).toHaveLength(2);
});

test('[N-30] images are read whole, with the digests at their ends, and one that is empty is none', async () => {
  const image = `${'r'.repeat(447 - 72)}@sha256:${'0b'.repeat(32)}`;
  const built = machineOSBuild(['Succeeded', 'True']);
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig({ status: { currentImagePullSpec: image } })),
    [`${mco}/machineosbuilds`]: listOf(
      { ...built, status: { ...built.status, digestedImagePushSpec: image } },
      { ...built, status: { ...built.status, digestedImagePushSpec: '' } },
    ),
  });

  const { configs, builds } = await read();

  expect(configs.map((each) => each.image)).toEqual([image]);
  expect(builds.map((each) => each.image)).toEqual([image, undefined]);
});

test('[N-30] a release that does not serve them, or a cluster without any, costs one read', async () => {
  const old = await clusterWith({});
  const unused = await clusterWith({ [`${mco}/machineosconfigs`]: listOf() });

  expect(await old.read()).toEqual({ configs: [], builds: [], unreadable: [], isServed: false });
  expect(await unused.read()).toEqual({ configs: [], builds: [], unreadable: [], isServed: true });
  expect([old.seen.length, unused.seen.length]).toEqual([1, 1]);
});

test.each(['machineosconfigs', 'machineosbuilds'])('[N-30] %s that may not be listed are not none', async (plural) => {
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig()),
    [`${mco}/machineosbuilds`]: listOf(),
    [`${mco}/${plural}`]: { status: 403, body: { kind: 'Status', status: 'Failure', code: 403, message: 'no' } },
  });

  await expect(read()).rejects.toMatchObject({ name: 'Transient', kind: 'forbidden' });
});

test.each([
  [[], 'under-way'],
  [[['Prepared', 'True']], 'under-way'],
  [
    [
      ['Building', 'False'],
      ['Succeeded', 'True'],
    ],
    'succeeded',
  ],
  [[['Failed', 'True']], 'failed'],
  [[['Interrupted', 'True']], 'interrupted'],
] as const)('[N-30] a build with the conditions %j: %s', async (conditions, state) => {
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig()),
    [`${mco}/machineosbuilds`]: listOf(machineOSBuild(...conditions)),
  });

  expect((await read()).builds).toMatchObject([{ state }]);
});

test.each([
  [
    'a change that the MCO has not observed',
    { metadata: { generation: 3, managedFields: [writtenBy('argocd', '2026-03-02T10:00:00Z', { 'f:spec': {} })] } },
    { what: 'change', at: '2026-03-02T10:00:00Z' },
  ],
  [
    'a first one, of which it says nothing',
    { status: { observedGeneration: null } },
    { what: 'change', at: undefined },
  ],
  [
    'a rebuild',
    {
      metadata: {
        annotations: { [`${prefix}current-machine-os-build`]: 'worker-9a8b', [`${prefix}rebuild`]: '' },
        managedFields: [
          writtenBy('kubectl-annotate', '2026-03-02T10:00:00Z', {
            'f:metadata': { 'f:annotations': { [`f:${prefix}rebuild`]: {} } },
          }),
        ],
      },
    },
    { what: 'rebuild', at: '2026-03-02T10:00:00Z' },
  ],
  ['a rebuild where no build is current', { metadata: { annotations: { [`${prefix}rebuild`]: '' } } }, undefined],
])('[N-30] what is asked for: %s', async (_which, change, asked) => {
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig(change)),
    [`${mco}/machineosbuilds`]: listOf(),
  });

  expect((await read()).configs[0]?.asked).toEqual(asked);
});

test.each([
  ['registry.example.com/os@sha256:bbb', 'registry.example.com/os@sha256:bbb'],
  ['', undefined],
  [7, undefined],
])('[N-30] the image that its nodes are to boot, said as %j: %s', async (currentImagePullSpec, image) => {
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(machineOSConfig({ status: { currentImagePullSpec } })),
    [`${mco}/machineosbuilds`]: listOf(),
  });

  expect((await read()).configs[0]).toMatchObject({ image, asked: undefined });
});

test('[N-30] one that is being deleted is left out, and one that cannot be parsed hides no other', async () => {
  const { read } = await clusterWith({
    [`${mco}/machineosconfigs`]: listOf(
      machineOSConfig({ metadata: { deletionTimestamp: '2026-03-02T10:00:00Z' } }),
      { metadata: { name: 'odd' }, spec: {} },
      machineOSConfig({ metadata: { name: 'gpu' } }),
    ),
    [`${mco}/machineosbuilds`]: listOf(7, machineOSBuild()),
  });

  expect(await read()).toMatchObject({
    configs: [{ name: 'gpu' }],
    builds: [{ name: 'worker-9a8b' }],
    unreadable: [
      { kind: 'MachineOSConfig', name: 'odd', why: 'cannot be parsed at spec.machineConfigPool' },
      { kind: 'MachineOSBuild', name: '', why: 'cannot be parsed at the whole object' },
    ],
  });
});
