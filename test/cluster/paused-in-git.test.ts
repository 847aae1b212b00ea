import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { secondsSince } from '../../functions/core/text/instant.ts';
import type { Commit } from './harness/git-server.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { connectLab, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const ignorePause = [
  { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', jsonPointers: ['/spec/paused'] },
];

/** The pool and its Application as Poolkeeper reads them, after a sync that found our pause there and whose manifest
 *  says `spec.paused: true`; and the pool once more, after one whose manifest no longer says so. */
async function pausedTwice(name: string, syncOptions: readonly string[]) {
  const repository = await git.createRepository(`acme/${name}`);
  const { apiVersion, kind, spec } = pool({ name, roles: [name] });
  const write = (more: object) => ({
    'pool.json': JSON.stringify({ apiVersion, kind, metadata: { name }, spec: { ...spec, ...more } }),
  });
  const first = await repository.commit(write({ maxUnavailable: 1 }));
  const application = await argocd.createApplication({ name, repository, automated: false, syncOptions });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.pools}/${name}`);
  });
  await kube.patch(application.path, { spec: { ignoreDifferences: ignorePause } });
  async function sync({ after }: typeof first): Promise<void> {
    await application.sync({ revision: after });
    await application.untilPhase('Succeeded', after);
  }
  await sync(first);
  const connection = connectLab(lab);
  onTestFinished(connection.close);
  const before = await connection.pools.readPool(name);
  if (before === undefined) throw new Error(`there is no pool ${name}`);
  // Owners of fields have times in whole seconds.
  await sleep(1_100);
  await connection.pools.patchPool(before, { paused: true });

  await sync(await repository.commit(write({ maxUnavailable: 2, paused: true })));
  const { namespace } = argocd;
  const reader = connection.argocd({ name: 'lab', namespaces: [namespace], controllerNamespace: namespace });
  const held = await connection.pools.readPool(name);
  const synced = await reader.readApplication({ namespace, name });
  await sync(await repository.commit(write({ maxUnavailable: 3 })));
  return { held, synced, afterwards: await connection.pools.readPool(name) };
}

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])('[S0-14] what Argo CD leaves on a pool that Git pauses while we hold it, by %s apply', async (how, options) => {
  const name = `in-git-${how}`;
  const { held, synced, afterwards } = await pausedTwice(name, options);

  expect(held).toMatchObject({
    paused: true,
    pausedBy: { manager: 'poolkeeper' },
    appliedPausedBy: { manager: 'argocd-controller' },
    deployedBy: { name },
  });
  // Its former apply was a second before our pause.
  expect(secondsSince(held?.pausedBy?.at ?? '', new Date(held?.appliedPausedBy?.at ?? ''))).toBeGreaterThanOrEqual(0);
  expect(held?.appliedPausedBy?.ownsField).toBe(how === 'server-side' ? true : undefined);
  expect(synced).toMatchObject({ isAtHome: true });
  expect(synced?.respectsIgnoreDifferences).toBeUndefined();
  expect(synced?.operation?.results).toMatchObject([{ kind: 'MachineConfigPool', name, status: 'Synced' }]);
  // Server-side apply leaves the pause to us, who have set it.
  expect(afterwards?.paused).toBe(how === 'server-side');
  expect(afterwards?.appliedPausedBy).toBeUndefined();
});

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])('[S0-14] and the same, whatever Git says, where its Application respects our pause: %s', async (how, options) => {
  const name = `respected-${how}`;
  const { held, synced, afterwards } = await pausedTwice(name, [...options, 'RespectIgnoreDifferences=true']);

  expect(held).toMatchObject({ paused: true, pausedBy: { manager: 'poolkeeper' } });
  expect(synced?.respectsIgnoreDifferences).toBe('always');
  expect(afterwards?.paused).toBe(true);
});

test('[S0-14] whoever changes the pause takes it from server-side apply, until Argo CD applies it again', async () => {
  const name = 'taken-from-apply';
  const repository = await git.createRepository(`acme/${name}`);
  const { apiVersion, kind, spec } = pool({ name, roles: [name] });
  const manifest = { apiVersion, kind, metadata: { name }, spec: { ...spec, paused: true } };
  const syncOptions = ['ServerSideApply=true'];
  const application = await argocd.createApplication({ name, repository, automated: false, syncOptions });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.pools}/${name}`);
  });
  const connection = connectLab(lab);
  onTestFinished(connection.close);
  const read = async () => {
    const found = await connection.pools.readPool(name);
    if (found === undefined) throw new Error(`there is no pool ${name}`);
    return found;
  };
  const syncs = async (note: string) => {
    const { after } = await repository.commit({ 'pool.json': JSON.stringify(manifest), 'note.md': note });
    await application.sync({ revision: after });
    await application.untilPhase('Succeeded', after);
    return read();
  };

  const first = await syncs('first');
  // A person resumes it, and we pause it for a push.
  await kube.patch(`${paths.pools}/${name}`, { spec: { paused: false } });
  await connection.pools.patchPool(await read(), { paused: true });
  const ours = await read();
  const again = await syncs('again');

  expect(first.pausedBy?.manager).toBe('argocd-controller');
  expect([ours.pausedBy?.manager, ours.appliedPausedBy]).toEqual(['poolkeeper', undefined]);
  expect([again.pausedBy?.manager, again.appliedPausedBy?.ownsField]).toEqual(['poolkeeper', true]);
});

const holdsOf = ({ record }: Awaited<ReturnType<typeof readPool>>) => record?.holds ?? [];

/** A pool and its MachineConfig that one Application has synced, and Poolkeeper beside its Argo CD. `pushes` brings a
 *  commit and waits for its sync. */
async function poolInGit(name: string, syncOptions: readonly string[]) {
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
  const repository = await git.createRepository(`acme/${name}`);
  const { apiVersion, kind, spec } = pool({ name, roles: [name] });
  const write = (content: string, pause: { paused?: boolean }) => ({
    'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)),
    'pool.json': JSON.stringify({ apiVersion, kind, metadata: { name }, spec: { ...spec, ...pause } }),
  });
  const first = await repository.commit(write('first', {}));
  const application = await argocd.createApplication({ name, repository, syncOptions });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
    await kube.delete(`${paths.pools}/${name}`);
  });
  await kube.patch(application.path, { spec: { ignoreDifferences: ignorePause } });
  await application.untilPhase('Succeeded', first.after);
  // Owners of fields have times in whole seconds: what Argo CD applied is older than our pause by one of them.
  await sleep(1_100);
  const product = await startProduct(lab);
  await product.look();

  /** Argo CD hears of the commit once Poolkeeper holds the pool. */
  async function pushes(content: string, pause: { paused?: boolean }): Promise<Commit> {
    const hook = `wait-${name}-${content}`;
    const commit = await repository.commit(withWaitingHook(write(content, pause), hook));
    await product.push(repository, commit);
    await until(async () => holdsOf(await readPool(lab, name)).length > 0, 60_000, `a hold of ${name}`);
    await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
    await finishWaitingHook(kube, hook);
    await application.untilPhase('Succeeded', commit.after);
    return commit;
  }
  return { application, product, pushes };
}

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])(
  '[S0-14] a pool that Git pauses while we hold it stays paused by %s apply, until Git says so no longer',
  async (how, options) => {
    const name = `paused-${how}`;
    const { product, pushes } = await poolInGit(name, options);
    product.ticking();

    await pushes('second', { paused: true });
    await product.untilTold('pool.foreign', name);
    await product.untilTold('pool.released', name);
    await product.look();
    const kept = await readPool(lab, name);
    await pushes('third', {});
    const free = await until(
      async () => {
        const read = await readPool(lab, name);
        return !read.paused && holdsOf(read).length === 0 && read;
      },
      60_000,
      `pool ${name} to be free`,
    );

    expect([kept.paused, holdsOf(kept), kept.record?.pausedInGit?.by]).toEqual([true, [], 'argocd-controller']);
    expect(free.record?.pausedInGit).toBeUndefined();
  },
);

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])(
  '[S0-14] and stays paused where self-heal syncs something else of it before anybody looked: %s',
  async (how, options) => {
    const name = `healed-${how}`;
    const { application, product, pushes } = await poolInGit(name, options);
    const config = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: `99-${name}` };
    // What it does at times by itself happens here each time, and once.
    await kube.patch(application.path, { spec: { syncPolicy: { automated: { selfHeal: false } } } });

    await pushes('second', { paused: true });
    await application.sync({ resources: [config] });
    await until(
      async () => {
        const { status } = await kube.get(application.path);
        const { phase, syncResult } = status?.operationState ?? {};
        return phase === 'Succeeded' && syncResult.resources.length === 1;
      },
      60_000,
      `Argo CD to sync MachineConfig ${config.name} alone`,
    );
    await product.look();
    await product.untilTold('pool.released', name);
    await product.look();

    expect((await readPool(lab, name)).paused).toBe(true);
    expect(product.told.map(({ type }) => type)).toContain('poolkeeper.pool.foreign.v1');
  },
);
