import type { MachineConfigPool, Node } from '../api-server/cluster-objects.ts';
import { selects } from '../api-server/label-selector.ts';

/** The pools of a node, the one that decides its configuration first. None when no pool selects it, or when two custom
 *  pools do, which the controller only logs. Source: MCO pkg/helpers GetPoolsForNode. */
export function poolsOfNode(pools: readonly MachineConfigPool[], node: Node): MachineConfigPool[] {
  if (node.metadata.labels?.['kubernetes.io/os'] === 'windows') return [];
  const claiming = pools.filter(({ spec }) => selects(spec.nodeSelector, node.metadata.labels));
  const named = (name: string) => claiming.filter(({ metadata }) => metadata.name === name);
  const builtIn = ['master', 'worker', 'arbiter'];
  const custom = claiming.filter(({ metadata }) => !builtIn.includes(metadata.name));
  if (custom.length > 1) return [];
  if (custom.length === 1) return named('master').length > 0 ? named('master') : [...custom, ...named('worker')];
  if (named('master').length > 0) return named('master');
  if (named('arbiter').length > 0) return named('arbiter');
  return named('worker');
}

/** The nodes whose configuration a pool decides. */
export function nodesOfPool(
  pool: MachineConfigPool,
  pools: readonly MachineConfigPool[],
  nodes: readonly Node[],
): Node[] {
  return nodes.filter((node) => poolsOfNode(pools, node)[0]?.metadata.name === pool.metadata.name);
}
