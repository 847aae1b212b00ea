import { expect, test } from 'vitest';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { anApplication } from '../../fakes/index.ts';
import { guardLab, parked } from './guard-lab.ts';
import { commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

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
