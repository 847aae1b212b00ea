import type { TurnNode } from '../../core/node-turns/turn-node.ts';
import { membershipOf } from '../../core/openshift/membership.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** Pools decide where nodes belong, those that cannot be parsed too. */
export interface PoolsOfNodes {
  readonly pools: readonly Pool[];
  /** Names of pools that are there and cannot be parsed; absent: none. */
  readonly unreadablePools?: readonly string[] | undefined;
}

/** The nodes as runs see them. Throws Transient. */
export async function readTurnNodes(
  { pools, unreadablePools: [unparsed] = [] }: PoolsOfNodes,
  { nodeTurns }: ClusterPorts,
): Promise<readonly TurnNode[]> {
  // Nodes of a custom pool would be taken for those of pool worker, and be given its config.
  if (unparsed !== undefined)
    throw new Transient(`pool ${unparsed} cannot be parsed: which nodes are its own is not known`, { kind: 'invalid' });
  if (nodeTurns === undefined) throw new Transient('nodes cannot be read here');
  const { items, unreadable } = await nodeTurns.nodes.listReadyNodes();
  const [broken] = unreadable;
  // A node that is not understood would look as if it had left.
  if (broken !== undefined)
    throw new Transient(`node ${broken.name} cannot be read: ${broken.why}`, { kind: 'invalid' });
  return items.map((node) => {
    const membership = membershipOf(node, pools);
    return { ...node, pool: membership.kind === 'member' ? membership.pool : undefined };
  });
}
