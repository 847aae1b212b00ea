import { expect, test } from 'vitest';
import { LiveNode } from '../../../../functions/core/diagnose/objects/node.ts';
import { Pod } from '../../../../functions/core/diagnose/objects/pod.ts';
import { askableSelector, place, wishesOf } from '../../../../functions/core/diagnose/placement.ts';
import { aLiveNode, aPod, type Json } from './world.ts';

const nodes = [
  aLiveNode('plain'),
  aLiveNode('ssd', { labels: { disk: 'ssd', cores: '16' } }),
  aLiveNode('gpu', { labels: { cores: '64' }, taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }),
  aLiveNode('soft', { taints: [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' }] }),
  aLiveNode('cordoned', {
    unschedulable: true,
    taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
  }),
].map((node) => LiveNode.parse(node));

function aWish(spec: Json): Pod {
  return Pod.parse(aPod('web', { spec }));
}

function required(...terms: readonly Json[]): Json {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  };
}

const cores = (operator: string, value: string) =>
  required({ matchExpressions: [{ key: 'cores', operator, values: [value] }] });

test.each<[string, Json, readonly string[], readonly string[]]>([
  ['nothing', {}, ['plain', 'ssd', 'soft', 'cordoned'], ['plain', 'ssd', 'soft']],
  ['a label', { nodeSelector: { disk: 'ssd' } }, ['ssd'], ['ssd']],
  ['more than a number', cores('Gt', '8'), ['ssd'], ['ssd']],
  ['less than a number', cores('Lt', '8'), [], []],
  [
    'one of two terms',
    required(
      { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['plain'] }] },
    ),
    ['plain', 'ssd'],
    ['plain', 'ssd'],
  ],
  ['an empty term, which selects nothing', required({}), [], []],
  [
    'and tolerates a taint by value',
    {
      nodeSelector: { cores: '64' },
      tolerations: [{ key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    },
    ['gpu'],
    ['gpu'],
  ],
  [
    'and tolerates another value',
    { nodeSelector: { cores: '64' }, tolerations: [{ key: 'gpu', operator: 'Equal', value: 'no' }] },
    [],
    [],
  ],
  [
    'and tolerates everything',
    { nodeSelector: { cores: '64' }, tolerations: [{ operator: 'Exists' }] },
    ['gpu'],
    ['gpu'],
  ],
])('a pod that asks for %s', (_what, spec, tolerated, free) => {
  const placement = place(aWish(spec), nodes, []);

  expect(placement.tolerated.map(({ metadata }) => metadata.name)).toEqual(tolerated);
  expect(placement.free.map(({ metadata }) => metadata.name)).toEqual(free);
});

test('what can be asked of the API server is asked, numbers are not', () => {
  const pod = aWish({
    nodeSelector: { disk: 'ssd' },
    ...required({
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'cores', operator: 'Gt', values: ['8'] },
      ],
    }),
  });

  expect(askableSelector(pod)).toEqual({
    matchLabels: { disk: 'ssd' },
    matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }],
  });
  expect(wishesOf(pod)).toBe('disk=ssd, zone in (a, b) and cores > 8');
});

test.each([
  ['node.kubernetes.io/unreachable', {}, ['away'], []],
  ['node.kubernetes.io/not-ready', {}, ['away'], []],
  ['node.kubernetes.io/network-unavailable', {}, ['away'], []],
  ['node.kubernetes.io/disk-pressure', {}, ['away'], []],
  [
    'node.kubernetes.io/memory-pressure',
    { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }] },
    ['away'],
    ['away'],
  ],
  ['node.kubernetes.io/out-of-service', {}, [], []],
  ['example.com/unreachable', {}, [], []],
])('[S1-6] a node with taint %s takes a pod later, or never', (key, spec, later, free) => {
  const away = LiveNode.parse(aLiveNode('away', { taints: [{ key, effect: 'NoSchedule' }] }));

  const placement = place(aWish(spec), [away], []);

  expect(placement.tolerated.map(({ metadata }) => metadata.name)).toEqual(later);
  expect(placement.free.map(({ metadata }) => metadata.name)).toEqual(free);
});
