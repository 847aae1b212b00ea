import { isInFlight } from '../openshift/node.ts';
import { byName } from '../text/by-name.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { type NextNodes, type NextQuestion, whyNoRoomFor } from './next-nodes.ts';
import type { RunProblem } from './run-question.ts';
import { isOpenTurn, isOver, type RunRecord, unseenSeconds } from './run-record.ts';
import type { TurnNode } from './turn-node.ts';

interface Unready {
  readonly record: RunRecord;
  /** Nodes that all others wait for, or that are the only ones left, and have not been ready for long. */
  readonly problems: readonly RunProblem[];
}

/** Nodes that are not ready and have no turn: nothing else of the run says so, and where they take the room of others,
 *  or only they are left, it waits for them.
 *  @param next what the look has chosen; nothing else keeps the run from going on */
export function seenUnready(question: NextQuestion, next: NextNodes): Unready {
  const { record: before, now } = question;
  const { notReady: known = {}, ...record } = before;
  const unready = next.waiting.length === 0 ? [] : unreadyIn(question);
  if (unready.length === 0) return { record, problems: [] };
  const since = new Map(
    unready.map(({ name }) => [name, noted(Object.hasOwn(known, name) ? known[name] : undefined, now)]),
  );
  const problems = waitedFor(unready, question, next).flatMap(({ name }) => {
    const at = since.get(name) ?? now.toISOString();
    const isLong = isPast(plusSeconds(new Date(at), unseenSeconds), now);
    const why = 'the node is not ready, and the run does not go on before it is';
    return isLong ? [{ kind: 'node' as const, node: name, since: at, why }] : [];
  });
  return { record: { ...record, notReady: Object.fromEntries(since) }, problems };
}

/** Since when, by a clock that may have run ahead. */
function noted(known: string | undefined, now: Date): string {
  const isKnown = known !== undefined && Date.parse(known) <= now.getTime();
  return isKnown ? known : now.toISOString();
}

/** Without those that a person keeps, and those that are on their way: these have a time of their own. */
function unreadyIn({ plan, record, nodes, pools }: NextQuestion): readonly TurnNode[] {
  return nodes.filter((node) => {
    const isMember = byName(pools, node.pool) !== undefined;
    const isKept = Object.hasOwn(node.labels, plan.run.holdLabel);
    return isMember && !node.ready && !isKept && !isInFlight(node) && !isOpenTurn(record.turns[node.name]);
  });
}

/** Those of them that keep every node of the run where it is. */
function waitedFor(
  unready: readonly TurnNode[],
  question: NextQuestion,
  { begin, waiting }: NextNodes,
): readonly TurnNode[] {
  const open = Object.entries(question.record.turns).filter(([, turn]) => !isOver(turn));
  const isAtRest = open.every(([, turn]) => turn.step === 'before' || turn.stays === true);
  if (begin.length > 0 || !isAtRest) return [];
  const free = waiting.filter(({ why }) => why === undefined).map(({ node }) => node.name);
  const others = [...open.map(([name]) => name), ...free];
  if (others.length > 0) return others.every((name) => whyNoRoomFor(name, question) !== undefined) ? unready : [];
  const isLeft = ({ name, pool }: TurnNode) =>
    waiting.some(({ node }) => node.name === name) && byName(question.pools, pool)?.closed === undefined;
  return unready.filter(isLeft);
}
