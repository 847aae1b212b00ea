import type { MachineConfigPool, Node } from '../api-server/cluster-objects.ts';
import { selects } from '../api-server/label-selector.ts';

/** The pools of a node, the one that decides its configuration first. None when no pool selects it, or when two custom
 *  pools do, which the controller only logs. Source: MCO pkg/helpers GetPoolsForNode. */
export function poolsOfNode(pools: readonly MachineConfigPool[], node: Node): MachineConfigPool[] {
  if (node.metadata.labels?.['kubernetes.io/os'] === 'windows') return [];
  const claiming = poolsSelecting(pools, node);
  const named = (name: string) => claiming.filter(({ metadata }) => metadata.name === name);
  const custom = claiming.filter(isCustom);
  if (custom.length > 1) return [];
  if (custom.length === 1) return named('master').length > 0 ? named('master') : [...custom, ...named('worker')];
  if (named('master').length > 0) return named('master');
  return named('worker');
}

/** Why a node belongs to no pool although pools select it: two of them are custom. In the words of MCO pkg/helpers
 *  GetPoolsForNode, where it is an error. */
export function membershipError(pools: readonly MachineConfigPool[], node: Node): string | undefined {
  const custom = poolsSelecting(pools, node).filter(isCustom);
  if (custom.length < 2) return undefined;
  return `node ${node.metadata.name} belongs to ${custom.length} custom roles, cannot proceed with this Node`;
}

function poolsSelecting(pools: readonly MachineConfigPool[], node: Node): MachineConfigPool[] {
  return pools.filter(({ spec }) => selects(spec.nodeSelector, node.metadata.labels));
}

/** Arbiter as well. */
function isCustom({ metadata }: MachineConfigPool): boolean {
  return !['master', 'worker'].includes(metadata.name);
}

/** The nodes whose configuration a pool decides. */
export function nodesOfPool(
  pool: MachineConfigPool,
  pools: readonly MachineConfigPool[],
  nodes: readonly Node[],
): Node[] {
  return nodes.filter((node) => poolsOfNode(pools, node)[0]?.metadata.name === pool.metadata.name);
}
