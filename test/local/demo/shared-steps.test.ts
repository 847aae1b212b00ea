import { expect, test } from 'vitest';
import type { Demo } from '../../../local/demo/demo-set-up.ts';
import { followRollout } from '../../../local/demo/shared-steps.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';
import { aNode, fakePools } from '../../fakes/index.ts';

test('[N-32] a rollout is told whole, also of a node that was updated before the first look', async () => {
  const clock = acceleratedClock(1_000);
  const pools = fakePools({ clock: clock.now });
  const before = aNode({ name: 'worker-0' });
  pools.putNode(before);
  const demo = { clock, connection: { pools }, log: '', whileWaiting: [] } as unknown as Demo;
  const told: string[] = [];
  const config = 'rendered-worker-bbb';
  const isOver = async () => true;

  pools.changeNode('worker-0', { currentConfig: config, desiredConfig: config });
  await followRollout(
    demo,
    { step: (_, what) => void told.push(what) },
    { what: 'the pool to be updated', before: [before], isOver },
  );

  expect(told).toEqual(['worker-0 is targeted, cordoned and drained', 'worker-0 has rebooted into the new config']);
});

test('[N-32] [N-29] a node that a late pause missed is not said to be targeted once more after the resume', async () => {
  const clock = acceleratedClock(1_000);
  const pools = fakePools({ clock: clock.now });
  const config = 'rendered-worker-bbb';
  const before = pools.putNode(aNode({ name: 'worker-0', desiredConfig: config }));
  const demo = { clock, connection: { pools }, log: '', whileWaiting: [] } as unknown as Demo;
  const told: string[] = [];

  pools.changeNode('worker-0', { currentConfig: config });
  await followRollout(
    demo,
    { step: (_, what) => void told.push(what) },
    { what: 'the pool to be updated', before: [before], isOver: async () => true },
  );

  expect(told).toEqual(['worker-0 has rebooted into the new config']);
});
