import { expect, test } from 'vitest';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  nodeSubject,
  readerOver,
  refused,
} from './world.ts';

/** What keeps a pod on the node, in a namespace of its own: each leads another way through the catalogue. */
type Story = (namespace: string) => {
  readonly error: string;
  readonly pods: readonly Json[];
  readonly budgets?: readonly Json[];
};

const guarded = (namespace: string) => [
  aBudget('web', {
    namespace,
    spec: { minAvailable: 1 },
    status: { expectedPods: 2, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 },
  }),
];

function sibling(of: (namespace: string) => Json): Story {
  return (namespace) => ({
    error: refused('web-a', namespace),
    pods: [aPod('web-a', { namespace, node: 'worker-2' }), of(namespace)],
    budgets: guarded(namespace),
  });
}

function waiting(message: string): Story {
  return sibling((namespace) => aPendingPod('web-b', message, { namespace }));
}

function ending(metadata: Json, more: readonly Json[] = []): Story {
  return (namespace) => ({
    error: accepted('web-a', namespace),
    pods: [
      aPod('web-a', { namespace, node: 'worker-2', metadata: { deletionGracePeriodSeconds: 600, ...metadata } }),
      ...more,
    ],
  });
}

const stories: Readonly<Record<string, Story>> = {
  'a sibling on a lost node': sibling((namespace) => aPod('web-b', { namespace, node: 'worker-5', ready: false })),
  'a sibling without room': waiting('0/3 nodes are available: 3 Insufficient cpu.'),
  'a sibling that fits no node': waiting(
    "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
  ),
  'a sibling kept off by a taint': waiting('0/3 nodes are available: 3 node(s) had untolerated taint {a: b}.'),
  'a sibling without its volume': waiting('0/3 nodes are available: 3 node(s) had volume node affinity conflict.'),
  'no sibling': (namespace) => ({
    error: refused('web-a', namespace),
    pods: [aPod('web-a', { namespace, node: 'worker-2' })],
    budgets: guarded(namespace),
  }),
  'an eviction that is shed': (namespace) => ({
    error: refused('web-a', namespace),
    pods: [aPod('web-a', { namespace, node: 'worker-2' })],
  }),
  'a pod that ends slowly': ending({ deletionTimestamp: minutesAgo(-5) }),
  'a pod that does not end': ending({ deletionTimestamp: minutesAgo(5) }),
  'a pod that is gone': (namespace) => ({ error: refused('web-z', namespace), pods: [] }),
};

const names = Object.keys(stories);
const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));

test.each(pairs)('[N-12] 15 calls are enough for %s beside %s', async (one, other) => {
  const [first, second] = [stories[one]?.('one'), stories[other]?.('two')];
  const lost = { status: 'Unknown', message: 'Kubelet stopped posting node status.' };
  const world = aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-5', { ready: lost })],
    machines: [drainFailing('worker-2', `[${first?.error}, ${second?.error}]`)],
    pods: [...(first?.pods ?? []), ...(second?.pods ?? [])],
    budgets: [...(first?.budgets ?? []), ...(second?.budgets ?? [])],
  });

  const { calls } = await lookInto(nodeSubject(world, 'worker-2', 'draining'), readerOver(world), { maxCalls: 1_000 });

  expect(calls).toBeGreaterThan(2);
  expect(calls).toBeLessThanOrEqual(15);
});
