import { describe, expect, test } from 'vitest';
import { completeSteps } from '../../../../functions/core/node-rollouts/complete-steps.ts';
import { unmetCondition } from '../../../../functions/core/node-rollouts/unmet.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { aNode, aNodeRollout } from '../../../fakes/builders.ts';

const to = 'rendered-worker-bbb';
const over = { desiredConfig: to, desiredDrain: `uncordon-${to}`, lastAppliedDrain: `uncordon-${to}` };

/** What is said of an update that nobody saw in progress: the daemon asks for an uncordon after each. */
function stepsAfter(rebooted: boolean | undefined, change: Partial<Node> = {}): readonly string[] {
  const unseen = aNodeRollout({ steps: {}, rebooted });
  return Object.keys(completeSteps(unseen, aNode({ ...over, ...change, currentConfig: to })).steps).toSorted();
}

describe('[S3-5] [N-29] a drain that nobody saw', () => {
  test('is told where the node was rebooted, which nothing is without one', () => {
    expect(stepsAfter(true)).toEqual(['drain', 'reboot', 'stage', 'uncordon']);
  });

  test.each([false, undefined])('is not told where the change may have needed none (rebooted: %s)', (rebooted) => {
    expect(stepsAfter(rebooted)).toEqual([]);
  });

  test('is not told where the control plane is a single node, of which nothing is drained', () => {
    expect(stepsAfter(true, { isNeverDrained: true })).toEqual(['reboot']);
    expect(stepsAfter(false, { isNeverDrained: true })).toEqual([]);
  });
});

test('[S3-5] [N-29] a node that is never drained waits for no drain while it is written', () => {
  const working = { desiredConfig: to, state: 'Working' };
  const said = (change: Partial<Node>) =>
    unmetCondition(aNode({ ...working, ...change }), undefined, '2026-03-02T10:00:00Z');

  expect(said({ isNeverDrained: true })).toContain('are still being written, without a drain');
  expect(said({})).toContain('desiredDrain must be set');
});
