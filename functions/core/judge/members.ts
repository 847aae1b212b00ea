import type { Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { poolSelects } from '../openshift/selector.ts';

const builtIn = ['master', 'arbiter', 'worker'];

/** The nodes whose primary pool this is. Nodes of a custom pool also match the worker pool's selector; the custom pool
 *  owns them, and the master pool owns whatever it matches. Windows nodes belong to none. Source:
 *  machine-config-operator pkg/helpers/helpers.go `GetPoolsForNode`. */
export function membersOf(pool: Pool, pools: readonly Pool[], nodes: readonly Node[]): readonly Node[] {
  return nodes.filter(
    (node) => node.labels['kubernetes.io/os'] !== 'windows' && primaryPool(node, pools)?.name === pool.name,
  );
}

export function isBuiltIn({ name }: Pick<Pool, 'name'>): boolean {
  return builtIn.includes(name);
}

/** Nodes that two custom pools select, which the MCO then refuses to update: `belongs to N custom roles, cannot
 *  proceed` (S7). Source: machine-config-operator pkg/helpers/helpers.go. */
export function nodesOfSeveral(pools: readonly Pool[], nodes: readonly Node[]): readonly Node[] {
  const custom = pools.filter((pool) => !isBuiltIn(pool));
  return nodes.filter(
    (node) =>
      !ofControlPlane(node, pools) && custom.filter((pool) => poolSelects(pool.nodeSelector, node.labels)).length > 1,
  );
}

/** Nodes that the MCO has configured before and that no pool selects. Nodes without a configuration, such as Windows
 *  nodes, are not managed by the MCO. */
export function nodesOfNoPool(pools: readonly Pool[], nodes: readonly Node[]): readonly Node[] {
  return nodes.filter(
    ({ labels, currentConfig }) =>
      currentConfig !== '' &&
      labels['kubernetes.io/os'] !== 'windows' &&
      !pools.some((pool) => poolSelects(pool.nodeSelector, labels)),
  );
}

/** The pool that a node's configuration was rendered for (`rendered-<pool>-<hash>`); undefined if that pool is gone. */
export function lastPoolOf({ currentConfig }: Pick<Node, 'currentConfig'>, pools: readonly Pool[]): Pool | undefined {
  const name = /^rendered-(.+)-[^-]+$/.exec(currentConfig)?.[1];
  return pools.find((pool) => pool.name === name);
}

export function ofControlPlane({ labels }: Pick<Node, 'labels'>, pools: readonly Pool[]): boolean {
  return pools.some((pool) => ['master', 'arbiter'].includes(pool.name) && poolSelects(pool.nodeSelector, labels));
}

function primaryPool(node: Node, pools: readonly Pool[]): Pool | undefined {
  const matching = pools.filter((pool) => poolSelects(pool.nodeSelector, node.labels));
  const custom = matching.filter((pool) => !builtIn.includes(pool.name));
  const named = (name: string) => matching.find((pool) => pool.name === name);
  // Two custom pools are a configuration error: the MCO treats such a node as a member of none.
  if (custom.length > 1) return undefined;
  return named('master') ?? named('arbiter') ?? custom[0] ?? named('worker');
}
