import { byName } from '../text/by-name.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import type { NextQuestion } from './next-nodes.ts';
import type { RunProblem } from './run-question.ts';
import { isOpenTurn, type RunRecord, type Turn } from './run-record.ts';
import { isAt, type TurnNode } from './turn-node.ts';

/** How far clocks may be apart. */
const skewSeconds = 600;

type Asked = Pick<NextQuestion, 'plan' | 'nodes' | 'pools' | 'now'>;
type Arrival = NonNullable<RunRecord['canaries']>[string];

/** The record with the canary nodes that are away from the target of their pool, and since when others are there again.
 *  Their turns do not say it: the MCO takes a node of a pool that a person resumes, whether it has had one or not. An
 *  aborted run stays as it is: while it is out of the configuration, nobody knows its canary nodes. */
export function withCanariesSeen(record: RunRecord, asked: Asked): RunRecord {
  if (record.aborted !== undefined) return record;
  const { canaries: _, ...rest } = record;
  const seen = asked.plan.run.canaryNodes.flatMap((name) => {
    const arrival = arrivalOf(name, record, asked);
    return arrival === undefined ? [] : [[name, arrival] as const];
  });
  return seen.length === 0 ? rest : { ...rest, canaries: Object.fromEntries(seen) };
}

/** Undefined: it was at the target when it was first seen. */
function arrivalOf(
  name: string,
  { canaries = {}, turns }: RunRecord,
  { plan, nodes, pools, now }: Asked,
): Arrival | undefined {
  const node = byName(nodes, name);
  const target = byName(pools, node?.pool)?.target ?? '';
  const turn = turns[name];
  const known = canaries[name] ?? (turn?.step === 'done' && turn.target === target ? turn.since : undefined);
  if (node === undefined) return isWatched(known, { plan, now }) ? 'away' : known;
  // Where it is to go is not known for now.
  if (target === '') return known;
  if (isAway(node, { target, turn })) return 'away';
  if (known === 'away') return isAt(node, target) ? now.toISOString() : known;
  // By a clock that was far ahead.
  return known !== undefined && secondsSince(known, now) < -skewSeconds ? now.toISOString() : known;
}

/** Also while its clean-ups run: it is not watched yet. */
function isAway(
  { currentConfig, desiredConfig }: TurnNode,
  { target, turn }: { readonly target: string; readonly turn: Turn | undefined },
): boolean {
  return currentConfig !== target || desiredConfig !== target || isOpenTurn(turn);
}

function isWatched(since: Arrival | undefined, { plan, now }: Pick<Asked, 'plan' | 'now'>): boolean {
  return since !== undefined && since !== 'away' && !isPast(plusSeconds(new Date(since), plan.run.soakSeconds), now);
}

/** Canary nodes that are gone before they were watched to the end: what became of them may be what the others are to be
 *  spared. Only of what the run has seen: a name that no node had is passed over. */
export function missingCanaries(
  { canaries = {}, aborted, blockedSince }: RunRecord,
  { nodes, now }: { readonly nodes: readonly { readonly name: string }[]; readonly now: Date },
): readonly RunProblem[] {
  if (aborted !== undefined) return [];
  const missing = Object.keys(canaries).filter(
    (name) => canaries[name] === 'away' && byName(nodes, name) === undefined,
  );
  const why = 'this canary node is gone before it was watched to the end, and all others wait for it';
  return missing.map((node) => ({ kind: 'missing', node, since: blockedSince ?? now.toISOString(), why }));
}
