import { byName } from '../text/by-name.ts';
import type { NextQuestion } from './next-nodes.ts';
import type { RunRecord } from './run-record.ts';
import { isAt } from './turn-node.ts';

/** The record with the canary nodes that are away from the target of their pool, and since when others are there again.
 *  Their turns do not say it: the MCO takes a node of a pool that a person resumes, whether it has had one or not. */
export function withCanariesSeen(
  record: RunRecord,
  { plan, nodes, pools, now }: Pick<NextQuestion, 'plan' | 'nodes' | 'pools' | 'now'>,
): RunRecord {
  const { canaries: known = {}, ...rest } = record;
  const seen = nodes.flatMap((node) => {
    const { name, currentConfig, desiredConfig } = node;
    const target = plan.run.canaryNodes.includes(name) && byName(pools, node.pool)?.target;
    if (!target) return [];
    const isAway = currentConfig !== target || desiredConfig !== target;
    const before = isAway ? 'away' : known[name];
    if (before === undefined) return [];
    return [[name, before === 'away' && isAt(node, target) ? now.toISOString() : before] as const];
  });
  return seen.length === 0 ? rest : { ...rest, canaries: Object.fromEntries(seen) };
}
