import { byName } from '../text/by-name.ts';
import type { Node } from './node.ts';
import type { Pool } from './pool.ts';
import { poolSelects } from './selector.ts';

const builtIn = ['master', 'arbiter', 'worker'];
/** Of which membership is decided by name. Any other pool counts as custom, arbiter as well. */
const decidedByName = ['master', 'worker'];

/** What membership depends on. */
export type SelectingPool = Pick<Pool, 'name' | 'nodeSelector'>;
export type LabelledNode = Pick<Node, 'labels'>;

/** Which pool updates a node. */
export type Membership =
  | { readonly kind: 'member'; readonly pool: string }
  /** Two custom pools select it: the MCO then updates it with neither. Where MachineConfigNodes are on (4.20), the
   *  whole sync of its operator stops with the first such node. */
  | { readonly kind: 'several'; readonly pools: readonly string[] }
  | { readonly kind: 'none' };

/** The pool of a node as the MCO assigns it. Nodes of a custom pool also match the worker pool's selector; the custom
 *  pool owns them, and the master pool owns whatever it matches. Windows nodes belong to none. Source:
 *  machine-config-operator pkg/helpers/helpers.go `GetPoolsForNode`. */
export function membershipOf({ labels }: LabelledNode, pools: readonly SelectingPool[]): Membership {
  if (labels['kubernetes.io/os'] === 'windows') return { kind: 'none' };
  const matching = pools.filter((pool) => poolSelects(pool.nodeSelector, labels)).map(({ name }) => name);
  const custom = matching.filter((name) => !decidedByName.includes(name));
  if (custom.length > 1) return { kind: 'several', pools: custom.toSorted() };
  const [pool] = [['master'], custom, ['worker']].flat().filter((name) => matching.includes(name));
  return pool === undefined ? { kind: 'none' } : { kind: 'member', pool };
}

/** The nodes whose primary pool this is. */
export function membersOf(
  pool: SelectingPool,
  pools: readonly SelectingPool[],
  nodes: readonly Node[],
): readonly Node[] {
  return nodes.filter((node) => {
    const membership = membershipOf(node, pools);
    return membership.kind === 'member' && membership.pool === pool.name;
  });
}

/** Whether one pool may have nodes that another one selects, by their names alone: nothing more is known of a pool that
 *  cannot be parsed. Pool worker takes nodes of no other pool, and pool master keeps its own. */
export function mayTakeFrom(taking: string, from: string): boolean {
  return taking !== from && taking !== 'worker' && from !== 'master';
}

export function isBuiltIn({ name }: Pick<Pool, 'name'>): boolean {
  return builtIn.includes(name);
}

/** Nodes that two custom pools select, which the MCO then refuses to update, those of the control plane as well:
 *  `belongs to N custom roles, cannot proceed` (S7). Source: machine-config-operator pkg/helpers/helpers.go. */
export function nodesOfSeveral(pools: readonly Pool[], nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => membershipOf(node, pools).kind === 'several');
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

/** The pool that a node's configuration was rendered for; undefined if that pool is gone. */
export function lastPoolOf({ currentConfig }: Pick<Node, 'currentConfig'>, pools: readonly Pool[]): Pool | undefined {
  return byName(pools, renderedFor(currentConfig));
}

/** Another pool's configuration is its last one: it has just been made, or labelled, for this pool, and the MCO has not
 *  taken it over yet. */
export function hasJustJoined({ desiredConfig }: Pick<Node, 'desiredConfig'>, { name }: SelectingPool): boolean {
  const last = renderedFor(desiredConfig);
  return last !== undefined && last !== name;
}

/** Name of the pool in `rendered-<pool>-<hash>`; undefined: it is no such name. */
export function renderedFor(config: string): string | undefined {
  return /^rendered-(.+)-[^-]+$/.exec(config)?.[1];
}

export function ofControlPlane({ labels }: LabelledNode, pools: readonly SelectingPool[]): boolean {
  return pools.some((pool) => ['master', 'arbiter'].includes(pool.name) && poolSelects(pool.nodeSelector, labels));
}
