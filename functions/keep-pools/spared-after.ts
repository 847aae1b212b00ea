import { holdsOf } from '../core/decide.ts';
import type { SparedSync } from '../core/harm/harm.ts';
import { sparedNow } from '../core/harm/spared-sync.ts';
import type { Observation } from './observe.ts';
import type { Performed } from './perform.ts';

/** Syncs that may go ahead without a pause, after what a pass did. */
export function sparedAfter(
  { snapshot }: Pick<Observation, 'snapshot'>,
  performed: readonly Performed[],
  now: Date,
): readonly SparedSync[] {
  const holds = new Map(performed.map(({ pool }) => [pool.name, holdsOf(pool).map(({ id }) => id)]));
  return sparedNow(snapshot, (pool, hold) => holds.get(pool)?.includes(hold) === true, now);
}
