import { inNoPool } from '../diagnose/rules/no-pool.ts';
import { onControlPlane } from '../diagnose/rules/on-control-plane.ts';
import { inSeveralPools } from '../diagnose/rules/several-pools.ts';
import { listed } from '../diagnose/words.ts';
import type { Node } from '../node.ts';
import type { Pool } from '../pool.ts';
import { poolSelects } from '../selector.ts';
import type { Finding, Trouble } from '../trouble.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import { isBuiltIn, lastPoolOf, nodesOfNoPool, nodesOfSeveral, ofControlPlane } from './members.ts';
import type { PoolState } from './pool-state.ts';

/** Nodes that no pool updates as its selector makes people believe. */
export interface Misplaced {
  /** Selected by this custom pool and another one: the MCO lets them belong to none (S7). */
  readonly inSeveral: readonly Node[];
  /** In no pool, and in this one last (S8). */
  readonly inNone: readonly Node[];
  /** Selected by this custom pool and kept by the control plane's (S9). */
  readonly onControlPlane: readonly Node[];
}

/** @param nodes every node of the cluster */
export function misplacedIn(pool: Pool, pools: readonly Pool[], nodes: readonly Node[]): Misplaced {
  const selected = isBuiltIn(pool) ? [] : nodes.filter(({ labels }) => poolSelects(pool.nodeSelector, labels));
  return {
    inSeveral: nodesOfSeveral(pools, selected),
    inNone: nodesOfNoPool(pools, nodes).filter((node) => lastPoolOf(node, pools)?.name === pool.name),
    onControlPlane: selected.filter((node) => ofControlPlane(node, pools)),
  };
}

export function isAnyMisplaced({ inSeveral, inNone, onControlPlane: kept }: Misplaced): boolean {
  return inSeveral.length + inNone.length + kept.length > 0;
}

/** They are counted nowhere, or not where people look for them, and get no update, whatever their pools say. */
export function misplacedNodes({ pool, misplaced, misplacedSince }: PoolState, input: JudgeInput): readonly Trouble[] {
  if (misplaced === undefined || misplacedSince === undefined) return [];
  const { inSeveral, inNone, onControlPlane: kept } = misplaced;
  const readAt = input.now.toISOString();
  const findings: readonly Finding[] = [
    ...(inSeveral.length > 0 ? [inSeveralPools(pool, inSeveral, readAt)] : []),
    ...(inNone.length > 0 ? [inNoPool(pool, inNone, readAt)] : []),
    ...(kept.length > 0 ? [onControlPlane(pool, kept, readAt)] : []),
  ];
  const names = [...inSeveral, ...inNone, ...kept].map(({ name }) => name).toSorted();
  return [
    makeTrouble({
      key: { cluster: input.cluster, pool: pool.name, kind: 'no-progress' },
      // The MCO tells people to expect that a control plane node is left where it is.
      severity: inSeveral.length + inNone.length > 0 ? 'warning' : 'info',
      headline: headline(misplaced),
      since: misplacedSince,
      findings,
      facts: [{ label: names.length === 1 ? 'Node' : 'Nodes', value: listed(names, 5) }],
    }),
  ];
}

function headline({ inSeveral, inNone, onControlPlane: kept }: Misplaced): string {
  const them = (nodes: readonly Node[]) => (nodes.length === 1 ? 'it' : 'them');
  const named = (nodes: readonly Node[]) => listed(nodes.map(({ name }) => name).toSorted(), 2);
  if (inSeveral.length > 0)
    return `${named(inSeveral)} in more than one custom pool: no pool updates ${them(inSeveral)}`;
  if (inNone.length > 0) return `${named(inNone)} in no pool: nobody updates ${them(inNone)}`;
  return `${named(kept)} of the control plane selected: the pool never updates ${them(kept)}`;
}
