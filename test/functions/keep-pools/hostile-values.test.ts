import { afterEach, expect, test } from 'vitest';
import { dynamoTables } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { applicationOf } from '../../../functions/adapters/kubernetes/application-of.ts';
import { setRouteOf } from '../../../functions/adapters/kubernetes/application-set-of.ts';
import { itemByItem } from '../../../functions/adapters/kubernetes/item-by-item.ts';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { clusterPools } from '../../../functions/adapters/kubernetes/pools.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { aPool } from '../../fakes/index.ts';
import { changedFile, machineConfigText } from '../receive-github/push-of-files.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, nodesHold, tickOf } from './keep-lab.ts';

type Body = Readonly<Record<string, unknown>>;

/** Texts that are no name, path, key or pattern, or one that means something else. */
const texts: readonly string[] = [
  '',
  '..',
  '../../x',
  'a?b#c%',
  '%E0%A4%A',
  '*',
  '__proto__',
  'constructor',
  '\u0000\n',
  '\ud800',
  '\uffff',
  '"\'`$(x)|,;',
  '{{.x}}',
  '[(?<',
  'x'.repeat(5000),
  '\u3042'.repeat(253),
];

const instants: readonly string[] = [
  '0000-01-01T00:00:00+14:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-14:00',
  '2026-03-02t10:00:05.123456789z',
  `2026-03-02T10:00:05.${'1'.repeat(3000)}Z`,
  '2026-02-29T10:00:00Z',
  '+275760-09-13T00:00:00.000Z',
];

const numbers: readonly number[] = [-1, 0.5, 1e308, Number.MAX_SAFE_INTEGER + 2];

const row = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: '99-gpu', status: 'Synced' };
const source = { repoURL: 'https://github.com/acme/platform.git', path: 'theirs', targetRevision: 'main' };

/** A tenant's Application in mid-sync, which follows the same repository and writes a MachineConfig of pool gpu. */
function theirs(change: { metadata?: Body; spec?: Body; status?: Body; state?: Body }): Body {
  return {
    metadata: { namespace: 'openshift-gitops', uid: 'theirs', ...change.metadata },
    spec: {
      destination: { server: 'https://kubernetes.default.svc' },
      source,
      syncPolicy: { automated: {} },
      ...change.spec,
    },
    status: {
      resources: [row],
      operationState: {
        phase: 'Running',
        startedAt: '2026-03-02T10:00:05Z',
        operation: { sync: { revision: commitA } },
        syncResult: { revision: commitA, resources: [row] },
        ...change.state,
      },
      ...change.status,
    },
  };
}

const withRow = (change: Body) => theirs({ status: { resources: [row, { ...row, ...change }] } });
const withResult = (change: Body) => theirs({ state: { syncResult: { resources: [row, { ...row, ...change }] } } });

const ofText: readonly ((text: string) => Body)[] = [
  (name) => withRow({ name }),
  (kind) => withRow({ kind }),
  (group) => withRow({ group, kind: group, namespace: group, name: group, status: group }),
  (name) => withRow({ group: 'argoproj.io', kind: 'Application', namespace: name, name }),
  (name) => withRow({ group: 'argoproj.io', kind: 'ApplicationSet', namespace: name, name }),
  (name) => withResult({ name, message: name, status: 'SyncFailed' }),
  (hook) => withResult({ hookType: hook, hookPhase: hook, syncPhase: hook }),
  (text) => theirs({ state: { phase: 'Failed', message: text, operation: { initiatedBy: { username: text } } } }),
  (revision) =>
    theirs({ state: { operation: { sync: { revision } }, syncResult: { revision, revisions: [revision] } } }),
  (revision) => theirs({ status: { sync: { status: 'Synced', revision }, health: { status: revision } } }),
  (name) => theirs({ spec: { project: name, destination: { name } } }),
  (server) => theirs({ spec: { destination: { server } } }),
  (text) => theirs({ spec: { source: { ...source, repoURL: `https://github.com/${text}` } } }),
  (text) => theirs({ spec: { source: { ...source, path: text, directory: { include: text, exclude: text } } } }),
  (text) =>
    theirs({
      spec: {
        sources: [
          { ...source, targetRevision: text },
          { ...source, ref: text },
        ],
      },
    }),
  (name) => theirs({ spec: { source, ignoreDifferences: [{ group: name, kind: name, name, jsonPointers: [name] }] } }),
  (name) => theirs({ metadata: { uid: name, ownerReferences: [{ kind: 'ApplicationSet', name }] } }),
  (text) =>
    theirs({
      metadata: {
        annotations: { 'argocd.argoproj.io/manifest-generate-paths': text, 'poolkeeper.dev/pools': text },
      },
    }),
  (text) =>
    theirs({
      metadata: {
        annotations: {
          'argocd.argoproj.io/tracking-id': `nodes:argoproj.io/Application:${text}/${text}`,
          'argocd.argoproj.io/refresh': text,
        },
      },
    }),
  (text) => theirs({ metadata: { deletionTimestamp: text, finalizers: [text], labels: { [text]: text } } }),
  (text) =>
    theirs({
      spec: {
        sourceHydrator: {
          drySource: { ...source, path: text, targetRevision: text },
          syncSource: { targetBranch: text, path: text, repoURL: text },
        },
      },
    }),
  (text) => theirs({ spec: { source: { ...source, chart: text, helm: text, kustomize: text, plugin: text } } }),
  (text) => theirs({ spec: { source, syncPolicy: { automated: {}, syncOptions: [text] } } }),
  (text) => theirs({ state: { operation: { sync: { revision: text, syncOptions: [text], resources: [text, row] } } } }),
  (text) => theirs({ state: { operation: { sync: { resources: [{ group: text, kind: text, name: text }] } } } }),
  (text) => ({ ...theirs({ status: {} }), operation: text }),
  (text) => ({ ...theirs({ status: {} }), operation: { sync: { revision: text }, initiatedBy: { username: text } } }),
];

/** A tenant's ApplicationSet that reads the same repository. */
function set(change: { git?: Body; spec?: Body; metadata?: Body }): Body {
  const git = { repoURL: source.repoURL, revision: 'main', files: [{ path: 'theirs/*.yaml' }], ...change.git };
  return {
    metadata: { namespace: 'openshift-gitops', ...change.metadata },
    spec: { generators: [{ git }], template: { spec: theirs({})['spec'] }, ...change.spec },
  };
}

const inSet: readonly ((text: string) => Body)[] = [
  (repoURL) => set({ git: { repoURL: `https://github.com/${repoURL}` } }),
  (revision) => set({ git: { revision } }),
  (path) => set({ git: { files: [{ path }, { path, exclude: true }] } }),
  (path) => set({ git: { files: undefined, directories: [{ path }] } }),
  (text) => set({ git: { template: { spec: { source: { ...source, path: text } } } } }),
  (text) => set({ spec: { generators: [text, { git: text }, { matrix: { generators: [{ GIT: text }, text] } }] } }),
  (text) => set({ spec: { templatePatch: text, strategy: { type: text, rollingSync: { steps: [text] } } } }),
  (text) => set({ spec: { strategy: { type: 'RollingSync', rollingSync: { steps: [text] } } } }),
  (text) =>
    set({ spec: { template: { spec: { source: { ...source, repoURL: text }, destination: { name: text } } } } }),
];
const inSetNumber = (requeueAfterSeconds: number) => set({ git: { requeueAfterSeconds } });
const ofInstant: readonly ((at: string) => Body)[] = [
  ...['Running', 'Failed', 'Succeeded'].map(
    (phase) => (at: string) => theirs({ state: { phase, startedAt: at, finishedAt: at } }),
  ),
  (reconciledAt) => theirs({ status: { resources: [row], reconciledAt } }),
];
const ofNumber: readonly ((count: number) => Body)[] = [
  (retryCount) => theirs({ state: { retryCount } }),
  (factor) =>
    theirs({
      state: { finishedAt: '2026-03-02T10:00:06Z', retryCount: factor, operation: { retry: { backoff: { factor } } } },
    }),
  (limit) => theirs({ spec: { source, syncPolicy: { automated: {}, retry: { limit } } } }),
];

const everything: readonly Body[] = [
  ...ofText.flatMap((of) => texts.map(of)),
  ...ofInstant.flatMap((of) => instants.map(of)),
  ...ofNumber.flatMap((of) => numbers.map(of)),
];

const allSets: readonly Body[] = [...inSet.flatMap((of) => texts.map(of)), ...numbers.map(inSetNumber)];

/** What somebody pushes beside the change of pool worker: objects and Applications by any name. */
const pushedTexts: readonly string[] = texts.flatMap((text) => {
  const applied = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: text },
  };
  const child = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', spec: theirs({})['spec'] };
  const manifests = [
    applied,
    { ...child, metadata: { name: text } },
    { ...child, metadata: { name: 'x', namespace: text } },
  ];
  return manifests.map((each) => JSON.stringify(each));
});

let stop = async (): Promise<void> => {};
afterEach(() => stop());

/** Pools worker and gpu, a real table, and an API server that refuses the paths that a real one refuses. */
async function strictLab(): Promise<KeepLab & { readonly strict: KeepLab['ports'] }> {
  const lab = keepLab();
  const { pools, clock } = lab.world;
  const role = 'machineconfiguration.openshift.io/role';
  for (const name of ['worker', 'gpu']) {
    const machineConfigSelector = { matchExpressions: [{ key: role, operator: 'In' as const, values: [name] }] };
    const rendered = { name: `rendered-${name}-aaa`, sources: [name === 'gpu' ? '99-gpu' : '99-worker-ssh'] };
    pools.put(aPool({ name, uid: name, machineConfigSelector, target: rendered, current: rendered }));
  }
  const embedded = await startEmbeddedTable();
  stop = embedded.stop;
  const tables = dynamoTables({ ...embedded, newId: systemRuntime.newId, clock: clock.now });
  const client = {
    get: async (path: string) => {
      if (!/\/machineconfigs\/\w[-.\w]*$/.test(path)) throw new Transient(`GET ${path}: 400`);
      return undefined;
    },
    list: async () => [],
  } satisfies Partial<KubeClient>;
  const real = clusterPools(Object.assign(Object.create(null), client));
  // Each by itself: of many it would list them all.
  const readMachineConfigs = async (names: readonly string[]) => {
    const read = await Promise.all(names.map((name) => real.readMachineConfigs([name])));
    return { items: read.flatMap(({ items }) => items), unreadable: read.flatMap(({ unreadable }) => unreadable) };
  };
  const strictPools = { ...pools, readMachineConfigs };
  const strict = {
    ...lab.ports,
    ...tables,
    cluster: async (name: string) => ({ ...(await lab.ports.cluster(name)), pools: strictPools }),
  };
  return { ...lab, strict };
}

test('[S0-3] [S0-12] [N-30] what a tenant writes in place of names, times and numbers costs others no pause, resume or alert', {
  timeout: 300_000,
}, async () => {
  const lab = await strictLab();
  const { world, strict } = lab;
  const tick = async (seconds: number) => {
    world.clock.advance(seconds);
    await keep(tickOf(world.clock.now()), strict);
    for (const name of ['worker', 'gpu']) world.pools.observe(name);
  };
  for (const [nth, body] of everything.entries()) {
    const named = { ...body, metadata: { ...Object(body['metadata']), name: `theirs-${nth}` } };
    const { items, unreadable } = itemByItem('Application', [named], (each) => applicationOf('hub', each));
    for (const application of items) world.argocd.put(application);
    for (const { name } of unreadable) world.argocd.spoil(name);
  }
  const sets = allSets.map((body, nth) => ({ ...body, metadata: { ...Object(body['metadata']), name: `set-${nth}` } }));
  const { items: routes } = itemByItem('ApplicationSet', sets, (each) => setRouteOf('hub', each));
  world.argocd.setApplicationSets(routes.filter((route) => route !== undefined));
  await tick(360);

  const contents = [machineConfigText('99-worker-ssh'), ...pushedTexts];
  const files = [
    ...contents.map((text, nth) => changedFile(`nodes/${nth}.yaml`, undefined, text)),
    changedFile('theirs/x.yaml', undefined, machineConfigText('99-theirs')),
  ];
  const read = { files, tools: [], folders: { appeared: ['theirs'], vanished: [] }, incomplete: undefined };
  const changes = { repositories: { readChange: async () => read }, manifestReader };
  await keep(lab.pushOf(commitB, { files: { kind: 'known', paths: files.map(({ path }) => path) } }), {
    ...strict,
    changes,
  });
  const isHeld = () => lab.record()?.holds.some(({ id }) => id === nodesHold);
  const pushed = { isHeld: isHeld(), paused: lab.pool().paused };
  lab.syncs(commitB);
  await tick(60);
  lab.ends('Succeeded');
  await tick(60);
  const synced = { isHeld: isHeld() };
  lab.syncs(commitC);
  await keep(lab.operationOf('Running'), strict);
  const refused = { ...row, name: '99-worker-ssh', namespace: '', message: 'no', hookType: '' };
  lab.ends('Failed', { results: [{ ...refused, status: 'SyncFailed' }] });
  world.argocd.change('nodes', { resources: [{ ...refused, status: 'OutOfSync' }] });
  for (let minute = 0; minute < 3; minute += 1) await tick(60);

  const told = world.alerts.sent.map(({ event }) => `${event.data.kind} ${event.data.pool}`);
  const lastGoodReadAt = (await strict.checkpoints.load('prod'))?.lastGoodReadAt;
  expect([pushed, synced]).toEqual([{ isHeld: true, paused: true }, { isHeld: false }]);
  expect(told).toContain('run-failed worker');
  expect(lastGoodReadAt).toBe(world.clock.now().toISOString());
});
