import type { TurnNode } from '../../core/node-turns/turn-node.ts';
import { membershipOf } from '../../core/openshift/membership.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts } from '../keep-ports.ts';

/** The nodes as runs see them. Throws Transient. */
export async function readTurnNodes(pools: readonly Pool[], { nodeTurns }: ClusterPorts): Promise<readonly TurnNode[]> {
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
