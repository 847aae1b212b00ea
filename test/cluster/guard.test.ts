import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import { Sequence, type Sequences } from '../../functions/core/configuration/sequence.ts';
import { namesHeldBack, type SyncWindow } from '../../functions/core/guard/sync-windows.ts';
import { disconnect } from '../../local/cli/connection/disconnect.ts';
import { syncInWords } from './harness/application.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import type { KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { leaveNoInstallation } from './harness/no-installation.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { type Product, readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;
const project = `/apis/argoproj.io/v1alpha1/namespaces/${argocd.namespace}/appprojects/default`;
const blocked = 'Sync operation blocked by sync window';
const foreign: SyncWindow = {
  kind: 'deny',
  schedule: '0 0 1 1 *',
  duration: '1m',
  applications: ['nobody-*'],
  manualSync: true,
  timeZone: 'Europe/Berlin',
  description: 'of somebody else',
};

beforeEach(async () => {
  await kube.patch(project, { spec: { syncWindows: [foreign] } });
  onTestFinished(async () => {
    await kube.patch(project, {
      metadata: { annotations: { 'poolkeeper.dev/guards': null } },
      spec: { syncWindows: null },
    });
  });
});

async function windows(): Promise<readonly SyncWindow[]> {
  return (await kube.get(project)).spec.syncWindows ?? [];
}

interface GuardedStart {
  readonly name: string;
  readonly automated: boolean;
  readonly sequences?: Sequences;
}

/** An Application with two MachineConfigs of a pool with two nodes, synced once before Poolkeeper starts, and then
 *  guarded. */
async function guarded({ name, automated, sequences }: GuardedStart) {
  const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name] }));
  for (const index of [1, 2]) await lab.create(node(`${name}-${index}`, 'worker', name));
  const repository = await git.createRepository(`acme/${name}`);
  const path = (part: string) => `${paths.machineConfigs}/99-${name}-${part}`;
  const commit = (content: string) =>
    repository.commit(
      Object.fromEntries(
        ['a', 'b'].map((part) => [`${part}.json`, JSON.stringify(machineConfig(`99-${name}-${part}`, name, content))]),
      ),
    );
  const first = await commit('first');
  const application = await argocd.createApplication({ name, repository, automated });
  onTestFinished(async () => {
    await application.delete();
    for (const part of ['a', 'b']) await kube.delete(path(part));
  });
  if (!automated) await application.sync();
  await application.untilPhase('Succeeded', first.after);
  const pools = { [name]: { ...defaultPoolSettings, protection: 'guard' } } as const;
  const start = () => startProduct(lab, { pools, sequences });
  let running: Product | undefined = await start();
  const product = async (): Promise<Product> => {
    running ??= await start();
    return running;
  };
  /** Until it is next asked for Poolkeeper looks no more, also not by what it has scheduled: what it would let through
   *  within a second is otherwise gone before it is seen. */
  const stopProduct = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.end();
  };
  const isClosed = async () => namesHeldBack(await windows()).has(name);
  const settle = (await product()).ticking();
  await until(isClosed, 60_000, 'the guard to be closed');
  settle();

  /** Whether the pool was confirmed paused when the window was first seen gone. */
  async function letsThrough(what: string, isDone: () => Promise<boolean>): Promise<boolean> {
    const stop = (await product()).ticking();
    await until(async () => !(await isClosed()), 60_000, `${what}: the guard to be opened`);
    const { paused, status, generation } = await readPool(lab, name);
    const isConfirmed = paused && status.observedGeneration >= (generation ?? 0);
    await until(isDone, 60_000, `${what}: the sync`);
    await until(isClosed, 60_000, `${what}: the guard to be closed again`);
    await until(async () => !(await readPool(lab, name)).paused, 60_000, `${what}: the pool to resume`);
    stop();
    expect((await windows())[0]).toEqual(foreign);
    return isConfirmed;
  }
  const content = async (part = 'a'): Promise<string | undefined> =>
    (await kube.find(path(part)))?.spec.config.storage.files[0].contents.source;
  const untilOutOfSync = () =>
    until(async () => (await application.read()).status.sync.status === 'OutOfSync', 60_000, 'OutOfSync');

  return {
    repository,
    application,
    product,
    stopProduct,
    commit,
    path,
    content,
    isClosed,
    letsThrough,
    untilOutOfSync,
  };
}

test('[N-6] a real Argo CD waits with automatic syncs and self-heal until the pool is confirmed paused', async () => {
  const { repository, product, commit, path, content, letsThrough, untilOutOfSync } = await guarded({
    name: 'guarded',
    automated: true,
  });

  const second = await commit('second');
  await deliver({ url: argocd.webhookUrl, body: githubPush(repository, second) });
  await untilOutOfSync();
  expect(await content()).toBe('data:,first');
  await (await product()).push(repository, second);
  expect(await letsThrough('automatic', async () => (await content('b')) === 'data:,second')).toBe(true);

  await kube.patch(path('a'), { spec: { config: { storage: { files: [] } } } });
  expect(await letsThrough('self-heal', async () => (await content()) === 'data:,second')).toBe(true);
});

test('[N-6] what a person asks a real Argo CD for stays Running until the pool is confirmed paused, also for one object; disconnect lets all through', async () => {
  const name = 'guarded-by-hand';
  const { application, stopProduct, commit, content, isClosed, letsThrough, untilOutOfSync } = await guarded({
    name,
    automated: false,
  });

  /** As docs/guard.md has it: refused while there is an operation, which a merge would only alter. Without the state
   *  of the operation before, whose results Argo CD would take for those of this one. */
  const ask = (sync: object) =>
    kube.patch(
      application.path,
      [
        { op: 'test', path: '/operation', value: null },
        { op: 'remove', path: '/status/operationState' },
        { op: 'add', path: '/operation', value: { initiatedBy: { username: 'ann' }, sync } },
      ],
      { type: 'json' },
    );
  const untilBlocked = async (what: string) => {
    let seen: KubeObject | undefined;
    await until(
      async () => {
        seen = await application.read();
        const state = seen.status.operationState;
        return state?.phase === 'Running' && state.message === blocked;
      },
      60_000,
      () => `${what} to be blocked; it was ${syncInWords(seen)}, asked: ${JSON.stringify(seen?.operation)}`,
    );
  };

  const second = await commit('second');
  await application.refresh();
  await untilOutOfSync();
  await expect(application.sync()).rejects.toThrow('blocked by sync window');
  await stopProduct();
  await ask({ revision: second.after });
  await untilBlocked('the operation');
  await expect(ask({ revision: second.before })).rejects.toThrow('422 Invalid');
  expect([await content('a'), (await readPool(lab, name)).paused]).toEqual(['data:,first', false]);
  expect(await letsThrough('manual', async () => (await content('b')) === 'data:,second')).toBe(true);
  await application.untilPhase('Succeeded', second.after);

  const third = await commit('third');
  await application.refresh();
  await untilOutOfSync();
  const only = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: `99-${name}-a` };
  await stopProduct();
  await ask({ revision: third.after, resources: [only] });
  await untilBlocked('the selective operation');
  expect(await letsThrough('selective', async () => (await content('a')) === 'data:,third')).toBe(true);
  expect(await content('b')).toBe('data:,second');

  await stopProduct();
  await ask({ revision: third.after });
  await untilBlocked('the last operation');
  expect(await isClosed()).toBe(true);
  const said: string[] = [];
  await leaveNoInstallation(kube);
  await disconnect.run(
    ['--kubeconfig', controlPlane.kubeconfig, '--name', 'lab', '--namespace', name, '--token-dir', '/nowhere'],
    { out: (text) => said.push(text), note: () => {}, environment: {}, now: () => new Date() },
  );
  // With its namespace where other tests have left AppProjects in others.
  expect(said.join('')).toMatch(/guards of AppProject (?:\S+\/)?default are open/);
  expect(await windows()).toEqual([foreign]);
  expect((await kube.get(project)).metadata.annotations ?? {}).not.toHaveProperty('poolkeeper.dev/guards');
  await application.refresh();
  await until(async () => (await content('b')) === 'data:,third', 60_000, 'the sync after disconnect');
});

test('[S2-15] [N-6] behind one window an Application that is a step too waits for its turn, and then for its pools', async () => {
  const name = 'guarded-step';
  const turn = '/api/v1/namespaces/default/configmaps/guarded-step-turn';
  const virt = Sequence.parse({
    clusters: ['lab'],
    namespace: 'default',
    steps: {
      first: {
        kind: 'check',
        wave: 1,
        waitFor: { resourceType: 'cm', resourceName: 'guarded-step-turn', resourceNamespace: 'default' },
      },
      nodes: { kind: 'application', name, namespace: argocd.namespace, wave: 10 },
    },
  });
  onTestFinished(() => kube.delete('/api/v1/namespaces/default/configmaps/poolkeeper-sequence-virt'));
  const { repository, application, product, commit, content, isClosed, letsThrough, untilOutOfSync } = await guarded({
    name,
    automated: true,
    sequences: { virt },
  });
  await commit('second');
  await application.refresh();
  await untilOutOfSync();
  for (let looks = 0; looks < 4; looks += 1) await (await product()).look();

  const ours = (await windows()).filter(({ description }) => String(description).startsWith('poolkeeper.dev/'));
  expect(ours.map(({ description }) => String(description).split(':')[0])).toEqual(['poolkeeper.dev/guard']);
  expect([await isClosed(), (await readPool(lab, name)).paused, await content()]).toEqual([true, false, 'data:,first']);

  await kube.post('/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'guarded-step-turn' },
  });
  onTestFinished(() => kube.delete(turn));
  expect(await letsThrough('its turn', async () => (await content('b')) === 'data:,second')).toBe(true);

  const third = await commit('third');
  await deliver({ url: argocd.webhookUrl, body: githubPush(repository, third) });
  await (await product()).push(repository, third);
  expect(await letsThrough('a later commit', async () => (await content('b')) === 'data:,third')).toBe(true);
});

test('[N-6] an operation that is written over the one before ends at a real Argo CD without applying anything, and the timeline says so', async () => {
  const name = 'guarded-over';
  const { application, product, stopProduct, commit, content, letsThrough, untilOutOfSync } = await guarded({
    name,
    automated: false,
  });
  const second = await commit('second');
  await application.refresh();
  await untilOutOfSync();
  await stopProduct();

  await kube.patch(application.path, {
    operation: { initiatedBy: { username: 'ann' }, sync: { revision: second.after } },
  });
  const state = async () => (await application.read()).status.operationState;
  await until(async () => (await state())?.message === blocked, 60_000, 'the operation to be blocked');
  expect((await state())?.syncResult?.resources).toHaveLength(2);
  await letsThrough('written over', async () => (await state())?.phase === 'Succeeded');

  expect([await content('a'), await content('b')]).toEqual(['data:,first', 'data:,first']);
  const status = await (await fetch(`${(await product()).url}/status`)).text();
  expect(status).toContain('it shows results of an earlier operation');
});
