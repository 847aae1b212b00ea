import { type Hold, syncHoldId } from '../openshift/hold.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { oncePer } from '../text/once-per.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** For whom a pool is held or is to be: an Application, and who is to write it first. */
type Holder = Pick<Hold, 'id' | 'via'>;

/** May this holder take one more pool? What one Application may hold is bounded: whatever it says of itself, the other
 *  pools go on. It keeps what it holds; of the pools that it wants besides, the first ones in the order of the cluster
 *  fit. Undefined: it may. */
export function overLimit(
  holder: Holder,
  wanted: readonly string[],
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): string | undefined {
  const { poolsPerApplication: most } = snapshot.settings.policy;
  const { all, counted } = heldIn(snapshot);
  const known = all.get(holder.id) ?? new Set();
  const held = counted.get(keyOf(holder)) ?? new Set();
  const asked = new Set(wanted);
  const fresh = snapshot.pools.filter(
    (each) => asked.has(each.name) && !known.has(each.name) && isManaged(snapshot.settings, each),
  );
  const place = fresh.findIndex(({ name }) => name === pool.name);
  if (place < Math.max(0, most - held.size)) return undefined;
  return `one Application may hold ${most} pools (policy.internals.poolsPerApplication), and it wants ${held.size + fresh.length}`;
}

/** Whoever writes into a repository may push a manifest of somebody else's Application, or have his own claim to write
 *  it: what is held for that leaves the Application, and its other writers, as many pools as before. */
function keyOf({ id, via }: Holder): string {
  return via === undefined || via.marked === true ? id : `${id} by ${syncHoldId(via)}`;
}

/** Names of pools that are held. */
interface HeldPools {
  /** By the id of the hold. */
  readonly all: ReadonlyMap<string, ReadonlySet<string>>;
  /** By what counts together. */
  readonly counted: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Every pool asks it of every Application, and there may be hundreds of holds on each: they are gone through once for
 *  a snapshot. */
const heldIn = oncePer(({ pools }: Snapshot): HeldPools => {
  const holds = pools.flatMap((pool) => holdsOf(pool).map((hold) => ({ hold, pool: pool.name })));
  const namesBy = (of: (hold: Hold) => string) =>
    new Map(
      [...Map.groupBy(holds, ({ hold }) => of(hold))].map(([key, each]) => [
        key,
        new Set(each.map(({ pool }) => pool)),
      ]),
    );
  return { all: namesBy(({ id }) => id), counted: namesBy(keyOf) };
}, new WeakMap());
