import { expect, test } from 'vitest';
import { advanceRollout, beginRollout } from '../../../../functions/core/node-rollouts/advance-rollout.ts';
import type { NodeReading } from '../../../../functions/core/node-rollouts/node-reading.ts';
import { aNode } from '../../../fakes/index.ts';

/** Six hours ahead of everybody else. */
const ahead = '2026-03-02T16:00:00Z';
const readAt = '2026-03-02T10:05:00.000Z';

const node = aNode({ desiredConfig: 'rendered-worker-bbb', state: 'Working' });

function sightAt(at: string, look: Partial<NodeReading>) {
  const seen: NodeReading = { readAt: at, bootId: 'boot-1', ready: undefined, machine: 'absent', ...look };
  return { cluster: 'prod', pool: 'worker', node, readAt: at, look: seen, causes: [] };
}

test.each<[string, Partial<NodeReading>]>([
  ['MachineConfigNode', { machine: { steps: {}, updatedAt: undefined, movedAt: ahead } }],
  ['kubelet', { bootId: 'boot-2', ready: { is: true, since: ahead } }],
])('[S3-5] a %s whose clock is ahead does not hide for hours that its node stands still', (_, look) => {
  const begun = beginRollout(sightAt('2026-03-02T10:00:00.000Z', {}));

  const rollout = begun && advanceRollout(begun, sightAt(readAt, look));

  expect(rollout?.progressedAt).toBe(readAt);
});

test('[S3-5] a drain that begins in the future by the clock of its node has begun when it was seen', () => {
  const draining = aNode({ ...node, desiredDrain: 'drain-rendered-worker-bbb' });
  const machine = { steps: { drain: { begun: { at: ahead, told: true } } }, updatedAt: undefined, movedAt: ahead };
  const begun = beginRollout(sightAt('2026-03-02T10:00:00.000Z', {}));

  const rollout = begun && advanceRollout(begun, { ...sightAt(readAt, { machine }), node: draining });

  expect(rollout?.steps.drain?.begun?.at).toBe(readAt);
});
