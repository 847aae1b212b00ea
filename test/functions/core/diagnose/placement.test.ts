import { expect, test } from 'vitest';
import { LiveNode } from '../../../../functions/core/diagnose/objects/node.ts';
import { Pod } from '../../../../functions/core/diagnose/objects/pod.ts';
import { askableSelector, asksForTooMuch, place, wishesOf } from '../../../../functions/core/diagnose/placement.ts';
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

test('[N-12] [N-30] what a pod asks for is told in short, however much it is', () => {
  const key = (nth: number) => `${'a'.repeat(250)}.io/${nth}`;
  const terms = Array.from({ length: 5_000 }, (_, nth) => ({
    matchExpressions: [{ key: key(nth), operator: 'Exists' }],
  }));

  const told = wishesOf(aWish({ nodeSelector: { disk: 'ssd' }, ...required(...terms) }));

  expect(told).toMatch(/^disk=ssd, aaa/);
  expect(told.length).toBeLessThan(320);
});

const many = <T>(of: (nth: number) => T) => Array.from({ length: 201 }, (_, nth) => of(nth));
const apartFrom = (...terms: readonly Json[]) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const onHosts = { topologyKey: 'kubernetes.io/hostname' };

test.each<[string, Json]>([
  ['labels', { nodeSelector: Object.fromEntries(many((nth) => [`k${nth}`, 'x'])) }],
  ['terms', required(...many(() => ({})))],
  ['expressions', required({ matchExpressions: many((nth) => ({ key: `k${nth}`, operator: 'Exists' })) })],
  ['fields', required({ matchFields: many((nth) => ({ key: `k${nth}`, operator: 'Exists' })) })],
  ['values', required({ matchExpressions: [{ key: 'k', operator: 'In', values: many(String) }] })],
  ['tolerations', { tolerations: many((nth) => ({ key: `k${nth}`, operator: 'Exists' })) }],
  ['terms of neighbours', apartFrom(...many(() => onHosts))],
  [
    'labels of neighbours',
    apartFrom({ ...onHosts, labelSelector: { matchLabels: Object.fromEntries(many((nth) => [`k${nth}`, 'x'])) } }),
  ],
  [
    'expressions of neighbours',
    apartFrom({
      ...onHosts,
      labelSelector: { matchExpressions: many((nth) => ({ key: `k${nth}`, operator: 'DoesNotExist' })) },
    }),
  ],
])('[N-12] [N-30] a pod with more than 200 %s asks for too much', (_what, spec) => {
  expect(asksForTooMuch(aWish(spec))).toBe(true);
});

test('[N-12] [N-30] a pod that names a hundred hosts and tolerates fifty taints does not', () => {
  const hosts = { key: 'kubernetes.io/hostname', operator: 'In', values: many(String).slice(0, 100) };
  const tolerations = many((nth) => ({ key: `k${nth}`, operator: 'Exists' })).slice(0, 50);

  expect(
    asksForTooMuch(aWish({ nodeSelector: { disk: 'ssd' }, tolerations, ...required({ matchExpressions: [hosts] }) })),
  ).toBe(false);
});

test('[N-12] [N-30] each neighbour is looked at once, however many nodes there are', () => {
  const term = { ...onHosts, labelSelector: { matchLabels: { app: 'web' } } };
  const siblings = Array.from({ length: 20 }, (_, nth) =>
    Pod.parse(aPod(`web-${nth}`, { node: nth === 0 ? 'ssd' : `node-${nth}` })),
  );
  let looks = 0;
  const counted = siblings.map((pod) => ({
    ...pod,
    get spec() {
      looks += 1;
      return pod.spec;
    },
  }));

  const { apart } = place(aWish(apartFrom(term, term, term)), nodes, counted);

  expect(apart.map(({ metadata }) => metadata.name)).toEqual(['plain', 'soft', 'cordoned']);
  expect(looks).toBe(siblings.length);
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
