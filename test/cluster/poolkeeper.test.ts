import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Application, ApplicationDraft } from './harness/application.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { type Outcome, type PoolObserverOptions, startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { type Product, readPool, startProduct } from './product.ts';
import { finishWaitingHook, withWaitingHook } from './waiting-hook.ts';

const lab = useLab();
const { kube, argocd, git } = lab;
const finishHook = (name: string) => finishWaitingHook(kube, name);

/** A pool with two nodes, and an Application that has synced its MachineConfig once, before Poolkeeper began. */
async function world(name: string, draft: Partial<ApplicationDraft> = {}, options: PoolObserverOptions = {}) {
  // The real controller takes 5 s + 5 s; a second is enough to tell before from after, and keeps the suite short.
  const observer = await startPoolObserver(lab.controlPlane, { renderDelayMs: 300, targetDelayMs: 1000, ...options });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name] }));
  for (const index of [1, 2]) await lab.create(node(`${name}-${index}`, 'worker', name));
  const repository = await git.createRepository(`acme/${name}`);
  const write = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({
    name,
    repository,
    labels: { 'poolkeeper.dev/watch': 'true' },
    ...draft,
  });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
  });
  if (draft.automated === false) await syncByHand(application);
  await application.untilPhase('Succeeded', first.after);
  await untilRolled(name);
  return { repository, write, application };
}

/** As a person does it: wait until Argo CD shows the difference, then press the button. */
async function syncByHand(application: Application): Promise<void> {
  await until(
    async () => (await application.read()).status?.sync?.status === 'OutOfSync',
    60_000,
    `${application.name} to be OutOfSync`,
  );
  await application.sync();
}

async function untilRolled(name: string): Promise<void> {
  await until(
    async () => {
      const { status } = await readPool(lab, name);
      const target = (await kube.get(`${paths.pools}/${name}`)).spec.configuration?.name;
      return target !== undefined && status?.configuration?.name === target;
    },
    60_000,
    `pool ${name} to be rolled out`,
  );
}

const untilPaused = (name: string, paused: boolean) =>
  until(
    async () => (await readPool(lab, name)).paused === paused,
    60_000,
    `pool ${name} to be ${paused ? 'paused' : 'resumed'}`,
  );

async function fileOf(name: string): Promise<string> {
  return (await kube.get(`${paths.machineConfigs}/99-${name}`)).spec.config.storage.files[0].contents.source;
}

/** Both get the push, as both webhooks of a repository do: ours first. */
async function pushToBoth(
  product: Product,
  {
    repository,
    commit,
  }: Pick<Parameters<Product['push']>, never> & {
    repository: Parameters<Product['push']>[0];
    commit: Parameters<Product['push']>[1];
  },
) {
  const [ours, argo] = await Promise.all([
    product.push(repository, commit),
    deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) }),
  ]);
  expect([ours, argo.status]).toEqual([202, 200]);
}

async function phaseOf(application: Application): Promise<string> {
  return (await application.read()).status?.operationState?.phase;
}

describe('Poolkeeper on a real API server with a real Argo CD', () => {
  test('[S0-1] [S0-7] [N-28] a push pauses the pool, its sync succeeds, the pool resumes and rolls; the race is told as it was', async () => {
    const { repository, write, application } = await world('story');
    const product = await startProduct(lab, { notifications: true });
    const commit = await repository.commit(write('second'));

    await pushToBoth(product, { repository, commit });
    await product.untilTold('pool.paused', 'story');
    await application.untilPhase('Succeeded', commit.after);
    const held = await readPool(lab, 'story');
    await product.untilTold('pool.resumed', 'story');
    await untilRolled('story');

    expect(held.paused).toBe(true);
    expect(await fileOf('story')).toBe('data:,second');
    expect((await readPool(lab, 'story')).paused).toBe(false);
    const [race] = await until(
      async () => {
        const races = await product.races('story');
        return races[0]?.verdict !== undefined && races;
      },
      60_000,
      'the race to be judged',
    );
    expect(race?.verdict).toMatch(/^(early|in time)$/);
    // Judged before the apply was seen, it is early: nobody looks for that any more.
    const isBefore =
      race?.appliedAt === undefined || Date.parse(race.confirmedAt ?? '') <= Date.parse(race.appliedAt) + 999;
    expect(race?.verdict).toBe(isBefore ? 'early' : 'in time');
  });

  test("[C-2] [S0-16] without any push, Argo CD's own notifications controller reaches us and the pool is held and let go", async () => {
    const { repository, write, application } = await world('notified');
    const product = await startProduct(lab, { notifications: true });
    // Without something to wait for, a sync may be over before the notifications controller looks.
    const commit = await repository.commit(withWaitingHook(write('second'), 'wait-notified'));

    await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
    const held = await product.untilTold('pool.held', 'notified');
    await finishHook('wait-notified');
    await application.untilPhase('Succeeded', commit.after);
    await product.untilTold('pool.resumed', 'notified');
    const race = await product.untilTold('race.decided', 'notified');

    expect(held.data).toMatchObject({ hold: { who: expect.stringContaining('/notified') } });
    expect(race.data).toMatchObject({ verdict: expect.stringMatching(/^(early|in time|late)$/) });
  });

  test('[S0-16] [N-2] [N-19] with every webhook lost, polling alone pauses under the sync and resumes after it', async () => {
    const { repository, write, application } = await world('polled', { automated: false });
    const product = await startProduct(lab, { policy: { sweepEverySeconds: 1 } });
    product.ticking();
    const commit = await repository.commit(withWaitingHook(write('second')));
    await application.refresh();

    await syncByHand(application);
    await untilPaused('polled', true);
    await finishHook('wait-polled');
    await application.untilPhase('Succeeded', commit.after);
    await untilPaused('polled', false);
    const resumed = await product.untilTold('pool.resumed', 'polled');

    expect(resumed.data).toMatchObject({ why: expect.stringContaining('Argo CD synced') });
  });

  test('[S0-9] a sync that the API server refuses keeps the pool held and says which resource', async () => {
    const { repository, write, application } = await world('rejected', { retry: { limit: 0 } });
    const product = await startProduct(lab, { notifications: true });
    product.ticking();
    const wrong = { ...machineConfig('99-rejected', 'rejected'), spec: { kernelArguments: 'not a list' } };
    const commit = await repository.commit({ ...write('first'), 'config.json': JSON.stringify(wrong) });

    await pushToBoth(product, { repository, commit });
    await application.untilPhase('Failed', commit.after);
    await until(
      async () => (await readPool(lab, 'rejected')).record?.holds[0]?.phase === 'failed',
      60_000,
      'the hold to say that the sync failed',
    );

    const { paused, record } = await readPool(lab, 'rejected');
    expect(paused).toBe(true);
    expect(record?.holds[0]?.why).toContain('MachineConfig 99-rejected');
  });

  test('[S0-14] a pause that a person set survives push, sync and success', async () => {
    const { repository, write, application } = await world('foreign');
    await kube.patch(`${paths.pools}/foreign`, { spec: { paused: true } }, { fieldManager: 'kubectl-patch' });
    const product = await startProduct(lab, { notifications: true });
    product.ticking();
    const commit = await repository.commit(write('second'));

    await pushToBoth(product, { repository, commit });
    const foreign = await product.untilTold('pool.foreign', 'foreign');
    await application.untilPhase('Succeeded', commit.after);
    // Five syncs of eight are followed, 13 to 154 ms after they succeeded, by a second one of the same commit: Argo CD
    // compares before its own watch has brought what it applied, sees a difference and heals it at once
    // (`autoHealAttemptsCount: 1`). That is an operation like any other, so our mark may come and go once more.
    const released = await until(
      async () => {
        const { paused, record } = await readPool(lab, 'foreign');
        return record?.last?.did === 'left' && record.holds.length === 0 && { paused, last: record.last };
      },
      60_000,
      'our marks to be gone',
    );

    expect(foreign.data).toMatchObject({ by: 'kubectl-patch' });
    expect(released).toMatchObject({ paused: true, last: { did: 'left' } });
    expect((await readPool(lab, 'foreign')).paused).toBe(true);
  });

  test('[S0-13] two Applications on one pool: it resumes only after both let go', async () => {
    const { repository, write, application } = await world('shared');
    const second = await git.createRepository('acme/shared-two');
    const [role, name] = ['shared', '99-shared-two'];
    await second.commit({ 'two.json': JSON.stringify(machineConfig(name, role, 'first')) });
    const other = await argocd.createApplication({ name: 'shared-two', repository: second, automated: false });
    onTestFinished(async () => {
      await other.delete();
      await kube.delete(`${paths.machineConfigs}/${name}`);
    });
    await syncByHand(other);
    await other.untilPhase('Succeeded');
    await untilRolled('shared');
    const product = await startProduct(lab, { policy: { sweepEverySeconds: 1 } });
    product.ticking();
    await second.commit({
      'two.json': JSON.stringify(machineConfig(name, role, 'second')),
      ...withWaitingHook({}, 'wait-shared'),
    });
    await other.refresh();
    await syncByHand(other);
    await untilPaused('shared', true);

    const commit = await repository.commit(write('second'));
    await pushToBoth(product, { repository, commit });
    await application.untilPhase('Succeeded', commit.after);
    await product.untilTold('pool.released', 'shared');

    expect((await readPool(lab, 'shared')).record?.holds.map((hold) => hold.who)).toEqual([
      expect.stringContaining('/shared-two'),
    ]);

    await finishHook('wait-shared');
    await untilPaused('shared', false);
  });

  test('[S0-10] a terminated sync, for which no hook and no SyncFail runs, is found and held', async () => {
    const { repository, write, application } = await world('ended', { automated: false });
    const product = await startProduct(lab, { policy: { sweepEverySeconds: 1 } });
    product.ticking();
    await repository.commit(withWaitingHook(write('second'), 'wait-ended'));
    await application.refresh();
    await syncByHand(application);
    await untilPaused('ended', true);

    await application.terminate();
    await until(
      async () => (await readPool(lab, 'ended')).record?.holds[0]?.phase === 'failed',
      60_000,
      'the hold to say that the sync was terminated',
    );

    expect((await readPool(lab, 'ended')).record?.holds[0]?.why).toContain('was terminated');
    expect(await phaseOf(application)).toBe('Failed');
  });

  test('[S0-5] a PreSync Job that asks for the handshake is answered when the pause is confirmed, and nothing was applied before', async () => {
    const { repository, write, application } = await world('shaken', { automated: false });
    const product = await startProduct(lab);
    const commit = await repository.commit(withWaitingHook(write('second'), 'wait-shaken'));
    await application.refresh();
    await syncByHand(application);
    await until(
      () => kube.find('/apis/batch/v1/namespaces/default/jobs/wait-shaken'),
      60_000,
      'the PreSync Job to be there',
    );

    const answer = await product.handshake('shaken');

    expect(answer).toMatchObject({ status: 200, body: { confirmed: true, pools: ['shaken'] } });
    expect((await readPool(lab, 'shaken')).paused).toBe(true);
    expect(await fileOf('shaken')).toBe('data:,first');

    await finishHook('wait-shaken');
    await application.untilPhase('Succeeded', commit.after);
    product.ticking();
    const race = await product.untilTold('race.decided', 'shaken');
    await untilPaused('shaken', false);
    expect(race.data).toMatchObject({ verdict: 'early' });
  });

  test('[S0-5] [N-30] a sync by hand of a commit that Argo CD has not compared yet waits for that, and then for each pool that the commit reaches', async () => {
    const { repository, write, application } = await world('hasty', { automated: false });
    await lab.create(pool({ name: 'hasty-b' }));
    onTestFinished(() => kube.delete(`${paths.machineConfigs}/99-hasty-b`));
    const product = await startProduct(lab);
    const more = { 'more.json': JSON.stringify(machineConfig('99-hasty-b', 'hasty-b')) };
    const commit = await repository.commit(withWaitingHook({ ...write('second'), ...more }, 'wait-hasty'));
    await application.sync();
    await until(
      () => kube.find('/apis/batch/v1/namespaces/default/jobs/wait-hasty'),
      60_000,
      'the PreSync Job to be there',
    );

    await product.handshake('hasty');
    const early = await product.handshake('hasty');
    await application.refresh();
    const answer = await until(
      async () => {
        const asked = await product.handshake('hasty');
        return asked.status === 200 && asked;
      },
      60_000,
      'the handshake to be answered',
    );

    expect(early).toMatchObject({ status: 409, body: { confirmed: false } });
    expect(JSON.stringify(early.body)).toMatch(/hasty-b: Argo CD has not compared/);
    expect(answer).toMatchObject({ body: { confirmed: true, pools: ['hasty', 'hasty-b'] } });
    await finishHook('wait-hasty');
    await application.untilPhase('Succeeded', commit.after);
  });

  test('[S0-8] two MachineConfigs of different waves become one rollout: each node updates once, to what lists both', async () => {
    const { repository, application } = await world('waved');
    onTestFinished(() => kube.delete(`${paths.machineConfigs}/98-waved`));
    const product = await startProduct(lab, { notifications: true });
    product.ticking();
    const inWave = (name: string, wave: string) => {
      const draft = machineConfig(name, 'waved', `wave ${wave}`);
      const annotations = { 'argocd.argoproj.io/sync-wave': wave };
      return JSON.stringify({ ...draft, metadata: { ...draft.metadata, annotations } });
    };
    const commit = await repository.commit({
      'config.json': inWave('99-waved', '0'),
      'later.json': inWave('98-waved', '1'),
    });

    await pushToBoth(product, { repository, commit });
    await untilPaused('waved', true);
    await application.untilPhase('Succeeded', commit.after);
    await untilPaused('waved', false);
    await untilRolled('waved');
    const updates = await until(
      async () => {
        const all = await product.updates('waved');
        return all.length >= 2 && all;
      },
      60_000,
      'both nodes to have updated',
    );

    const { configuration } = (await kube.get(`${paths.pools}/waved`)).spec;
    const sources = configuration.source.map(({ name }: { readonly name: string }) => name);
    expect(sources).toEqual(expect.arrayContaining(['98-waved', '99-waved']));
    expect(updates.map(({ node: name }) => name).toSorted()).toEqual(['waved-1', 'waved-2']);
    expect(new Set(updates.map(({ to }) => to))).toEqual(new Set([configuration.name]));
  });

  test('[N-28] a person keeps a pool that we hold paused with an annotation: it stays after our hold, until the annotation goes', async () => {
    const { repository, write, application } = await world('kept');
    const product = await startProduct(lab, { notifications: true });
    product.ticking();
    const commit = await repository.commit(write('second'));
    const annotate = (reason: string | null) =>
      kube.patch(`${paths.pools}/kept`, { metadata: { annotations: { 'poolkeeper.dev/keep-paused': reason } } });

    await pushToBoth(product, { repository, commit });
    await untilPaused('kept', true);
    await annotate('disks are swapped, ask ada');
    await application.untilPhase('Succeeded', commit.after);
    const released = await product.untilTold('pool.released', 'kept');
    await product.tick();
    await product.tick();
    const kept = await readPool(lab, 'kept');
    await annotate(null);
    await untilPaused('kept', false);

    expect(released).toBeDefined();
    expect(kept.paused).toBe(true);
    expect(kept.record?.holds).toEqual([]);
  });

  test('[S0-6] a handshake in the middle of an earlier rollout waits for the node on its way, and says so', async () => {
    let outcome: Outcome = 'stuck';
    const { repository, write, application } = await world('flying', { automated: false }, { outcome: () => outcome });
    const second = await repository.commit(write('second'));
    await application.refresh();
    await syncByHand(application);
    await application.untilPhase('Succeeded', second.after);
    await until(
      async () => (await readPool(lab, 'flying')).status?.unavailableMachineCount === 1,
      60_000,
      'the first node to be on its way',
    );
    const product = await startProduct(lab);
    const third = await repository.commit(withWaitingHook(write('third'), 'wait-flying'));
    await application.refresh();
    await syncByHand(application);
    await until(
      () => kube.find('/apis/batch/v1/namespaces/default/jobs/wait-flying'),
      60_000,
      'the PreSync Job to be there',
    );

    const waiting = await until(
      async () => {
        const asked = await product.handshake('flying', 1);
        return /previous rollout/.test(JSON.stringify(asked.body)) && asked;
      },
      60_000,
      'the handshake to name the rollout before',
    );
    const isPaused = (await readPool(lab, 'flying')).paused;
    outcome = 'done';
    const answer = await until(
      async () => {
        const asked = await product.handshake('flying');
        return asked.status === 200 && asked;
      },
      60_000,
      'the handshake to be answered',
    );
    await finishHook('wait-flying');
    await application.untilPhase('Succeeded', third.after);
    product.ticking();
    await untilPaused('flying', false);

    expect(JSON.stringify(waiting.body)).toMatch(/1 node of the previous rollout \(flying-\d\) continues/);
    expect(isPaused).toBe(true);
    expect(answer).toMatchObject({ status: 200, body: { confirmed: true, pools: ['flying'] } });
  });

  test('a storm of other writers costs conflicts and nothing else', async () => {
    const { repository, write, application } = await world('stormy');
    const product = await startProduct(lab, { notifications: true });
    product.ticking();
    let writes = 0;
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const storm = (async () => {
      while (!ended.signal.aborted) {
        await kube.patch(`${paths.pools}/stormy`, { metadata: { annotations: { 'example.com/storm': `${writes}` } } });
        writes += 1;
        // Some fifteen writes a second: three times what the MCO's client may send (about 5 requests/s).
        await setTimeout(60);
      }
    })();
    const commit = await repository.commit(write('second'));

    await pushToBoth(product, { repository, commit });
    await product.untilTold('pool.paused', 'stormy');
    await application.untilPhase('Succeeded', commit.after);
    await product.untilTold('pool.resumed', 'stormy');
    ended.abort();
    await storm;

    expect(writes).toBeGreaterThan(20);
    expect(await readPool(lab, 'stormy')).toMatchObject({ paused: false, record: { holds: [] } });
  });
});
