import { expect, test } from 'vitest';
import { Misconfigured, Transient } from '../../../../functions/core/text/errors.ts';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import { codes } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPod,
  aReplicaSet,
  aWorld,
  drainFailing,
  nodeSubject,
  readerOver,
  refused,
} from './world.ts';

const world = aWorld({
  nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')],
  machines: [drainFailing('worker-2', refused('web-a'))],
  pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
  budgets: [aBudget('web')],
  replicaSets: [aReplicaSet(2)],
});
const subject = nodeSubject(world, 'worker-2', 'draining');

test('asks nothing twice, and only about the node and the pod that is named', async () => {
  const reader = readerOver(world);

  const diagnosis = await lookInto(subject, reader, { maxCalls: 15 });

  expect(reader.asked.map(({ path }) => path)).toEqual([
    '/apis/machineconfiguration.openshift.io/v1/machineconfignodes/worker-2',
    '/api/v1/namespaces/shop/pods/web-a',
    '/apis/policy/v1/namespaces/shop/poddisruptionbudgets',
    '/apis/apps/v1/namespaces/shop/replicasets/web-5d5f6c7b8',
    '/apis/apps/v1/namespaces/shop/deployments/web',
  ]);
  expect(diagnosis.calls).toBe(5);
});

test('past its budget it stops asking, and says what it did not see', async () => {
  const reader = readerOver(world);

  const diagnosis = await lookInto(subject, reader, { maxCalls: 2 });

  expect(reader.asked).toHaveLength(2);
  expect(diagnosis.calls).toBe(2);
  expect(diagnosis.unanswered).toEqual([
    '/apis/policy/v1/namespaces/shop/poddisruptionbudgets: not asked: 2 calls were made',
  ]);
  expect(codes(diagnosis)).toEqual(['D1']);
});

test('a reader that throws Transient makes the answer weaker, not the pass fail', async () => {
  const reader = { read: async () => Promise.reject(new Transient('connection reset')) };

  const diagnosis = await lookInto(subject, reader, { maxCalls: 15 });

  expect(codes(diagnosis)).toEqual(['D0']);
  expect(diagnosis.unanswered[0]).toContain('connection reset');
});

test('a reader that throws anything else is our own fault and not hidden', async () => {
  const reader = { read: async () => Promise.reject(new Misconfigured(['no token'])) };

  await expect(lookInto(subject, reader, { maxCalls: 15 })).rejects.toThrow('no token');
});

test('[N-12] two thousand nodes and a crowded namespace cost no more than 15 calls a stuck node', async () => {
  const crowd = {
    ...world,
    nodes: [...world.nodes, ...Array.from({ length: 2000 }, (_, index) => aLiveNode(`other-${index}`))],
    machines: [
      drainFailing(
        'worker-2',
        Array.from({ length: 30 }, (_, index) => refused(`web-${index}`, `ns-${index}`)).join(', '),
      ),
    ],
    pods: Array.from({ length: 30 }, (_, index) =>
      aPod(`web-${index}`, { namespace: `ns-${index}`, node: 'worker-2' }),
    ),
    budgets: Array.from({ length: 30 }, (_, index) => aBudget('web', { namespace: `ns-${index}` })),
  };

  const diagnosis = await lookInto(subject, readerOver(crowd), { maxCalls: 15 });

  expect(diagnosis.calls).toBeLessThanOrEqual(15);
  expect(diagnosis.findings[0]?.because).toHaveLength(2);
  expect(diagnosis.findings[0]?.sentence).toContain('29 other pods stay, too.');
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'Bad Gateway'],
  ['a list of rubbish', { items: [null, 7, { metadata: 3 }, { spec: [], status: 'x' }] }],
  ['objects without status', { items: [{ metadata: { name: 'web', namespace: 'shop' } }] }],
])('a server that answers with %s does not make it fail', async (_what, body) => {
  const reader = { read: async () => ({ kind: 'found' as const, body, readAt: new Date(subject.readAt) }) };

  const diagnosis = await lookInto(subject, reader, { maxCalls: 15 });

  expect(diagnosis.findings).toHaveLength(1);
});
