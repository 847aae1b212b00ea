import { describe, expect, test } from 'vitest';
import type { ObjectName, Operation } from '../../../functions/core/argocd/application.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aMachineConfig } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const machineConfig: ObjectName = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
};
const deployment: ObjectName = { group: 'apps', kind: 'Deployment', namespace: 'web', name: 'web' };

type Result = Operation['results'][number];

function applied(word: string): Result {
  const message = `machineconfig.machineconfiguration.openshift.io/${machineConfig.name} ${word}`;
  return { ...machineConfig, status: 'Synced', message, hookType: '' };
}

const refused: Result = { ...deployment, status: 'SyncFailed', message: 'no matches for kind', hookType: '' };

/** An automated sync that nobody announced begins, writes the MachineConfig, and is tried again because of another
 *  object; with each attempt Argo CD forgets the results of the one before. */
function triesAgain(lab: KeepLab, retryCount: number, results: readonly Result[], writtenAgo = 0): void {
  const now = lab.world.clock.now();
  lab.world.argocd.change('nodes', {
    retryLimit: 10,
    resources: [
      { ...machineConfig, status: 'Synced' },
      { ...deployment, status: 'OutOfSync' },
    ],
    sync: { status: 'OutOfSync', revisions: [commitB] },
    reconciledAt: now.toISOString(),
  });
  lab.syncs(commitB, { retryCount, results });
  const changedAt = new Date(now.getTime() - writtenAgo * 1000).toISOString();
  lab.world.pools.putMachineConfig(aMachineConfig({ changedAt }));
}

function renders(lab: KeepLab): void {
  const target = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target });
}

const attempts: readonly (readonly [string, number, readonly Result[]])[] = [
  ['the first attempt', 0, [applied('configured'), refused]],
  ['a further one, which finds it as it is', 2, [applied('unchanged'), refused]],
  ['a further one, which has reported nothing yet', 2, []],
];

describe.each(attempts)('[S0-1] [S0-11] a sync that is seen in %s', (_, retryCount, results) => {
  test('pauses the pool whose MachineConfig it has written', async () => {
    const lab = keepLab();
    triesAgain(lab, retryCount, results);
    renders(lab);
    await lab.tick();
    await lab.pass(900);
    expect(lab.pool().paused).toBe(true);
  });

  test('keeps a pool paused that a person held until then', async () => {
    const lab = keepLab();
    const now = lab.world.clock.now();
    await lab.tick();
    await writeByHand(lab.world.pools, {
      pool: 'worker',
      decide: (pool) => addManualHold(pool, new Date(now.getTime() + 600_000), { who: 'ann', why: 'maintenance', now }),
      event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: now }),
    });
    lab.world.pools.observe('worker');
    await lab.pass(120);
    triesAgain(lab, retryCount, results);
    renders(lab);
    await lab.pass(1200);
    expect(lab.pool().paused).toBe(true);
  });

  test('lets no change through at level rest', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
    await lab.tick();
    lab.world.pools.observe('worker');
    await lab.pass(180);
    expect(lab.pool().paused).toBe(true);
    triesAgain(lab, retryCount, results);
    renders(lab);
    await lab.pass(1200);
    expect(lab.pool().paused).toBe(true);
  });
});

test('[S0-2] a sync that is tried again pauses nothing for a MachineConfig that was written long before it', async () => {
  const lab = keepLab();
  triesAgain(lab, 2, [applied('unchanged'), refused], 7200);
  await lab.tick();
  await lab.pass(900);
  expect(lab.pool().paused).toBe(false);
});

test.each([
  [0, 'configured'],
  [1, 'unchanged'],
])(
  '[S0-16] a sync that is over unseen after %d retries, of which the last says %s, has its pool wait for its window',
  async (retryCount, word) => {
    const nights = Window.parse({
      kind: 'allow',
      schedule: '0 22 * * *',
      durationSeconds: 3 * 3600,
      timeZone: 'UTC',
    });
    const lab = keepLab({ windows: [nights] });
    await lab.tick();
    const push = lab.pushOf(commitB);
    lab.syncs(commitB, { retryCount });
    lab.world.pools.putMachineConfig(aMachineConfig({ changedAt: lab.world.clock.now().toISOString() }));
    lab.world.clock.advance(7);
    lab.ends('Succeeded', { retryCount, results: [applied(word)] });
    lab.world.clock.advance(3);
    await lab.deliver(push);
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.pools.observe('worker');
    renders(lab);
    await lab.pass(600);
    expect(lab.pool().paused).toBe(true);
  },
);

test('[S0-9] [N-29] a sync that is tried again and fails without a word holds no pool of which all is Synced since', async () => {
  const lab = keepLab();
  const { argocd, clock, pools } = lab.world;
  const chooser = { ...machineConfig, kind: 'KubeletConfig', name: 'set-max-pods' };
  const shown = (status: string, name = chooser) => ({ ...name, status });
  argocd.change('nodes', {
    resources: [shown('Synced'), shown('OutOfSync', deployment)],
    sync: { status: 'OutOfSync', revisions: [commitB] },
    reconciledAt: clock.now().toISOString(),
  });
  lab.syncs(commitB, { retryCount: 2 });
  await lab.deliver(lab.operationOf('Running'));
  pools.observe('worker');
  const whileItRuns = lab.pool().paused;

  clock.advance(60);
  lab.ends('Error', { message: 'rpc error: code = Unavailable' });
  await lab.deliver(lab.operationOf('Error'));
  const atItsEnd = lab.record()?.holds.map(({ phase }) => phase);
  clock.advance(5);
  argocd.change('nodes', { reconciledAt: clock.now().toISOString() });
  await lab.pass(120);

  expect([whileItRuns, atItsEnd]).toEqual([true, ['failed']]);
  expect([lab.pool().paused, lab.troubles()]).toEqual([false, []]);
});

test('[S0-9] and one that shows what it was to write out of sync still holds it', async () => {
  const lab = keepLab();
  triesAgain(lab, 2, []);
  lab.world.argocd.change('nodes', { resources: [{ ...machineConfig, status: 'OutOfSync' }] });
  await lab.deliver(lab.operationOf('Running'));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(60);
  lab.ends('Error', { message: 'rpc error: code = Unavailable' });
  lab.world.clock.advance(5);
  lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });

  await lab.pass(120);

  expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([true, ['failed']]);
});
