import { describe, expect, test } from 'vitest';
import { whatEnded } from '../../../../functions/core/diagnose/what-ended.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { drainOf } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aWorld,
  drainFailing,
  minutesAgo,
  now,
  readerOver,
  refused,
  type World,
} from './world.ts';

/** web-b waits for a node with disk=ssd, which only worker-2 has, which is drained. */
const blocked = aWorld({
  nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2', { labels: { disk: 'ssd' } })],
  machines: [drainFailing('worker-2', refused('web-a'))],
  pods: [
    aPod('web-a', { node: 'worker-2' }),
    aPendingPod('web-b', '0/2 nodes are available: 1 node(s) were unschedulable.', {
      spec: { nodeSelector: { disk: 'ssd' } },
    }),
  ],
  budgets: [aBudget('web', { status: { expectedPods: 2, desiredHealthy: 1, currentHealthy: 1 } })],
});

const key = { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' } as const;

async function endOf(after: Partial<World>, maxCalls = 4): Promise<string | undefined> {
  const { findings } = await drainOf(blocked);
  const reader = readerOver({ ...blocked, ...after });
  return inquireAll(() => whatEnded({ key, findings }), reader, { maxCalls, readAt: new Date(now) });
}

describe('what ended a trouble', () => {
  test('is told of the objects that it was explained by, the root cause first', async () => {
    const ended = await endOf({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')],
      pods: [
        aPod('web-b', {
          node: 'worker-3',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: minutesAgo(-5) }],
        }),
      ],
      budgets: [aBudget('web', { status: { disruptionsAllowed: 1 } })],
    });

    expect(ended).toMatch(
      /^Pod shop\/web-b became ready on worker-3 at 10:35 UTC; PDB shop\/web spares 1 pod again; node worker-2 is done with rendered-worker-aaa and takes pods again; pod shop\/web-a is gone\.$/,
    );
  });

  test('[N-29] is not what was so before: a replica that has been ready for long', async () => {
    expect(
      await endOf({ pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-3' })] }),
    ).toBeUndefined();
  });

  test('is not claimed of objects that are as they were, or cannot be read', async () => {
    expect(await endOf({})).toBeUndefined();
    expect(await endOf({ refused: [{ path: /./, why: 'timeout' }] })).toBeUndefined();
  });

  test('costs no more calls than it may', async () => {
    expect(await endOf({ pods: [], budgets: [] }, 1)).toBe('Pod shop/web-b is gone.');
  });
});
