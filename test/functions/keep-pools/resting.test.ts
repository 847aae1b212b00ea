import { expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { commitB, keepLab, type LabOptions } from './keep-lab.ts';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 4 * 3600 });

const ann = { who: 'ann', why: 'storage migration' };

function restingLab(options: LabOptions = {}) {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } }, ...options });
  const mco = 'machine-config-controller';
  return {
    ...lab,
    /** Somebody applies a MachineConfig, with or without Argo CD. */
    renders: (name: string) =>
      lab.world.pools.change('worker', mco, {
        target: { name, sources: ['99-worker-ssh'] },
        counts: { ...lab.pool().counts, updated: 0 },
      }),
    /** The MCO has taken all nodes there. */
    isDone: () =>
      lab.world.pools.change('worker', mco, {
        current: lab.pool().target,
        counts: { ...lab.pool().counts, updated: 3 },
      }),
    moves: () => lab.told().filter((type) => /^pool\.(?:paused|resumed|overridden)$/.test(type)),
  };
}

test('[N-7] a pool of level rest is paused between changes, which is no trouble', async () => {
  const lab = restingLab();

  await lab.pass(6 * 3600);
  const [view] = await lab.ports.views.list();

  expect(lab.pool().paused).toBe(true);
  expect(lab.record()).toMatchObject({
    pause: 'ours',
    holds: [],
    last: { why: 'the pool rests paused between changes' },
  });
  expect(lab.moves()).toEqual(['pool.paused']);
  expect(lab.troubles()).toEqual([]);
  expect(JSON.stringify(view)).toContain('the pool rests paused: no change waits for it');
});

test('[N-7] what waits goes in the window as one rollout, and then the pool is paused again', async () => {
  const lab = restingLab({ windows: [fromNoon] });
  await lab.pass(600);
  lab.renders('rendered-worker-bbb');
  await lab.pass(1800);
  lab.renders('rendered-worker-ccc');
  await lab.pass(4500);
  const beforeNoon = lab.pool().paused;
  await lab.pass(1800);
  const inWindow = lab.pool().paused;
  lab.isDone();
  await lab.pass(120);

  expect([beforeNoon, inWindow, lab.pool().paused]).toEqual([true, false, true]);
  expect(lab.moves()).toEqual(['pool.paused', 'pool.resumed', 'pool.paused']);
});

test('[N-7] [S0-1] a push and its sync find it paused; after the sync it is let through', async () => {
  const lab = restingLab();
  await lab.pass(120);

  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  lab.renders('rendered-worker-bbb');
  await lab.pass(300);
  const duringSync = lab.pool().paused;
  lab.ends('Succeeded');
  await lab.pass(300);
  const afterwards = lab.pool().paused;
  lab.isDone();
  await lab.pass(120);

  expect([duringSync, afterwards, lab.pool().paused]).toEqual([true, false, true]);
});

test('[N-7] [S0-12] a pool that a person resumed stays so for an hour', async () => {
  const lab = restingLab();
  await lab.pass(120);
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });

  await lab.pass(50 * 60);
  const soon = lab.pool().paused;
  await lab.pass(15 * 60);

  expect([soon, lab.pool().paused]).toEqual([false, true]);
  expect(lab.moves()).toEqual(['pool.paused', 'pool.overridden', 'pool.paused']);
});

test('[N-7] a degraded rollout is not paused before it is done', async () => {
  const lab = restingLab();
  await lab.pass(120);
  lab.renders('rendered-worker-bbb');
  await lab.pass(120);
  lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, degraded: 1 } });

  await lab.pass(3600);

  expect(lab.pool().paused).toBe(false);
});

test('[N-7] a change that waits behind its gates for too long is told', async () => {
  const lab = restingLab({ windows: [Window.parse({ kind: 'allow', from: '2026-05-01', to: '2026-05-02' })] });
  await lab.pass(6 * 3600);
  const atRest = lab.troubles();
  lab.renders('rendered-worker-bbb');
  await lab.pass(5 * 3600);

  expect(atRest).toEqual([]);
  expect(lab.troubles()).toContain('paused-too-long');
});

test.each([
  ['in eight days: it rests', '2026-03-10T12:00:00Z', true],
  ['in six days: it no longer rests', '2026-03-08T12:00:00Z', false],
  ['a day ago: that is of the past', '2026-03-01T12:00:00Z', true],
])('[N-7] [S0-24] the first certificate expires %s', async (_, certificatesExpire, rests) => {
  const lab = restingLab({ windows: [Window.parse({ kind: 'deny', from: '2026-01-01', to: '2026-12-31' })] });
  await lab.pass(120);
  lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire });

  await lab.pass(1800);

  expect(lab.pool().paused).toBe(rests);
  expect(lab.record()?.last?.why.includes('because the first certificate of the pool expires at')).toBe(!rests);
});

test('[N-7] [N-21] a freeze stays, however soon the first certificate expires', async () => {
  const lab = restingLab();
  await lab.pass(120);
  const until = new Date('2026-03-03T10:00:00Z');
  const { record } = freezeManually(lab.pool(), { scope: 'pool', until }, { ...ann, now: lab.world.clock.now() });
  if (record) lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
  lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire: '2026-03-04T10:00:00Z' });
  lab.renders('rendered-worker-bbb');

  await lab.pass(23 * 3600);
  const frozen = lab.pool().paused;
  await lab.pass(2 * 3600);

  expect([frozen, lab.pool().paused]).toEqual([true, false]);
});

test('[N-7] with another level it resumes', async () => {
  const resting = restingLab();
  await resting.pass(120);
  const lab = keepLab();
  lab.world.pools.put(resting.pool());

  await lab.pass(300);

  expect(lab.pool().paused).toBe(false);
});
