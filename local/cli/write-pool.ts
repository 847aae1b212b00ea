import { setTimeout } from 'node:timers/promises';
import type { ManualChange } from '../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import type { PoolEvent, Pools } from '../../functions/ports/cluster.ts';
import { failedWrite } from './change-in-doubt.ts';

/** Lost races before giving up; the MCO writes a pool a few times a second at most. */
const attempts = 20;

export interface WriteRequest {
  readonly pool: string;
  /** Called again with the current pool after each lost race. */
  readonly decide: (pool: Pool) => ManualChange;
  readonly event: (done: ManualChange) => PoolEvent;
}

/** Writes a manual change of a pool in one patch and publishes it. Throws Misconfigured for a pool that does not exist,
 *  Transient if it cannot be written, ChangeInDoubt if it may have been. */
export async function writeByHand(pools: Pools, { pool: name, decide, event }: WriteRequest): Promise<ManualChange> {
  for (let attempt = 1; ; attempt += 1) {
    const pool = await pools.readPool(name);
    if (pool === undefined) throw new Misconfigured([await unknownPool(pools, name)]);
    const done = decide(pool);
    if (done.record === undefined) return done;
    try {
      await pools.patchPool(pool, { paused: done.paused, record: done.record });
    } catch (cause) {
      if (attempt === attempts || !isLostRace(cause)) throw failedWrite(`pool ${name}`, cause);
      await setTimeout(50);
      continue;
    }
    await pools.recordEvent(pool, event(done));
    return done;
  }
}

function isLostRace(cause: unknown): boolean {
  return cause instanceof Transient && cause.kind === 'conflict';
}

async function unknownPool(pools: Pools, name: string): Promise<string> {
  const { items, unreadable } = await pools.listPools();
  const known = [...items, ...unreadable].map((pool) => pool.name);
  return `there is no pool ${name}; the cluster has ${known.length === 0 ? 'none' : known.toSorted().join(', ')}`;
}
