import { byName } from '../text/by-name.ts';
import { earliest } from '../text/instant.ts';
import type { NextQuestion } from './next-nodes.ts';
import type { RunRecord } from './run-record.ts';
import { isAt } from './turn-node.ts';

type Asked = Pick<NextQuestion, 'plan' | 'nodes' | 'pools' | 'now'>;
type Arrival = NonNullable<RunRecord['canaries']>[string];

/** The record with the canary nodes that are away from the target of their pool, and since when others are there again.
 *  Their turns do not say it: the MCO takes a node of a pool that a person resumes, whether it has had one or not. An
 *  aborted run stays as it is: while it is out of the configuration, nobody knows its canary nodes. */
export function withCanariesSeen(record: RunRecord, asked: Asked): RunRecord {
  if (record.aborted !== undefined) return record;
  const { canaries: known = {}, ...rest } = record;
  const seen = asked.plan.run.canaryNodes.flatMap((name) => {
    const arrival = arrivalOf(name, known[name], asked);
    return arrival === undefined ? [] : [[name, arrival] as const];
  });
  return seen.length === 0 ? rest : { ...rest, canaries: Object.fromEntries(seen) };
}

/** Undefined: it was at the target when it was first seen. */
function arrivalOf(name: string, known: Arrival | undefined, { nodes, pools, now }: Asked): Arrival | undefined {
  const node = byName(nodes, name);
  const target = byName(pools, node?.pool)?.target;
  // Where it is to go is not known for now.
  if (node === undefined || target === undefined || target === '') return known;
  if (node.currentConfig !== target || node.desiredConfig !== target) return 'away';
  const at = now.toISOString();
  if (known === 'away') return isAt(node, target) ? at : known;
  // By a clock that was ahead.
  return known && earliest([known, at]);
}
