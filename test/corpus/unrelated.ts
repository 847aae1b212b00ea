import { aBudget, aLiveNode, aPendingPod, aPod, type Json } from '../functions/core/diagnose/world.ts';
import { fc } from '../property.ts';
import { nameOf, type Scene } from './situation.ts';

/** Things that stand in a cluster and have nothing to do with a pool's trouble, though they look like it. */
export interface Unrelated {
  readonly nodes: readonly Json[];
  readonly pods: readonly Json[];
  readonly budgets: readonly Json[];
}

const lost = { status: 'Unknown', message: 'Kubelet stopped posting node status.' };
const dedicated = [{ key: 'dedicated', value: 'elsewhere', effect: 'NoSchedule' }];
const nodeName = fc.nat({ max: 9 }).map((number) => `elsewhere-${number}`);

/** Of no pool that is asked about, and no home for pods of others: well, cordoned or lost. */
const node = fc
  .tuple(nodeName, fc.constantFrom({}, { unschedulable: true }, { ready: lost }))
  .map(([name, change]) => aLiveNode(name, { role: 'elsewhere', taints: dedicated, ...change }));

const crashing = [
  {
    name: 'main',
    ready: false,
    restartCount: 9,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
    lastState: { terminated: { reason: 'Error', exitCode: 1 } },
  },
];

/** In another namespace, with the labels of the pods in question: running, crashing, or without a node. */
const pod = fc
  .tuple(fc.nat({ max: 99 }), nodeName, fc.constantFrom('runs', 'crashes', 'waits'), fc.constantFrom('web', 'db'))
  .map(([number, home, how, app]) => {
    const name = `${app}-${number}`;
    if (how === 'waits')
      return aPendingPod(name, '0/3 nodes are available: 3 Insufficient cpu.', { namespace: 'elsewhere', app });
    const change = how === 'crashes' ? { ready: false, containers: crashing } : {};
    return aPod(name, { namespace: 'elsewhere', app, node: home, ...change });
  });

/** Over the same labels in another namespace, or over other labels in the same one. They spare nothing. */
const budget = fc.tuple(fc.nat({ max: 99 }), fc.constantFrom('elsewhere', 'shop')).map(([number, namespace]) =>
  aBudget(`other-${number}`, {
    namespace,
    spec: { selector: { matchLabels: { app: namespace === 'shop' ? `other-${number}` : 'web' } } },
  }),
);

export const unrelated: fc.Arbitrary<Unrelated> = fc.record({
  nodes: fc.uniqueArray(node, { maxLength: 8, selector: nameOf }),
  pods: fc.uniqueArray(pod, { maxLength: 12, selector: nameOf }),
  budgets: fc.uniqueArray(budget, { maxLength: 8, selector: nameOf }),
});

/** Before and behind what is there. */
export function withUnrelated(scene: Scene, { nodes, pods, budgets }: Unrelated): Scene {
  const { world } = scene;
  const half = <T>(more: readonly T[], own: readonly T[]) => [
    ...more.slice(0, more.length / 2),
    ...own,
    ...more.slice(more.length / 2),
  ];
  return {
    ...scene,
    world: {
      ...world,
      nodes: half(nodes, world.nodes),
      pods: half(pods, world.pods),
      budgets: half(budgets, world.budgets),
    },
  };
}
