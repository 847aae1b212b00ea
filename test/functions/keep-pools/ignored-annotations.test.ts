import { expect, test } from 'vitest';
import { naming } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const nothing = { mayAdd: false, mayRemove: false };

async function ignored(lab: KeepLab) {
  const [view] = await lab.world.tables.views.list();
  return view?.ignoredAnnotations?.map(({ application }) => application);
}

test('[N-30] an annotation that is ignored pauses nothing, and is on the page until it is gone', async () => {
  const lab = keepLab();
  lab.world.argocd.change('nodes', { resources: [], ...naming('worker', nothing) });
  lab.syncs(commitB);
  await lab.tick();
  const atFirst = await ignored(lab);

  await lab.pass(60);

  expect(lab.pool().paused).toBe(false);
  expect(atFirst).toEqual(['openshift-gitops/nodes']);
  expect(await ignored(lab)).toEqual(atFirst);
  lab.world.argocd.change('nodes', { annotations: {}, named: undefined });
  await lab.pass(360);
  expect(await ignored(lab)).toBeUndefined();
});

test('[N-30] what cannot be read is still on the page', async () => {
  const lab = keepLab();
  lab.world.argocd.change('nodes', naming('none', nothing));
  await lab.tick();
  const heal = lab.world.faults.failAll(['pools.list']);
  await lab.pass(120);
  const whileBlind = await ignored(lab);
  heal();
  lab.world.faults.failAll(['argocd.list']);
  await lab.pass(600);

  expect([whileBlind, await ignored(lab)]).toEqual([['openshift-gitops/nodes'], ['openshift-gitops/nodes']]);
});

test('[N-30] of an Application that opts out without being allowed to, the kinds pause the pools', async () => {
  const lab = keepLab();
  lab.world.argocd.change('nodes', naming('none', nothing));
  lab.syncs(commitB);

  await lab.tick();

  expect(lab.pool().paused).toBe(true);
});
