import { expect, test } from 'vitest';
import { anOperation } from '../../fakes/index.ts';
import { commitB, keepLab, nodesHold } from './keep-lab.ts';

test('[N-29] [S0-6] a sync that was found after it had applied its change is not blamed for nodes of the rollout before', async () => {
  const lab = keepLab();
  const { pools, clock, tables } = lab.world;
  const sources = ['00-worker', '99-worker-ssh'];
  pools.change('worker', 'machine-config-controller', { target: { name: 'rendered-worker-before', sources } });
  pools.changeNode('worker-1', { desiredConfig: 'rendered-worker-before', state: 'Working' });
  await lab.tick();
  clock.advance(30);
  lab.syncs(commitB, { results: anOperation().results });
  clock.advance(6);
  pools.change('worker', 'machine-config-controller', { target: { name: 'rendered-worker-changed', sources } });
  // The controller writes the node again, as it does for each step of an update.
  pools.changeNode('worker-1', { targetedAt: '2026-03-02T10:00:38Z' });
  clock.advance(5);
  await lab.deliver(lab.operationOf('Running'));
  pools.observe('worker');
  await lab.pass(10);

  expect(tables.races.all().filter(({ hold }) => hold === nodesHold)).toMatchObject([
    { verdict: undefined, missedNodes: [], rollingBefore: ['worker-1'] },
  ]);
  expect(lab.troubles()).not.toContain('late-pause');
});

test('[N-29] [S0-6] a pause is not late for a node on its way to an older config, to which the controller only writes again', async () => {
  const lab = keepLab();
  const { pools, clock, tables } = lab.world;
  const older = { currentConfig: 'rendered-worker-old1', desiredConfig: 'rendered-worker-old2', state: 'Working' };
  pools.changeNode('worker-2', { ...older, targetedAt: '2026-03-02T07:00:00Z', reportedAt: '2026-03-02T07:00:10Z' });
  await lab.deliver(lab.pushOf(commitB));
  clock.advance(2);
  lab.syncs(commitB);
  await lab.pass(1);
  pools.changeNode('worker-2', { targetedAt: clock.now().toISOString() });
  pools.observe('worker');
  await lab.pass(5);
  lab.ends('Succeeded');
  await lab.pass(60);

  expect(tables.races.all()).toMatchObject([{ verdict: 'early', missedNodes: [], rollingBefore: ['worker-2'] }]);
  expect(lab.troubles()).not.toContain('late-pause');
});

test.each([0, 3, 10])(
  '[N-29] [S0-5] a pause is late for a node that was taken to what was rendered for its sync, also where the API server is %i s behind',
  async (seconds) => {
    const lab = keepLab();
    const { pools, clock, tables } = lab.world;
    await lab.deliver(lab.pushOf(commitB));
    clock.advance(1);
    lab.syncs(commitB);
    clock.advance(1);
    const target = { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] };
    pools.change('worker', 'machine-config-controller', { target });
    const targetedAt = new Date(clock.now().getTime() - seconds * 1000).toISOString();
    pools.changeNode('worker-2', { desiredConfig: target.name, state: 'Working', targetedAt, reportedAt: targetedAt });
    pools.observe('worker');
    await lab.pass(1);

    expect(tables.races.all()).toMatchObject([{ verdict: 'late', missedNodes: ['worker-2'] }]);
  },
);
