import { isUpdated, lacksNodes, type Pool } from './pool.ts';
import { holdsOf } from './pool-record.ts';

/** While a run in mode canary holds the pool, the MCO does not count the nodes that are in the canary, nor as updated
 *  those that are back: their config has the canary's name until the pool resumes. What the run has noted counts
 *  instead. Undefined: no such run holds it. */
function turnsOf({ paused, record, target }: Pool): 'over' | 'open' | undefined {
  const isOut = paused && record.kind === 'record';
  const hold = isOut ? holdsOf({ record }).find((each) => each.canary !== undefined) : undefined;
  if (hold === undefined || hold.overruled !== undefined) return undefined;
  return target.name !== '' && hold.reached === target.name ? 'over' : 'open';
}

/** Every machine has the content of the target config and is ready, also where a run holds the pool until it has taken
 *  the nodes of others. */
export function isRolledOut(pool: Pool): boolean {
  const turns = turnsOf(pool);
  return turns === undefined ? isUpdated(pool) : turns === 'over' && pool.counts.unavailable === 0;
}

/** As `lacksNodes`, also where a run holds the pool. */
export function lacksNodesOnly(pool: Pool): boolean {
  return turnsOf(pool) === 'over' ? pool.counts.unavailable > 0 : lacksNodes(pool);
}
