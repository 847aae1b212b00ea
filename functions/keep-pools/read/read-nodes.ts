import type { ObservedCluster, ObservedNodes } from '../../core/judge/input.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Pools } from '../../ports/cluster.ts';

/** The nodes that a pool selects. A read that fails is told, not thrown: the rest of the cluster is judged without
 *  them. */
export async function seeNodes(pool: Pool, { listNodes }: Pick<Pools, 'listNodes'>): Promise<ObservedNodes> {
  if (pool.nodeSelector === undefined) return { kind: 'seen', nodes: [] };
  try {
    return { kind: 'seen', nodes: await listNodes(pool.nodeSelector) };
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'unreadable', why: cause.message };
    throw cause;
  }
}

/** Nodes outside of every pool are in no list of a pool's nodes, and pools at rest are not asked for theirs.
 *  Undefined: they could not be read. */
export async function seeEveryNode({ listNodes }: Pick<Pools, 'listNodes'>): Promise<ObservedCluster['everyNode']> {
  try {
    return await listNodes({});
  } catch (cause) {
    if (cause instanceof Transient) return undefined;
    throw cause;
  }
}
