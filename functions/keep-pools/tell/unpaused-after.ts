import { sparedNow } from '../../core/holds/skip-harmless.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { SparedSync } from '../../core/openshift/unpaused-sync.ts';
import type { Performed } from '../act/perform.ts';
import type { Observation } from '../observe/observe.ts';

/** Syncs that may go ahead without a pause, after what a pass did. */
export function sparedAfter(
  { snapshot }: Pick<Observation, 'snapshot'>,
  performed: readonly Performed[],
  now: Date,
): readonly SparedSync[] {
  const holds = new Map(performed.map(({ pool }) => [pool.name, holdsOf(pool).map(({ id }) => id)]));
  return sparedNow(snapshot, (pool, hold) => holds.get(pool)?.includes(hold) === true, now);
}
