import { expect, onTestFinished, test } from 'vitest';
import type { Commit } from './harness/git-server.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const ignorePause = [
  { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', jsonPointers: ['/spec/paused'] },
];

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
  const product = await startProduct(lab);
  await product.look();
  product.ticking();

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
  return { product, pushes };
}

test.each([
  ['client-side', []],
  ['server-side', ['ServerSideApply=true']],
])(
  '[S0-14] a pool that Git pauses while we hold it stays paused by %s apply, until Git says so no longer',
  async (how, options) => {
    const name = `paused-${how}`;
    const { product, pushes } = await poolInGit(name, options);

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
  '[S0-14] a pool whose pause Argo CD respects resumes after a sync by %s apply, whatever Git says',
  async (how, options) => {
    const name = `respected-${how}`;
    const { product, pushes } = await poolInGit(name, [...options, 'RespectIgnoreDifferences=true']);

    await pushes('second', { paused: true });
    await product.untilTold('pool.resumed', name);

    expect((await readPool(lab, name)).paused).toBe(false);
  },
);
