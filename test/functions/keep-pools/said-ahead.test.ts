import { expect, test } from 'vitest';
import { noRollouts } from '../../../functions/core/node-rollouts/follow.ts';
import { noPace } from '../../../functions/core/node-rollouts/pace.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

/** Pool worker is held, with a change for its three nodes. */
async function pendingLab(): Promise<KeepLab> {
  const lab = keepLab();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.syncs(commitB);
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] },
  });
  return lab;
}

async function viewOf(lab: KeepLab) {
  const [view] = await lab.world.tables.views.list();
  return view?.pools[0];
}

test('[N-9] [N-16] a change that waits says how long it will take by the planned pace while the own one is not known', async () => {
  const lab = await pendingLab();

  await lab.tick();

  expect((await viewOf(lab))?.pace).toBeUndefined();
  expect((await viewOf(lab))?.takes).toBe(
    'about 45 min: 3 nodes, one at a time, 15 min each, at the pace that oc adm upgrade status plans with: 10 min for the drain of a node, 5 for its update and reboot',
  );
});

test('[N-9] [N-16] and by the own one once it was read, also while it cannot be read again', async () => {
  const lab = await pendingLab();
  const reboot = Array.from({ length: 12 }, (_, nth) => (nth < 10 ? 480 : 1200));
  await lab.world.tables.nodeRollouts.save({ ...noRollouts('prod'), paces: { worker: { ...noPace, reboot } } });
  await lab.pass(7 * 60);
  lab.world.faults.failAll(['nodeRollouts.load']);

  await lab.tick();

  expect(await viewOf(lab)).toMatchObject({
    pace: { usual: 8, slow: 20, rollouts: 12 },
    takes: 'about 24 min, 60 min if slow: 3 nodes, one at a time, 8 min each, by its last 12 node rollouts',
  });
});
