import { isPast } from '../text/instant.ts';
import type { PoolView } from './view.ts';

/** The pool as it was read, at a later time: what an emergency lane passes stands again at its end, also where no pass
 *  has seen that. */
export function poolAsOf({ emergency, ...pool }: PoolView, now: Date): PoolView {
  if (emergency === undefined) return pool;
  if (!isPast(emergency.until, now)) return { ...pool, emergency };
  return { ...pool, holds: pool.holds.map(({ passed: _passed, ...hold }) => hold) };
}
