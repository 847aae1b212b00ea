import type { Pool } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { isOver, type RunRecord, type Turn } from './run-record.ts';

/** Pools of which runs have let nodes go to what is rolled out there now, by name, with the ISO instant since when. */
export function nodesLetGo(records: Iterable<RunRecord>, pools: readonly Pool[]): ReadonlyMap<string, string> {
  const since = new Map<string, string>();
  for (const { turns } of records)
    for (const turn of Object.values(turns)) {
      const pool = byName(pools, turn.pool);
      const known = since.get(turn.pool);
      if (pool === undefined || !hasGone(turn, pool)) continue;
      if (known === undefined || Date.parse(turn.since) < Date.parse(known)) since.set(turn.pool, turn.since);
    }
  return since;
}

/** A turn that ends without its node having gone says why it is skipped. */
function hasGone({ step, skip, target }: Turn, pool: Pool): boolean {
  if (step === 'gone' || step === 'cordon') return true;
  const isOfNow = !isOver({ step }) || target === pool.target.name;
  return step !== 'before' && step !== 'skipped' && skip === undefined && isOfNow;
}
