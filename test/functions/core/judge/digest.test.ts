import { expect, test } from 'vitest';
import { causesOf, ownersOf } from '../../../../functions/core/alerts/owned-causes.ts';
import { approvalPart, digestPart, plainName, textPart } from '../../../../functions/core/findings/cause-key.ts';
import { digestOf } from '../../../../functions/core/findings/digest.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding } from '../../../../functions/core/findings/trouble.ts';
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

const named = (kind: string, name: string) =>
  finding({ code: 'F1', subject: ref(kind, name), sentence: '', confidence: 'certain', class: 'structural' });

test.each([
  ['Node', 'worker-2.example.com', 'worker-2.example.com:F1:Node worker-2.example.com'],
  ['Machine', 'edge/b1d4d2d9f5a84e5a', 'edge/b1d4d2d9f5a84e5a:F1:Machine edge/b1d4d2d9f5a84e5a'],
  ['Application', 'more Applications of hub', 'more Applications of hub:F1:Application more Applications of hub'],
  ['Machine', 'own/a;b:c d%3B', 'own/a%3Bb%3Ac%20d%253B:F1:Machine own/a%3Bb%3Ac%20d%253B'],
])(
  '[N-30] an ordinary name stands in it as it is, and what it is taken apart by does not: %s %s',
  (kind, name, part) => {
    const found = named(kind, name);

    expect(digestPart(found, found)).toBe(part);
    expect(plainName(part.slice(part.lastIndexOf(':') + 1))).toBe(`${kind} ${name}`);
  },
);

test("[N-30] no name, and nobody's, makes up a part or an owner, and two never come to one", () => {
  const text = fc.array(fc.constantFrom(';', ':', ' ', '%', '3B', 'n:F1:Machine edge/x', 'approved by', 'a', '/'));
  const name = text.map((pieces) => `own/${pieces.join('')}`);
  const partOf = (each: string) => digestPart(named('Machine', each), named('Machine', each));
  const ownersIn = (digest: string) => [...ownersOf(causesOf({ digest, findings: [] }))];
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(partOf(one).split(';')).toHaveLength(1);
      expect(['own', undefined]).toContain(ownersIn(partOf(one))[0]);
      expect(partOf(one) === partOf(other)).toBe(one === other);
      for (const written of [textPart, approvalPart]) {
        expect(ownersIn(`n1:D1:Node n1;${written(one)}`)).toEqual([]);
        expect(written(one) === written(other)).toBe(one === other);
      }
    }),
  );
});
