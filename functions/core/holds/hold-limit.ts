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
  const held = heldIn(snapshot).get(id) ?? new Set();
  const asked = new Set(wanted);
  const fresh = snapshot.pools.filter(
    (each) => asked.has(each.name) && !held.has(each.name) && isManaged(snapshot.settings, each),
  );
  const place = fresh.findIndex(({ name }) => name === pool.name);
  if (place < Math.max(0, most - held.size)) return undefined;
  return `one Application may hold ${most} pools (policy.internals.poolsPerApplication), and it wants ${held.size + fresh.length}`;
}

/** Names of the pools that each id holds. Every pool asks it of every Application, and there may be hundreds of holds
 *  on each: they are gone through once for a snapshot. */
function heldIn(snapshot: Snapshot): ReadonlyMap<string, ReadonlySet<string>> {
  const known = ofSnapshots.get(snapshot);
  if (known !== undefined) return known;
  const held = new Map<string, Set<string>>();
  for (const pool of snapshot.pools)
    for (const { id } of holdsOf(pool)) {
      const names = held.get(id) ?? new Set();
      held.set(id, names.add(pool.name));
    }
  ofSnapshots.set(snapshot, held);
  return held;
}

const ofSnapshots = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlySet<string>>>();
