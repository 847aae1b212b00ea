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
