import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aPool } from '../../fakes/index.ts';
import { guardLab } from './guard-lab.ts';
import { commitB } from './keep-lab.ts';

test('[N-6] [N-30] a pool that cannot be parsed any more keeps the guards that wait for it', async () => {
  const lab = guardLab();
  await lab.tick();

  lab.world.pools.spoil('worker');
  await lab.pass(600);
  const stands = lab.isClosed();
  await lab.deliver(lab.pushOf(commitB));
  await lab.pass(60);

  expect(stands).toBe(true);
  expect(lab.isClosed()).toBe(true);
  expect(lab.guard()?.pools).toEqual(['worker']);
});

test('[N-6] [N-30] names the pool that cannot be parsed to whoever waits for the sync', async () => {
  const lab = guardLab();
  await lab.tick();
  lab.world.pools.spoil('worker');
  await lab.pass(60);

  lab.asksFor(commitB);
  await lab.pass(60);

  expect(lab.isClosed()).toBe(true);
  expect(JSON.stringify(await lab.ports.views.list())).toContain('pool worker cannot be read');
});

test('[N-6] a required pool that cannot be parsed, which is never paused, keeps no guard closed', async () => {
  const lab = guardLab();
  lab.world.pools.put(aPool({ name: 'master', uid: 'u-m' }));
  lab.world.pools.spoil('master');
  await lab.tick();

  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  await lab.pass(2);

  expect(lab.isClosed()).toBe(false);
});

test('[N-6] [N-30] a pool that cannot be read again beside another writer frees no guard', async () => {
  const lab = guardLab();
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  lab.confirms();
  const { faults, argocd } = lab.world;
  faults.meanwhile('argocd.writeGuards', 2, () => {
    argocd.putProject(argocd.project());
    faults.failAll(['pools.read'], new Transient('the API server does not answer'));
  });

  await lab.pass(2);

  expect(faults.calls.some(({ op }) => op === 'argocd.project')).toBe(true);
  expect(lab.guard()?.pools).toEqual(['worker']);
  expect(lab.isClosed()).toBe(true);
});
