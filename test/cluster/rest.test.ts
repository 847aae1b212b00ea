import { expect, onTestFinished, test } from 'vitest';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import { Window } from '../../functions/core/configuration/window.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { annotation } from './harness/pool-rules.ts';
import { until } from './harness/until.ts';
import { type ProductOptions, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const never = [Window.parse({ kind: 'deny', from: '2000-01-01', to: '2100-01-01' })];

/** A pool of level `rest` with two nodes, which runs what it has, and what is synced first. */
async function resting(name: string, sync: () => Promise<unknown> = async () => undefined) {
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 100, targetDelayMs: 200 });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name] }));
  for (const index of [1, 2]) await lab.create(node(`${name}-${index}`, 'worker', name));
  await sync();
  const first = await until(async () => (await readPool(lab, name)).status?.configuration?.name, 60_000, 'its nodes');

  /** The configurations that each node was given since, in their order. */
  const given = new Map<string, string[]>();
  const watching = new AbortController();
  const watch = kube.watch(
    paths.nodes,
    ({ object }) => {
      const known = given.get(object.metadata.name) ?? [first];
      const desired = object.metadata.annotations?.[annotation.desired];
      if (!object.metadata.name.startsWith(`${name}-`) || desired === undefined || desired === known.at(-1)) return;
      given.set(object.metadata.name, [...known, desired]);
    },
    watching.signal,
  );
  onTestFinished(async () => {
    watching.abort();
    await watch;
  });

  const target = async () => (await kube.get(`${paths.pools}/${name}`)).spec.configuration?.name;
  return {
    start: (options: ProductOptions = {}) =>
      startProduct(lab, { pools: { [name]: { ...defaultPoolSettings, protection: 'rest' } }, ...options }),
    target,
    untilPaused: () => until(async () => (await readPool(lab, name)).paused, 60_000, `${name} to be paused`),
    /** It is paused, and these are rendered for it and not rolled out. */
    untilWaiting: (configs: readonly string[]) =>
      until(
        async () => {
          const { paused, status } = await readPool(lab, name);
          const rendered = (await kube.get(`${paths.pools}/${name}`)).spec.configuration?.source ?? [];
          const names: readonly string[] = rendered.map((each: { readonly name: string }) => each.name);
          return (
            paused && status.configuration.name !== (await target()) && configs.every((each) => names.includes(each))
          );
        },
        60_000,
        `${configs.join(', ')} to wait for ${name}`,
      ),
    untilRolled: () =>
      until(
        async () => {
          const { status } = await readPool(lab, name);
          return status.configuration.name !== first && status.configuration.name === (await target());
        },
        60_000,
        `${name} to be rolled out`,
      ),
    /** How often each node was given another configuration. */
    rollouts: () => [1, 2].map((index) => (given.get(`${name}-${index}`) ?? [first]).length - 1),
  };
}

/** An Application that has synced these files; by default it has brought nothing yet. */
async function applicationOf(name: string, config: string, files: Record<string, string> = { 'README.md': 'nothing' }) {
  const repository = await git.createRepository(`acme/${name}`);
  await repository.commit(files);
  const application = await argocd.createApplication({ name, repository });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/${config}`);
  });
  await until(async () => (await application.read()).status?.sync?.status === 'Synced', 60_000, 'it to be compared');
  return { repository, application };
}

test.each([
  ['resting', 'a push finds the pool at rest', true],
  ['bringing', 'a push that first brings something finds the pool at rest', false],
])(
  '[N-7] %s: %s; nothing rolls while its sync runs, then one rollout, then it rests again',
  async (name, _, hasBrought) => {
    const files = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
    const brought = applicationOf(name, `99-${name}`, hasBrought ? files('first') : undefined);
    const { start, untilPaused, untilWaiting, untilRolled, rollouts, target } = await resting(name, async () => {
      await brought;
      if (!hasBrought) return;
      await until(
        async () => {
          const { spec, status } = await kube.get(`${paths.pools}/${name}`);
          return spec.configuration?.source.length === 1 && status?.configuration?.name === spec.configuration.name;
        },
        60_000,
        'what it brings to be rolled out',
      );
    });
    const { repository, application } = await brought;
    const product = await start({ notifications: true });
    product.ticking();
    await untilPaused();

    const commit = await repository.commit(withWaitingHook(files('second'), `wait-${name}`, 'PostSync'));
    const [ours, theirs] = await Promise.all([
      product.push(repository, commit),
      deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) }),
    ]);
    await untilWaiting([`99-${name}`]);
    await product.look();
    const running = await application.read();
    const duringSync = { rollouts: rollouts(), paused: (await readPool(lab, name)).paused };
    await finishWaitingHook(kube, `wait-${name}`);
    await application.untilPhase('Succeeded', commit.after);
    await untilRolled();
    await untilPaused();

    expect([ours, theirs.status]).toEqual([202, 200]);
    expect(running.status.operationState.phase).toBe('Running');
    expect(duringSync, JSON.stringify(product.told)).toEqual({ rollouts: [0, 0], paused: true });
    expect(rollouts()).toEqual([1, 1]);
    expect((await readPool(lab, name)).status.configuration.name).toBe(await target());
    expect((await readPool(lab, name)).record).toMatchObject({ pause: 'ours', holds: [] });
    const races = await product.races(name);
    expect(races.map(({ verdict }) => verdict)).not.toContain('late');
    expect(product.told.map(({ type }) => type)).not.toContain('poolkeeper.incident.opened.v1');
  },
);

test('[N-7] what two Applications and a person changed while the window was closed goes as one rollout when it opens', async () => {
  const name = 'queueing';
  const { start, untilPaused, untilWaiting, untilRolled, rollouts } = await resting(name);
  const one = await applicationOf('queueing-one', '99-queueing-one');
  const two = await applicationOf('queueing-two', '99-queueing-two');
  const closed = await start({ windows: never });
  closed.ticking();
  await untilPaused();

  for (const { repository, application } of [one, two]) {
    const config = `99-${application.name}`;
    const commit = await repository.commit({ 'config.json': JSON.stringify(machineConfig(config, name)) });
    await closed.push(repository, commit);
    await application.refresh();
    await application.untilPhase('Succeeded', commit.after);
  }
  await lab.create(machineConfig('99-queueing-by-hand', name));
  await untilWaiting(['99-queueing-one', '99-queueing-two', '99-queueing-by-hand']);
  await closed.look();
  const whileClosed = rollouts();
  await closed.end();
  const open = await start();
  open.ticking();
  await untilRolled();
  await untilPaused();

  expect(whileClosed).toEqual([0, 0]);
  expect(rollouts()).toEqual([1, 1]);
  expect((await readPool(lab, name)).record).toMatchObject({ pause: 'ours', holds: [] });
});

test('[N-7] [S0-24] before the first certificate of the pool expires, what waits goes although no window opens', async () => {
  const name = 'expiring';
  const { start, untilPaused, untilWaiting, untilRolled, rollouts } = await resting(name);
  const expiresIn = async (days: number) => {
    const expiry = `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
    const certExpirys = [
      { bundle: 'KubeAPIServerServingCAData', subject: 'CN=kube-apiserver-to-kubelet-signer', expiry },
    ];
    await kube.patch(`${paths.pools}/${name}/status`, { status: { certExpirys } });
  };
  await expiresIn(8);
  const product = await start({ windows: never });
  product.ticking();
  await untilPaused();
  await lab.create(machineConfig('99-expiring', name));
  await untilWaiting(['99-expiring']);
  await product.look();
  const inTime = { rollouts: rollouts(), paused: (await readPool(lab, name)).paused };

  await expiresIn(6);
  await untilRolled();
  await product.look();

  expect(inTime).toEqual({ rollouts: [0, 0], paused: true });
  expect(rollouts()).toEqual([1, 1]);
  const { paused, record } = await readPool(lab, name);
  expect(paused).toBe(false);
  expect(record?.last?.why).toContain('the first certificate of the pool expires at');
});
