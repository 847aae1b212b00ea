import { unpausedNow } from '../../core/holds/skip-harmless.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { UnpausedSync } from '../../core/openshift/unpaused-sync.ts';
import type { PerformedPool } from '../act/write-pool.ts';
import type { Observation } from '../observe/observe.ts';

/** Syncs that may go ahead without a pause, after what a pass did. */
export function unpausedAfter(
  { snapshot }: Pick<Observation, 'snapshot'>,
  performed: readonly PerformedPool[],
  now: Date,
): readonly UnpausedSync[] {
  const holds = new Map(performed.map(({ pool }) => [pool.name, holdsOf(pool).map(({ id }) => id)]));
  return unpausedNow(snapshot, (pool, hold) => holds.get(pool)?.includes(hold) === true, now);
}
