import { expect, test } from 'vitest';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding } from '../../../../functions/core/findings/trouble.ts';
import { digestOf } from '../../../../functions/core/judge/digest.ts';
import { fc } from '../../../property.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  refused,
} from '../diagnose/world.ts';
import { passAfter, passOver, the } from './pass-over.ts';

function drain(node: string, pod: string): Finding {
  const because = [
    finding({ code: 'C1', subject: ref('Pod', pod, 'shop'), sentence: pod, confidence: 'certain', class: 'external' }),
  ];
  return finding({
    code: 'D1',
    subject: ref('Node', node),
    sentence: '',
    confidence: 'strong',
    class: 'external',
    because,
  });
}

test.each([
  ['web-5d5f6c7b8-x2x8z', 'web-7d4b9c6f5d-qq7vw', true],
  ['fluentd-x2x8z', 'fluentd-qq7vw', true],
  ['pg-0', 'pg-1', false],
  ['web-front', 'web-store', false],
])('[S1-13] a pod that was made again is the same cause: %s and %s, %j', (a, b, same) => {
  expect(digestOf('high', [drain('worker-2', a)]) === digestOf('high', [drain('worker-2', b)])).toBe(same);
});

test('another node, another cause or another severity is news', () => {
  const plain = digestOf('high', [drain('worker-2', 'pg-0')]);

  expect(digestOf('high', [drain('worker-3', 'pg-0')])).not.toBe(plain);
  expect(digestOf('warning', [drain('worker-2', 'pg-0')])).not.toBe(plain);
  expect(digestOf('high', [{ ...drain('worker-2', 'pg-0'), because: [] }])).not.toBe(plain);
});

test('order and repetition are no news', () => {
  const findings = ['worker-1', 'worker-2', 'worker-3'].map((node) => drain(node, 'pg-0'));
  fc.assert(
    fc.property(fc.shuffledSubarray([...findings, ...findings], { minLength: 6 }), (shuffled) => {
      expect(digestOf('high', shuffled)).toBe(digestOf('high', findings));
    }),
  );
});

test('[S1-13] time alone changes no digest', async () => {
  const world = aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2', { labels: { disk: 'ssd' } })],
    machines: [drainFailing('worker-2', refused('web-a'))],
    pods: [
      aPod('web-a', { node: 'worker-2' }),
      aPendingPod('web-b', '0/2 nodes are available: 1 node(s) were unschedulable.', {
        spec: { nodeSelector: { disk: 'ssd' } },
      }),
    ],
    budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
  });
  const first = await passAfter(12, { world, pools: [aRollingPool()] });

  const later = await passOver({
    world,
    pools: [aRollingPool()],
    firstSeen: first.firstSeen,
    at: '2026-03-02T10:40:00.000Z',
  });

  expect(the('drain-blocked', later).digest).toBe(the('drain-blocked', first).digest);
  expect(the('drain-blocked', later).facts).not.toEqual(the('drain-blocked', first).facts);
});

test('judging twice what was seen once gives the same, and the same memory', async () => {
  const world = aWorld({ nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')] });
  const first = await passAfter(12, { world, pools: [aRollingPool()] });

  const again = await passOver({ world, pools: [aRollingPool()], firstSeen: first.firstSeen });

  expect(again).toEqual(first);
});

test('[N-30] is bounded, and another cause that has no room changes it all the same', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => drain(`worker-${index}`, `pod-${index}`.padEnd(200, 'x')));

  const [all, others] = [many, many.slice(0, -1)].map((each) => digestOf('high', each));

  expect(all?.length).toBeLessThan(66 * 1024);
  expect(all).not.toBe(others);
});
