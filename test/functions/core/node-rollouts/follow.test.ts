import { expect, test } from 'vitest';
import { follow, noRollouts, type PoolNodes } from '../../../../functions/core/node-rollouts/follow.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { aNode } from '../../../fakes/index.ts';

const [first, second, third] = ['2026-03-02T10:00:00.000Z', '2026-03-02T10:05:00.000Z', '2026-03-02T10:10:00.000Z'];
const [aaa, bbb] = ['rendered-worker-aaa', 'rendered-worker-bbb'];

function listed(pool: string, ...nodes: readonly Node[]): PoolNodes {
  return { pool, nodes, looks: new Map(), causesOf: () => [] };
}

const before = aNode({ currentConfig: aaa, desiredConfig: aaa });
const inFlight = aNode({ currentConfig: aaa, desiredConfig: bbb });
const after = aNode({ currentConfig: bbb, desiredConfig: bbb });

test('[S3-5] a node that cannot be parsed is not gone: its update is told when it can be again', () => {
  const begun = follow(noRollouts('prod'), [listed('worker', inFlight)], { readAt: first });

  const hidden = follow(begun.rollouts, [listed('worker')], {
    readAt: second,
    everyNode: new Set([inFlight.name]),
    unreadable: new Set([inFlight.name]),
  });
  const ended = follow(hidden.rollouts, [listed('worker', after)], { readAt: third });

  expect(hidden.ended).toEqual([]);
  expect(ended.ended).toMatchObject([{ from: aaa, to: bbb, ended: { how: 'done' } }]);
});

test('[S3-5] another node of the same name is no update of the one before', () => {
  const known = follow(noRollouts('prod'), [listed('worker', before)], { readAt: first });

  const replaced = follow(known.rollouts, [listed('worker', { ...after, uid: 'another' })], { readAt: second });

  expect(replaced.ended).toEqual([]);
});

test('[S3-5] a node that reached its target and got the next one before the look has reached it', () => {
  const begun = follow(noRollouts('prod'), [listed('worker', inFlight)], { readAt: first });
  const next = aNode({ currentConfig: bbb, desiredConfig: 'rendered-worker-ccc' });

  const { ended, rollouts } = follow(begun.rollouts, [listed('worker', next)], { readAt: second });

  expect(ended).toMatchObject([{ from: aaa, to: bbb, ended: { how: 'done' } }]);
  expect(rollouts.open).toMatchObject([{ from: bbb, to: 'rendered-worker-ccc' }]);
});

test('[S3-5] what is known of a node goes with the node, once all nodes were listed', () => {
  const known = follow(noRollouts('prod'), [listed('worker', before)], { readAt: first });

  const unlisted = follow(known.rollouts, [listed('worker')], { readAt: second });
  const all = follow(unlisted.rollouts, [listed('worker')], { readAt: third, everyNode: new Set() });

  expect(Object.keys(unlisted.rollouts.known ?? {})).toEqual([before.name]);
  expect(all.rollouts.known).toEqual({});
});

test('[S3-5] an update in the pool that the node moved to is told as from the config of the old one', () => {
  const known = follow(noRollouts('prod'), [listed('worker', before)], { readAt: first });
  const moved = aNode({ currentConfig: 'rendered-infra-ddd', desiredConfig: 'rendered-infra-ddd' });

  const { ended } = follow(known.rollouts, [listed('infra', moved), listed('worker')], { readAt: second });

  expect(ended).toMatchObject([{ pool: 'infra', from: aaa, to: 'rendered-infra-ddd', ended: { how: 'done' } }]);
});
