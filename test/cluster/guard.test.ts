import { expect, onTestFinished, test } from 'vitest';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import { namesHeldBack, type SyncWindow } from '../../functions/core/guard/sync-windows.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;
const name = 'guarded';
const project = `/apis/argoproj.io/v1alpha1/namespaces/${argocd.namespace}/appprojects/default`;
const foreign: SyncWindow = {
  kind: 'deny',
  schedule: '0 0 1 1 *',
  duration: '1m',
  applications: ['nobody-*'],
  manualSync: true,
  timeZone: 'Europe/Berlin',
  description: 'of somebody else',
};

async function windows(): Promise<readonly SyncWindow[]> {
  return (await kube.get(project)).spec.syncWindows ?? [];
}

async function isClosed(): Promise<boolean> {
  return namesHeldBack(await windows()).has(name);
}

test('[N-6] a real Argo CD waits with automatic syncs and self-heal until the pool is confirmed paused', async () => {
  const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name] }));
  for (const index of [1, 2]) await lab.create(node(`${name}-${index}`, 'worker', name));
  await kube.patch(project, { spec: { syncWindows: [foreign] } });
  onTestFinished(async () => {
    await kube.patch(project, {
      metadata: { annotations: { 'poolkeeper.dev/guards': null } },
      spec: { syncWindows: null },
    });
  });
  const repository = await git.createRepository(`acme/${name}`);
  const path = `${paths.machineConfigs}/99-${name}`;
  const write = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({ name, repository });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(path);
  });
  await application.untilPhase('Succeeded', first.after);
  const product = await startProduct(lab, {
    pools: { [name]: { ...defaultPoolSettings, protection: 'guard' } },
  });
  const settle = product.ticking();
  await until(isClosed, 30_000, 'the guard to be closed');
  settle();

  /** Of each sync: the pool was confirmed paused when the window was first seen gone. */
  const seen: (readonly [string, boolean])[] = [];
  async function letsThrough(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const stop = product.ticking();
    await until(async () => !(await isClosed()), 60_000, `${what}: the guard to be opened`);
    const { paused, status, generation } = await readPool(lab, name);
    seen.push([what, paused && status.observedGeneration >= (generation ?? 0)]);
    await until(isDone, 60_000, `${what}: the sync`);
    await until(isClosed, 60_000, `${what}: the guard to be closed again`);
    await until(async () => !(await readPool(lab, name)).paused, 60_000, `${what}: the pool to resume`);
    stop();
    expect((await windows())[0]).toEqual(foreign);
  }
  const content = async () => (await kube.find(path))?.spec.config.storage.files[0].contents.source;

  const second = await repository.commit(write('second'));
  await deliver({ url: argocd.webhookUrl, body: githubPush(repository, second) });
  await until(async () => (await application.read()).status.sync.status === 'OutOfSync', 30_000, 'OutOfSync');
  expect(await content()).toBe('data:,first');
  await product.push(repository, second);
  await letsThrough('automatic', async () => (await content()) === 'data:,second');

  await kube.patch(path, { spec: { config: { storage: { files: [] } } } });
  await letsThrough('self-heal', async () => (await content()) === 'data:,second');

  expect(seen).toEqual(['automatic', 'self-heal'].map((what) => [what, true]));
}, 180_000);
