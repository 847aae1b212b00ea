import type { Pool } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { isOver, type RunRecord, type Turn } from './run-record.ts';

/** What runs have let go of a pool. Times are ISO instants. */
export interface NodesLetGo {
  /** Since when nodes go to what is rolled out there now. */
  readonly since: string;
  /** Of the nodes that are on their way, the one that was let go last: when, and to which rendered config, which the
   *  pool may not want any more. Absent: none is. */
  readonly last?: Pick<Turn, 'since' | 'target'> | undefined;
}

/** Pools of which runs have let nodes go to what is rolled out there now, by name. */
export function nodesLetGo(records: Iterable<RunRecord>, pools: readonly Pool[]): ReadonlyMap<string, NodesLetGo> {
  const found = new Map<string, NodesLetGo>();
  for (const { turns } of records)
    for (const turn of Object.values(turns)) {
      const pool = byName(pools, turn.pool);
      if (pool !== undefined && hasGone(turn, pool)) found.set(turn.pool, withTurn(found.get(turn.pool), turn));
    }
  return found;
}

function withTurn(known: NodesLetGo | undefined, { since, target, step }: Turn): NodesLetGo {
  const isFirst = known === undefined || Date.parse(since) < Date.parse(known.since);
  const isLast = known?.last === undefined || Date.parse(since) > Date.parse(known.last.since);
  return {
    since: isFirst ? since : known.since,
    last: step === 'gone' && isLast ? { since, target } : known?.last,
  };
}

/** A turn that ends without its node having gone says why it is skipped. */
function hasGone({ step, skip, target }: Turn, pool: Pool): boolean {
  if (step === 'gone' || step === 'cordon') return true;
  const isOfNow = !isOver({ step }) || target === pool.target.name;
  return step !== 'before' && step !== 'skipped' && skip === undefined && isOfNow;
}
