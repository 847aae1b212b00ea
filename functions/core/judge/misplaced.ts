import { isBuiltIn, lastPoolOf, nodesOfNoPool, nodesOfSeveral, ofControlPlane } from '../openshift/membership.ts';
import type { Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { poolSelects } from '../openshift/selector.ts';

/** Nodes that are not updated by the pool whose selector matches them. */
export interface Misplaced {
  /** Selected by this custom pool and another one: the MCO treats them as members of none (S7). */
  readonly inSeveral: readonly Node[];
  /** In no pool, and last in this one (S8). */
  readonly inNone: readonly Node[];
  /** Selected by this custom pool but owned by the control plane's pool (S9). */
  readonly onControlPlane: readonly Node[];
}

/** @param nodes every node of the cluster */
export function misplacedIn(pool: Pool, pools: readonly Pool[], nodes: readonly Node[]): Misplaced {
  const selected = isBuiltIn(pool) ? [] : nodes.filter(({ labels }) => poolSelects(pool.nodeSelector, labels));
  const inSeveral = nodesOfSeveral(pools, selected);
  return {
    inSeveral,
    inNone: nodesOfNoPool(pools, nodes).filter((node) => lastPoolOf(node, pools)?.name === pool.name),
    onControlPlane: selected.filter((node) => !inSeveral.includes(node) && ofControlPlane(node, pools)),
  };
}

export function isAnyMisplaced({ inSeveral, inNone, onControlPlane: kept }: Misplaced): boolean {
  return inSeveral.length + inNone.length + kept.length > 0;
}
