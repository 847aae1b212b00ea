import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { aMachineConfig, anApplication, anOperation, aPool, naming } from '../../fakes/index.ts';
import { guardLab, parked } from './guard-lab.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

/** A sync that never ends, and a person who has resumed the pool in spite of it. */
async function overruledLab(): Promise<KeepLab> {
  const lab = keepLab();
  lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', operation: undefined }));
  lab.syncs(commitB);
  await lab.tick();
  lab.world.clock.advance(5);
  lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
  await lab.pass(60);
  return lab;
}

test('[S0-15] [S0-27] nor does it keep the pool paused after a later one, though the nodes of the pool carry the controller', async () => {
  const lab = await overruledLab();
  lab.world.argocd.setControllerNodes(['worker-1']);
  lab.syncs(commitC, {}, 'other');
  await lab.pass(310);
  const during = lab.pool().paused;
  lab.ends('Succeeded', {}, 'other');
  await lab.pass(180);

  expect([during, lab.pool().paused]).toEqual([true, false]);
});

test('[S0-15] [N-6] nor does its guard, which stays open until it ends, and then keeps the pool paused until it is closed', async () => {
  const lab = guardLab();
  lab.world.argocd.put(anApplication({ name: 'other', uid: 'other', operation: undefined }));
  await lab.tick();
  const lets = async (name: string) => {
    lab.syncs(commitB, { startedBy: 'ann', message: parked }, name);
    await lab.pass(310);
    lab.confirms();
    lab.world.argocd.change(name, { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.pass(60);
    lab.looks(commitB, name);
  };
  await lets('nodes');
  lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
  await lab.pass(60);
  await lets('other');
  const during = [lab.pool().paused, lab.isClosed('nodes'), lab.isClosed('other')];
  lab.ends('Succeeded', {}, 'other');
  await lab.pass(180);
  const afterwards = [lab.pool().paused, lab.isClosed('nodes'), lab.isClosed('other')];

  expect([during, afterwards]).toEqual([
    [true, false, false],
    [false, false, true],
  ]);

  await lets('other');
  const undo = lab.world.faults.failAll(['argocd.writeGuards']);
  for (const name of ['nodes', 'other']) lab.ends('Succeeded', {}, name);
  await lab.pass(600);
  const whileOpen = lab.pool().paused;
  undo();
  await lab.pass(180);

  expect([whileOpen, lab.pool().paused, lab.isClosed()]).toEqual([true, false, true]);
});

async function pushTo(lab: KeepLab, revision: string): Promise<void> {
  lab.world.clock.advance(5);
  await lab.deliver(lab.pushOf(revision));
}

test('[S0-15] [N-30] a sync that never ends keeps no later one of others from pausing the pool', async () => {
  const lab = await overruledLab();
  lab.syncs(commitC, {}, 'other');
  await lab.pass(310);
  const during = lab.pool().paused;
  const view = (await lab.world.tables.views.list())[0]?.pools[0];
  lab.ends('Succeeded', {}, 'other');
  await lab.pass(120);

  expect([during, lab.pool().paused]).toEqual([true, false]);
  expect(view?.holds.map(({ id, overruled }) => [id, overruled?.by])).toEqual([
    [nodesHold, 'kubectl-edit'],
    ['sync/hub/openshift-gitops/other', undefined],
  ]);
  expect(view && waitsOf(view).now.map(({ name }) => name)).toEqual(['openshift-gitops/other']);
  expect(lab.record()).toMatchObject({ pause: 'overridden', holds: [{ id: nodesHold }] });
});

test('[S0-15] [N-30] nor a later push to its own Application, and that is held for anew', async () => {
  const lab = await overruledLab();
  const [before] = lab.record()?.holds ?? [];
  await pushTo(lab, commitC);

  expect(lab.pool().paused).toBe(true);
  const [after] = lab.record()?.holds ?? [];
  expect([after?.id, after?.overruled, after?.since === before?.since]).toEqual([nodesHold, undefined, false]);
  expect(lab.world.tables.races.all().filter(({ hold }) => hold === nodesHold)).toHaveLength(2);
});

const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
const counts = { machines: 3, updated: 0, ready: 3, unavailable: 1, degraded: 0 };

/** Until that time of the day on which the lab begins, at 10:00 UTC. */
const until = (lab: KeepLab, time: string) =>
  lab.pass((Date.parse(`2026-03-02T${time}:00Z`) - lab.world.clock.now().getTime()) / 1000);

function isNotified(lab: KeepLab, name: string, phase = 'Succeeded'): Promise<void> {
  const event = lab.operationOf(phase);
  return lab.deliver({ ...event, id: `${event.id} ${name}`, data: { ...event.data, name } });
}

async function heldBy(lab: KeepLab, who: string, seconds: number): Promise<void> {
  const now = lab.world.clock.now();
  const { paused, record } = addManualHold(lab.pool(), new Date(now.getTime() + seconds * 1000), {
    who,
    why: 'disks',
    now,
  });
  if (!record) throw new Error('it is held');
  await lab.world.pools.patchPool(lab.pool(), { paused, record });
  lab.world.pools.observe('worker');
}

/** A sync of everybody, seen from its beginning to its end. */
async function syncsWell(lab: KeepLab): Promise<void> {
  lab.syncs(commitA, { startedBy: 'admin' });
  await isNotified(lab, 'nodes', 'Running');
  for (const { name } of await lab.world.pools.listPools().then(({ items }) => items)) lab.world.pools.observe(name);
  await lab.pass(20);
}

const kinds = ['none', 'hold of anna', 'sync of a tenant'] as const;
type Kind = (typeof kinds)[number];

/** A pool that a person has resumed in spite of such a hold, which lasts until 12:00. */
async function labWith(kind: Kind, options: LabOptions): Promise<KeepLab> {
  const lab = keepLab(options);
  lab.world.argocd.put(anApplication({ name: 'tenant', uid: 'uid-tenant' }));
  await lab.tick();
  if (kind === 'hold of anna') await heldBy(lab, 'anna', 2 * 3600);
  if (kind === 'sync of a tenant') {
    lab.syncs(commitA, { startedBy: 'mallory' }, 'tenant');
    await isNotified(lab, 'tenant', 'Running');
    lab.world.pools.observe('worker');
  }
  await until(lab, '10:02');
  if (kind !== 'none') lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(60);
  return lab;
}

async function endsAtNoon(lab: KeepLab, kind: Kind): Promise<void> {
  await until(lab, '12:00');
  if (kind === 'sync of a tenant') {
    lab.ends('Succeeded', { results: [] }, 'tenant');
    await isNotified(lab, 'tenant');
  }
  await until(lab, '12:03');
}

describe('what Poolkeeper has let go stays so when a hold ends that a person had overruled', () => {
  test.each(kinds)('[S0-15] [N-14] its rollout is stopped when its window closes: %s', async (kind) => {
    const morning = Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 3 * 3600, timeZone: 'UTC' });
    const lab = await labWith(kind, { windows: [morning] });
    await until(lab, '11:30');
    await syncsWell(lab);
    lab.ends('Succeeded');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next, counts });
    await isNotified(lab, 'nodes');
    await lab.pass(100);
    const letGo = lab.pool().paused;
    await endsAtNoon(lab, kind);
    const atNoon = [lab.pool().paused, lab.record()?.holds.length, lab.record()?.last?.did];
    await until(lab, '13:05');

    expect([letGo, atNoon]).toEqual([false, [false, 0, 'resumed']]);
    expect([lab.pool().paused, lab.record()?.last?.why]).toEqual([true, expect.stringContaining('its window')]);
  });

  test.each(kinds)('[S0-15] [N-6] what is rendered late waits for its approval: %s', async (kind) => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
    const lab = await labWith(kind, { pools: { worker: { ...defaultPoolSettings, approve } } });
    await until(lab, '11:58');
    await syncsWell(lab);
    lab.ends('Succeeded');
    await isNotified(lab, 'nodes');
    await endsAtNoon(lab, kind);
    const atNoon = [lab.pool().paused, lab.record()?.holds.length];
    lab.world.pools.change('worker', 'machine-config-controller', { target: next, counts });
    await lab.pass(120);

    expect(atNoon).toEqual([false, 0]);
    expect([lab.pool().paused, lab.record()?.last?.why]).toEqual([true, expect.stringContaining('gate approval')]);
  });
});

test('[S0-15] [S0-14] under policy enforce whoever resumes a pool that only its gates keep paused wins, also past an overruled hold', async () => {
  const nights = Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3600, timeZone: 'UTC' });
  const lab = keepLab({ policy: { onOverride: 'enforce' }, windows: [nights] });
  await heldBy(lab, 'anna', 86_400);
  const held = lab.record();
  if (held === undefined) throw new Error('it is held');
  // A person did so before the policy was so.
  const overruled = { at: lab.world.clock.now().toISOString(), by: 'oc' };
  const record = { ...held, holds: held.holds.map((each) => ({ ...each, overruled })) };
  await lab.world.pools.patchPool(lab.pool(), { record });
  lab.world.pools.change('worker', 'machine-config-controller', { target: next, counts });
  await lab.pass(120);
  const waiting = lab.pool().paused;
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(120);

  expect([waiting, lab.pool().paused]).toEqual([true, false]);
  expect(lab.record()).toMatchObject({
    letGo: { by: 'kubectl-patch', config: next.name },
    last: { did: 'overridden' },
  });
});

const waves = { worker: { ...defaultPoolSettings, wave: 0 }, infra: { ...defaultPoolSettings, wave: 1 } };

test.each([false, true])(
  '[S0-15] [S3-14] a pool of a higher wave waits for a lower one that is rendered late, with an overruled hold: %s',
  async (isOverruled) => {
    const lab = keepLab({ pools: waves });
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', labels: {} }));
    await lab.tick();
    if (isOverruled) {
      await heldBy(lab, 'anna', 3 * 86_400);
      await lab.pass(120);
      lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    }
    await lab.pass(2 * 3600);
    await syncsWell(lab);
    const [result] = anOperation().results;
    if (result === undefined) throw new Error('there is one');
    lab.world.pools.putMachineConfig(aMachineConfig({ name: '99-worker-new' }));
    lab.ends('Succeeded', { results: [{ ...result, name: '99-worker-new' }] });
    await isNotified(lab, 'nodes');
    const target = { name: 'rendered-infra-bbb', sources: [...next.sources, '99-worker-new'] };
    lab.world.pools.change('infra', 'machine-config-controller', { target, counts });
    await lab.pass(60);

    expect([lab.pool().paused, lab.pool('infra').paused]).toEqual([true, true]);
    expect(lab.record()?.holds.map(({ id }) => id)).toEqual(isOverruled ? ['manual/anna'] : []);
  },
);

describe('a push to a pool of a lower wave, in the very pass in which one of a higher wave was to resume,', () => {
  const role = (name: string) => ({ matchLabels: { 'machineconfiguration.openshift.io/role': name } });

  test.each(['free', 'held for a failed sync', 'held until now'] as const)(
    '[S3-14] comes first: the lower one was %s',
    async (before) => {
      const lab = keepLab({ pools: waves });
      const infra = { name: 'infra', uid: 'uid-infra', labels: {}, machineConfigSelector: role('infra') };
      lab.world.pools.put(aPool({ ...infra, nodeSelector: { matchLabels: { infra: '' } } }));
      const source = { repoURL: 'https://github.com/acme/other.git', path: 'x', targetRevision: 'HEAD', chart: '' };
      lab.world.argocd.put(
        anApplication({ name: 'infra-app', uid: 'uid-infra-app', sources: [source], ...naming('infra') }),
      );
      lab.world.argocd.change('nodes', naming('worker'));
      await lab.tick();
      if (before === 'held for a failed sync') {
        const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
        lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] }, resources });
        lab.syncs(commitB);
        await isNotified(lab, 'nodes', 'Running');
        lab.world.pools.observe('worker');
        await lab.pass(20);
        const results = anOperation().results.map((each) => ({ ...each, status: 'SyncFailed' }));
        lab.ends('Failed', { results });
        await isNotified(lab, 'nodes', 'Failed');
      }
      await until(lab, '10:05');
      lab.syncs(commitB, { startedBy: 'admin' }, 'infra-app');
      await isNotified(lab, 'infra-app', 'Running');
      lab.world.pools.observe('infra');
      await lab.pass(5);
      if (before === 'held until now') await heldBy(lab, 'anna', 20);
      lab.ends('Succeeded', { results: [] }, 'infra-app');
      await isNotified(lab, 'infra-app');
      const target = { name: 'rendered-infra-bbb', sources: [] };
      lab.world.pools.change('infra', 'machine-config-controller', { target });
      lab.world.clock.advance(40);
      await lab.deliver(lab.pushOf(commitC));

      expect([lab.pool().paused, lab.pool('infra').paused]).toEqual([true, true]);
      expect(lab.record()?.holds).toMatchObject([{ id: nodesHold, phase: 'expected' }]);
    },
  );
});
