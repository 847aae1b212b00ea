import { isManaged } from '../openshift/managed-pools.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** May this holder take one more pool? What one Application may hold is bounded: whatever it says of itself, the other
 *  pools go on. It keeps what it holds; of the pools that it wants besides, the first ones in the order of the cluster
 *  fit. Undefined: it may. */
export function overLimit(
  id: string,
  wanted: readonly string[],
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): string | undefined {
  const { poolsPerApplication: most } = snapshot.settings.policy;
  const held = snapshot.pools.filter((each) => isHeldBy(each, id));
  const fresh = snapshot.pools.filter(
    (each) => wanted.includes(each.name) && !isHeldBy(each, id) && isManaged(snapshot.settings, each),
  );
  const place = fresh.findIndex(({ name }) => name === pool.name);
  if (place < Math.max(0, most - held.length)) return undefined;
  return `one Application may hold ${most} pools (policy.internals.poolsPerApplication), and it wants ${held.length + fresh.length}`;
}

function isHeldBy(pool: Snapshot['pools'][number], id: string): boolean {
  return holdsOf(pool).some((hold) => hold.id === id);
}
