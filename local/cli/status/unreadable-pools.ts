import { unreadableWords } from '../../../functions/core/timeline/unreadable-pool.ts';
import type { ClusterStatus } from '../../../functions/status/status.ts';

type Read = Pick<ClusterStatus, 'name' | 'unreadablePools'>;

/** Pools of a cluster that are there and cannot be parsed, a sentence each: none is absent, or known to be well.
 *  @param only name of the one pool that is asked about; undefined: all */
export function unreadablePools(
  { name: cluster, unreadablePools: pools = [] }: Read,
  only?: string,
): readonly string[] {
  const asked = pools.filter(({ name }) => only === undefined || name === only);
  return asked.map((pool) => `pool ${pool.name} of ${cluster} ${unreadableWords(pool)}`);
}
