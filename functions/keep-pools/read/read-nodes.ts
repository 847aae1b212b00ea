import { everyName, type UnreadableItem } from '../../core/findings/listed.ts';
import type { ObservedNodes } from '../../core/judge/input.ts';
import { renderedFor } from '../../core/openshift/membership.ts';
import type { Node } from '../../core/openshift/node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import type { Pools } from '../../ports/cluster.ts';

/** Nodes, and those among them that could not be parsed, or that none could be read. */
export interface ReadNodes {
  readonly nodes: ObservedNodes;
  readonly unreadable: readonly UnreadableItem[];
}

/** The nodes that a pool selects. A failed read is returned, not thrown: the rest of the cluster is judged without. */
export async function readNodes(
  { nodeSelector }: Pick<Pool, 'nodeSelector'>,
  { listNodes }: Pick<Pools, 'listNodes'>,
): Promise<ReadNodes> {
  if (nodeSelector === undefined) return { nodes: seen([]), unreadable: [] };
  try {
    const { items, unreadable: invalid } = await listNodes(nodeSelector);
    return { nodes: seen(items), unreadable: invalid };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const why = cause.message;
    return { nodes: unreadable(why), unreadable: [{ kind: 'Node', namespace: '', name: everyName, why }] };
  }
}

/** Nodes outside of every pool are in no list of a pool's nodes, and pools at rest are not asked for theirs. */
export function readEveryNode(pools: Pick<Pools, 'listNodes'>): Promise<ReadNodes> {
  return readNodes({ nodeSelector: {} }, pools);
}

/** A custom pool takes its nodes from pool worker, whose selector matches them too. While it cannot be parsed, they are
 *  known by the config that it gave them. */
export function withoutNodesOf(pools: readonly string[] | undefined, nodes: ObservedNodes): ObservedNodes {
  if (pools === undefined || nodes.kind !== 'seen') return nodes;
  const isTheirs = ({ desiredConfig }: Node) => pools.includes(renderedFor(desiredConfig) ?? '');
  return { ...nodes, value: nodes.value.filter((node) => !isTheirs(node)) };
}
