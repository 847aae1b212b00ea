import type { ObservedNodes } from '../../core/judge/input.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import type { Pools } from '../../ports/cluster.ts';

/** The nodes that a pool selects. A failed read is returned, not thrown: the rest of the cluster is judged without. */
export async function readNodes(
  { nodeSelector }: Pick<Pool, 'nodeSelector'>,
  { listNodes }: Pick<Pools, 'listNodes'>,
): Promise<ObservedNodes> {
  if (nodeSelector === undefined) return seen([]);
  try {
    return seen(await listNodes(nodeSelector));
  } catch (cause) {
    if (cause instanceof Transient) return unreadable(cause.message);
    throw cause;
  }
}

/** Nodes outside of every pool are in no list of a pool's nodes, and pools at rest are not asked for theirs. */
export function readEveryNode(pools: Pick<Pools, 'listNodes'>): Promise<ObservedNodes> {
  return readNodes({ nodeSelector: {} }, pools);
}
