import { expect, test } from 'vitest';
import { follow, noRollouts, type PoolNodes } from '../../../../functions/core/node-rollouts/follow.ts';
import type { Node } from '../../../../functions/core/openshift/node.ts';
import { runningChange } from '../../../../functions/core/openshift/node-rollout.ts';
import { aNode } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';

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

test('[S3-5] a node that was taken elsewhere and is on its way to the former target again has been there', () => {
  const ccc = 'rendered-worker-ccc';
  const begun = follow(noRollouts('prod'), [listed('worker', inFlight)], { readAt: first });
  const again = aNode({ currentConfig: ccc, desiredConfig: bbb });

  const elsewhere = follow(begun.rollouts, [listed('worker', again)], { readAt: second });
  const { untold: _, ...rollouts } = elsewhere.rollouts;
  const arrived = follow(rollouts, [listed('worker', after)], { readAt: third });

  expect(elsewhere.ended).toMatchObject([
    { from: aaa, to: bbb, ended: { how: 'redirected' } },
    { from: aaa, to: ccc, unseen: { after: undefined }, ended: { how: 'done' } },
  ]);
  expect(arrived.ended).toMatchObject([{ from: ccc, to: bbb, begun: { at: second }, ended: { how: 'done' } }]);
});

test('[S3-5] [property] a node with another config or image than at the look before has had one update that ended there', () => {
  const images = ['registry/os@sha256:a', 'registry/os@sha256:b'];
  const move = fc.constantFrom(aaa, bbb, 'rendered-worker-ccc', ...images, 'arrive', 'look');
  const moved = (node: Node, to: string): Node => {
    if (to === 'arrive') return { ...node, currentConfig: node.desiredConfig, currentImage: node.desiredImage };
    return images.includes(to) ? { ...node, desiredImage: to } : { ...node, desiredConfig: to };
  };
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      let node: Node = { ...before, currentImage: images[0], desiredImage: images[0] };
      let seen: string | undefined;
      let rollouts = noRollouts('prod');
      for (const [minute, each] of [...moves, 'look'].entries()) {
        if (each !== 'look') {
          node = moved(node, each);
          continue;
        }
        const readAt = new Date(Date.parse(first) + minute * 60_000).toISOString();
        const { ended, rollouts: next } = follow(rollouts, [listed('worker', node)], { readAt });
        const { untold: _, ...rest } = next;
        rollouts = rest;
        const done = ended.filter((rollout) => rollout.ended?.how === 'done');
        const runs = runningChange(node);
        expect(done.map(({ from, to }) => [from, to])).toEqual(
          seen === undefined || seen === runs ? [] : [[seen, runs]],
        );
        seen = runs;
      }
    }),
  );
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
