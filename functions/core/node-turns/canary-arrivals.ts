import { byName } from '../text/by-name.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import type { NextQuestion } from './next-nodes.ts';
import type { RunProblem } from './run-question.ts';
import type { RunRecord } from './run-record.ts';
import { isAt } from './turn-node.ts';

/** How far clocks may be apart. */
const skewSeconds = 600;

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
function arrivalOf(name: string, known: Arrival | undefined, { plan, nodes, pools, now }: Asked): Arrival | undefined {
  const node = byName(nodes, name);
  const isLeft =
    known !== undefined && known !== 'away' && !isPast(plusSeconds(new Date(known), plan.run.soakSeconds), now);
  if (node === undefined) return isLeft ? 'away' : known;
  const target = byName(pools, node.pool)?.target ?? '';
  // Where it is to go is not known for now.
  if (target === '') return known;
  if (node.currentConfig !== target || node.desiredConfig !== target) return 'away';
  if (known === 'away') return isAt(node, target) ? now.toISOString() : known;
  // By a clock that was far ahead.
  return known !== undefined && secondsSince(known, now) < -skewSeconds ? now.toISOString() : known;
}

/** Canary nodes that are gone before they were watched to the end: what became of them may be what the others are to be
 *  spared. Only of what the run has seen: a name that no node had is passed over. */
export function missingCanaries(
  { canaries = {}, aborted }: RunRecord,
  { nodes, now }: Pick<Asked, 'nodes' | 'now'>,
): readonly RunProblem[] {
  if (aborted !== undefined) return [];
  const missing = Object.keys(canaries).filter(
    (name) => canaries[name] === 'away' && byName(nodes, name) === undefined,
  );
  const why = 'this canary node is gone before it was watched to the end, and all others wait for it';
  return missing.map((node) => ({ kind: 'missing', node, since: now.toISOString(), why }));
}
