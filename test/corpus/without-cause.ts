import { aLiveNode, aPod, type Json, newConfig, type World } from '../functions/core/diagnose/world.ts';
import { aPoolObject, type Cause, nameOf, type Scene } from './situation.ts';

/** The same scene after somebody has mended its cause, and nothing else. */
export function withoutCause(scene: Scene, { kind, code, about }: Cause): Scene {
  const { world } = scene;
  if (kind !== 'drain-blocked') return { ...restored(scene), firstSeen: {}, waitsForRender: [] };
  return { ...scene, world: { ...world, ...drainMended(world, code, about.split('/').at(-1) ?? '') } };
}

/** Every node where it should be, every pool at rest. */
function restored(scene: Scene): Scene {
  const { world, pools } = scene;
  const nodes = world.nodes.map((node) =>
    aLiveNode(nameOf(node), { annotations: { currentConfig: newConfig, desiredConfig: newConfig } }),
  );
  return {
    ...scene,
    world: { ...world, nodes },
    pools: pools.map((pool) => aPoolObject({ name: nameOf(pool), current: newConfig })),
  };
}

/** What people would do about each family of causes. */
function drainMended(world: World, code: string, name: string): Partial<World> {
  switch (true) {
    case /^P/.test(code):
      return { budgets: [] };
    case /^(?:U|C[1-6]|self)/.test(code):
      return { pods: world.pods.map((pod) => (nameOf(pod) === name ? healthy(pod) : pod)), budgets: relieved(world) };
    case code === 'C7':
      return {
        replicaSets: [],
        pods: [...world.pods, aPod('web-new', { node: 'worker-1' })],
        budgets: relieved(world),
      };
    case code === 'S2':
      return {
        nodes: world.nodes.map((node) => (nameOf(node) === name ? aLiveNode(name, { role: 'storage' }) : node)),
        pods: world.pods.map((pod) => (nameOf(pod) === 'web-b' ? healthy(pod) : pod)),
        budgets: relieved(world),
      };
    case /^T[1-4]$/.test(code):
      return { pods: world.pods.filter((pod) => nameOf(pod) !== name) };
    case code === 'T9':
      return { pods: [] };
    case code === 'T10' || code === 'K1':
      return { others: {} };
    case /^T/.test(code):
      return { machines: [], events: [] };
    case /^D/.test(code):
      return { nodes: world.nodes.map((node) => aLiveNode(nameOf(node))) };
    default:
      throw new Error(`nobody knows how to mend ${code}`);
  }
}

function healthy(pod: Json): Json {
  return aPod(nameOf(pod), { node: 'worker-1' });
}

/** With as many healthy pods as are expected, every budget has one to spare. */
function relieved({ budgets }: World): readonly Json[] {
  return budgets.map((budget) => {
    const status = budget['status'] as { readonly expectedPods: number };
    return {
      ...budget,
      status: {
        ...status,
        currentHealthy: status.expectedPods,
        desiredHealthy: status.expectedPods - 1,
        disruptionsAllowed: 1,
      },
    };
  });
}
