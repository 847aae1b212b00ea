import { describe, expect, test } from 'vitest';
import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import { LiveNode } from '../../../../functions/core/diagnose/objects/node.ts';
import { advanceRollout, beginRollout } from '../../../../functions/core/node-rollouts/advance-rollout.ts';
import { nodesToRead } from '../../../../functions/core/node-rollouts/follow.ts';
import { rebootsAfter } from '../../../../functions/core/node-rollouts/node-reboots.ts';
import { unmetCondition } from '../../../../functions/core/node-rollouts/unmet.ts';
import { foreignLimits } from '../../../../functions/core/text/foreign-text.ts';
import { aLiveNode, minutesAgo, newConfig, now } from '../diagnose/world.ts';

test('[N-30] a boot id is no longer than a name, whatever a kubelet reports: the rollouts of a cluster are one row', () => {
  const node = LiveNode.parse({ metadata: {}, status: { nodeInfo: { bootID: 'x'.repeat(16_000) } } });

  expect(node.status.nodeInfo.bootID).toBe('x'.repeat(foreignLimits.name));
});

describe('[S3-5] [N-29] whoever looks for the first time after the reboot was asked for', () => {
  const drained = {
    desiredConfig: newConfig,
    state: 'Working',
    desiredDrain: `drain-${newConfig}`,
    lastAppliedDrain: `drain-${newConfig}`,
  };
  const asked = nodeOf(aLiveNode('worker-2', { annotations: { ...drained, 'post-config-action': 'Rebooting' } }));
  const observed = (node: ReturnType<typeof nodeOf>, minutes: number, ready = true) => ({
    cluster: 'prod',
    pool: 'worker',
    node,
    readAt: minutesAgo(minutes),
    causes: [],
    look: {
      readAt: minutesAgo(minutes),
      bootId: 'a-boot',
      ready: { is: ready, since: minutesAgo(21) },
      machine: 'absent' as const,
    },
  });
  const follow = (...all: readonly ReturnType<typeof observed>[]) => {
    const [first, ...others] = all;
    const begun = first && beginRollout(first);
    if (begun === undefined) throw new Error('it is not updating');
    return others.reduce(advanceRollout, begun);
  };

  test.each([
    ['and the node is up', true, 'Ready must become True and the config daemon must be back'],
    ['and the node is down', false, 'Ready must become True; it is down for 21 min'],
  ])('does not know of which boot it is, %s: nothing is said of it', (_, ready, text) => {
    const rollout = follow(observed(asked, 20, ready), observed(asked, 0, ready));

    expect(rollout.boots).toEqual([]);
    expect(unmetCondition(asked, rollout, now)).toBe(text);
  });

  test('does not read it again and again before others', () => {
    const rollout = follow(observed(asked, 20));
    const others = ['a', 'b'].map((name) => nodeOf(aLiveNode(name, { annotations: drained })));
    const rollouts = { cluster: 'prod', version: 1, open: [rollout], paces: {} };

    const asks = nodesToRead(rollouts, { pool: 'worker', nodes: [asked, ...others] }, {}, 2);

    expect(asks.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('between boot and uncordon: whether the node rebooted is not known, so that it may have been away', () => {
    const at = { ...drained, desiredDrain: `uncordon-${newConfig}` };
    const done = { ...at, currentConfig: newConfig, state: 'Done', lastAppliedDrain: `uncordon-${newConfig}` };
    const [before, after] = [at, done].map((annotations) => nodeOf(aLiveNode('worker-2', { annotations })));
    if (before === undefined || after === undefined) throw new Error('no nodes');

    const rollout = follow(observed(before, 20), observed(after, 10));

    expect(rollout.ended?.how).toBe('done');
    expect(rollout.rebooted).toBeUndefined();
    expect(rebootsAfter([], [rollout], minutesAgo(10))).toMatchObject([{ node: 'worker-2', isObserved: false }]);
  });

  test('[decoy] one that looked while its files were written knows that it has not gone down', () => {
    const staged = nodeOf(aLiveNode('worker-2', { annotations: drained }));

    const rollout = follow(observed(staged, 20), observed(asked, 10));

    expect(rollout.boots).toEqual(['a-boot']);
    expect(unmetCondition(asked, rollout, now)).toContain('it has not gone down');
  });
});
