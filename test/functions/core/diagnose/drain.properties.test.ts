import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../../functions/core/diagnose/diagnosis.ts';
import { fc } from '../../../property.ts';
import { codes, drainOf, flat } from './look.ts';
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
  refused,
  type World,
} from './world.ts';

/** A blocked drain, what the answer must begin with, and the same world without its cause. */
interface Story {
  readonly what: string;
  readonly codes: readonly string[];
  readonly world: World;
  readonly cured: World;
}

const nodes = [aLiveNode('worker-1'), aDrainingNode('worker-2', { labels: { disk: 'ssd' } }), aLiveNode('worker-3')];
const blocked = aWorld({ nodes, machines: [drainFailing('worker-2', refused('web-a'))] });
const pendingMessage =
  "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.";
const short = { status: { expectedPods: 3, currentHealthy: 2 } };
const onlySsd = { spec: { nodeSelector: { disk: 'ssd' } } };
const guarded = aPod('web-a', { node: 'worker-2' });
const leaving = {
  metadata: { deletionTimestamp: minutesAgo(5), deletionGracePeriodSeconds: 0, finalizers: ['acme.io/backup'] },
};
const evicted = aPod('db-0', { namespace: 'data', app: 'db', node: 'worker-2', ...leaving });

const stories: readonly Story[] = [
  {
    what: 'a budget that spares nothing',
    codes: ['D1', 'P1'],
    world: { ...blocked, pods: [guarded, aPod('web-b', { node: 'worker-1' })], budgets: [aBudget('web')] },
    cured: {
      ...blocked,
      pods: [guarded, aPod('web-b', { node: 'worker-1' })],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, disruptionsAllowed: 1 } })],
    },
  },
  {
    what: 'a deadlock over a label',
    codes: ['D1', 'P3', 'self-deadlock'],
    world: {
      ...blocked,
      pods: [guarded, aPendingPod('web-b', pendingMessage, onlySsd)],
      budgets: [aBudget('web', short)],
    },
    cured: {
      ...blocked,
      nodes: [...nodes, aLiveNode('worker-4', { labels: { disk: 'ssd' } })],
      pods: [guarded, aPendingPod('web-b', pendingMessage, onlySsd)],
      budgets: [aBudget('web', short)],
    },
  },
  {
    what: 'a sibling that is not ready',
    codes: ['D1', 'P3', 'C4'],
    world: {
      ...blocked,
      pods: [guarded, aPod('web-b', { node: 'worker-1', ready: false })],
      budgets: [aBudget('web', short)],
    },
    cured: {
      ...blocked,
      pods: [guarded, aPod('web-b', { node: 'worker-1' })],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 3, disruptionsAllowed: 1 } })],
    },
  },
  {
    what: 'a finalizer',
    codes: ['D2', 'T2'],
    world: { ...blocked, machines: [drainFailing('worker-2', accepted('db-0', 'data'))], pods: [evicted] },
    cured: { ...blocked, machines: [drainFailing('worker-2', accepted('db-0', 'data'))], pods: [] },
  },
];

const name = fc.stringMatching(/^[a-z][a-z0-9]{2,12}$/).map((each) => `x-${each}`);

/** Objects that have nothing to do with the drain: other nodes of other roles, other apps, other namespaces. */
const unrelated = fc.record({
  nodes: fc.uniqueArray(fc.record({ name, unschedulable: fc.boolean(), tainted: fc.boolean() }), {
    maxLength: 8,
    selector: (each) => each.name,
  }),
  pods: fc.uniqueArray(
    fc.record({
      name,
      namespace: fc.constantFrom('shop', 'other', 'kube-system'),
      pending: fc.boolean(),
      ready: fc.boolean(),
    }),
    { maxLength: 12, selector: (each) => `${each.namespace}/${each.name}` },
  ),
  budgets: fc.uniqueArray(fc.record({ name, namespace: fc.constantFrom('shop', 'other') }), {
    maxLength: 6,
    selector: (each) => `${each.namespace}/${each.name}`,
  }),
});

function withUnrelated(world: World, extra: typeof unrelated extends fc.Arbitrary<infer T> ? T : never): World {
  const taints = [{ key: 'acme.io/own', effect: 'NoSchedule' }];
  return {
    ...world,
    nodes: [
      ...world.nodes,
      ...extra.nodes.map(({ name: node, unschedulable, tainted }) =>
        aLiveNode(node, { role: 'infra', unschedulable, taints: tainted ? taints : [] }),
      ),
    ],
    pods: [...world.pods, ...extra.pods.map(unrelatedPod)],
    budgets: [
      ...world.budgets,
      ...extra.budgets.map((each) =>
        // In the namespace of the story it selects other pods; elsewhere it may select all.
        aBudget(each.name, {
          namespace: each.namespace,
          spec: { selector: each.namespace === 'shop' ? { matchLabels: { app: 'elsewhere' } } : {} },
        }),
      ),
    ],
  };
}

function unrelatedPod(pod: { name: string; namespace: string; pending: boolean; ready: boolean }): Json {
  const common = { namespace: pod.namespace, app: 'elsewhere' };
  return pod.pending
    ? aPendingPod(pod.name, '0/9 nodes are available: 9 Insufficient cpu.', common)
    : aPod(pod.name, { ...common, node: 'worker-1', ready: pod.ready });
}

/** What people are told, without the moments at which it was read. */
function told({ findings }: Diagnosis) {
  return findings
    .flatMap(flat)
    .map(({ code, sentence, confidence, remedies }) => ({ code, sentence, confidence, remedies }));
}

test.each(stories)(
  '[N-12] [decoy] nothing unrelated changes the answer to $what',
  async ({ world, codes: expected }) => {
    const plain = await drainOf(world);
    expect(codes(plain)).toEqual(expected);

    await fc.assert(
      fc.asyncProperty(unrelated, async (extra) => {
        const crowded = await drainOf(withUnrelated(world, extra));

        expect(told(crowded)).toEqual(told(plain));
        expect(crowded.calls).toBe(plain.calls);
      }),
      { numRuns: 40 },
    );
  },
);

test.each(stories)(
  '[N-12] taking the cause away always takes the answer away: $what',
  async ({ cured, codes: expected }) => {
    await fc.assert(
      fc.asyncProperty(unrelated, async (extra) => {
        const diagnosis = await drainOf(withUnrelated(cured, extra));

        expect(codes(diagnosis)).not.toEqual(expected);
        expect(diagnosis.findings.every((each) => each.class !== 'structural')).toBe(true);
      }),
      { numRuns: 40 },
    );
  },
);

test.each(stories)('the order in which the API server lists things changes nothing: $what', async ({ world }) => {
  const plain = await drainOf(world);

  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...world.pods], { minLength: world.pods.length }), async (pods) => {
      const shuffled = await drainOf({
        ...world,
        pods,
        nodes: world.nodes.toReversed(),
        budgets: world.budgets.toReversed(),
      });

      expect(told(shuffled)).toEqual(told(plain));
    }),
    { numRuns: 10 },
  );
});

test('[N-12] whatever cannot be read, no claim gets surer, none is certain by inference, and 15 calls are never passed', async () => {
  const paths = ['machineconfignodes', 'events', 'poddisruptionbudgets', 'shop/pods$', 'v1/nodes', 'v1/pods$'];
  const ladder = ['certain', 'strong', 'likely', 'possible'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...stories), fc.subarray(paths), async ({ world }, broken) => {
      const refusals = broken.map((path) => ({ path: new RegExp(path), why: 'forbidden' }));
      const plain = await drainOf(world);
      const diagnosis = await drainOf({ ...world, refused: refusals });

      const [seen, poor] = [plain, diagnosis].map(({ findings }) => ladder.indexOf(findings[0]?.confidence ?? ''));
      expect(poor).toBeGreaterThanOrEqual(seen ?? 0);
      expect(diagnosis.calls).toBeLessThanOrEqual(15);
      const inferred = diagnosis.findings.flatMap(flat).filter(({ code }) => /^(?:P|D|self)/.test(code));
      expect(inferred.every(({ confidence, code }) => confidence !== 'certain' || code === 'P6')).toBe(true);
    }),
    { numRuns: 60 },
  );
});
