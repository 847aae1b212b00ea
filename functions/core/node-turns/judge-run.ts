import { isInFlight } from '../openshift/node.ts';
import { byName } from '../text/by-name.ts';
import { given } from '../text/given.ts';
import { counted, listed } from '../text/phrases.ts';
import { canaryProblems, isGoneOnWithout, withCanariesSeen } from './canary-watch.ts';
import { isOfAbort, isOfGoneNode, judgeTurn, type TurnAction, type TurnProblem } from './judge-turn.ts';
import { givesWayTo, type NextNodes, nextNodes, skippedNodes, whyNoRoomFor } from './next-nodes.ts';
import { openPool } from './open-pool.ts';
import { conditionsOf } from './run-conditions.ts';
import { hasBegun, judgeGates } from './run-gates.ts';
import { turnBegins } from './run-pace.ts';
import type { RunJudgement, RunPool, RunProblem, RunQuestion } from './run-question.ts';
import {
  isBetweenTurns,
  isOver,
  numberOfRound,
  pausedBySomebody,
  type RunLogEntry,
  type RunRecord,
  type Turn,
  withoutAway,
  withoutLeftOut,
  withoutTurn,
  withRunLog,
} from './run-record.ts';
import { isAt, isNodeOf, type TurnNode } from './turn-node.ts';
import { roundText } from './turn-round.ts';
import { seenUnready } from './unready-nodes.ts';

/** What to do next. Pure: the record is stored before its actions are performed, and from whatever state a look finds,
 *  it goes on. */
export function judgeRun(asked: RunQuestion): RunJudgement {
  const gates = waitsForGates(asked) ? (asked.gates ?? []) : [];
  const gated = judgeGates(asked.record, {
    gates,
    isAlone: gates.length > 0 && takesNode({ ...asked, gates: [] }),
    hasBegun: hasBegun(asked),
    isQueued: asked.queued !== undefined && isBetweenTurns(asked.record),
    now: asked.now,
  });
  const question = { ...asked, record: gated.record, closed: asked.closed ?? gated.closed };
  const { plan, record: before } = question;
  const isAborted = before.aborted !== undefined;
  const targeted = withTargets(withCanariesSeen(before, question), question);
  const turned = takeTurns({ ...question, record: targeted.record });
  const problems = [
    ...(isAborted ? [] : lostProblems(before)),
    ...(isAllDone(turned.record, question) ? [] : canaryProblems(turned.record, question.now)),
    ...refusals(question),
    ...(question.problems ?? []),
    ...gated.problems,
    ...targeted.problems,
    ...turned.problems,
  ];
  // A node that a gate keeps waits as others do: what keeps it keeps them, too, or they may go.
  const closing = problems.filter(
    ({ node, kind }) => !isGoneOnWithout(node, turned.record) && (kind !== 'gate' || node === ''),
  );
  const closed = whyClosed(question, closing);
  const chosen = nextNodes({ ...question, record: turned.record, pools: withClosed(question.pools, closed) });
  const next = closed === undefined || chosen.why === undefined ? chosen : { ...chosen, why: closed };
  const begun =
    isAborted || closed !== undefined ? noTurns(turned.record) : begin({ ...question, record: turned.record }, next);
  const skipped = isAborted ? [] : skippedProblems({ ...question, record: begun.record }, next);
  const unready = seenUnready({ ...question, record: begun.record }, next);
  const paused = pausedBySomebody(before);
  const found = [...problems, ...begun.problems, ...skipped, ...(closed === undefined ? unready.problems : [])];
  const all = paused === undefined ? found : found.map((problem) => ({ ...problem, paused }));
  const settled = settle(unready.record, { ...question, problems: all });
  const members = membersIn(question);
  const judgement = {
    record: settled,
    actions: [...turned.actions, ...begun.actions],
    problems: all,
    waits: new Map([...turned.waits, ...begun.waits]),
    next,
    total: members.length,
    done: members.filter((node) => isDone(node, question.pools, settled)).length,
  };
  return { ...judgement, record: { ...settled, conditions: conditionsOf(plan, judgement, question) } };
}

/** Whether a node begins its turn now, or goes. */
function takesNode(question: RunQuestion): boolean {
  const { record, next } = judgeRun(question);
  const goes = ([name, { step }]: readonly [string, Turn]) =>
    step === 'gone' && question.record.turns[name]?.step === 'before';
  return next.begin.length > 0 || Object.entries(record.turns).some(goes);
}

/** Whether its own gates are among what it waits for, whatever else is. */
function waitsForGates({ record, nodes, pools }: RunQuestion): boolean {
  return record.aborted === undefined && !isAllDone(record, { nodes, pools });
}

function isAllDone(record: RunRecord, { nodes, pools }: Pick<RunQuestion, 'nodes' | 'pools'>): boolean {
  return membersIn({ nodes, pools }).every((node) => isDone(node, pools, record));
}

/** Nodes that were skipped, and that the run waits for. */
function skippedProblems(question: RunQuestion, next: NextNodes): readonly RunProblem[] {
  const { record, plan, now } = question;
  const { waiting } = next;
  const left = skippedNodes(question);
  const isForCanary = waiting.length > 0 && left.some((name) => plan.run.canaryNodes.includes(name));
  const isForOrder = isOrderStopped(left, next, question);
  const isWaitedFor = isForOrder || (isBetweenTurns(record) && (waiting.length === 0 || isForCanary));
  if (left.length === 0 || !isWaitedFor) return [];
  const one = left.length === 1;
  const forPools = isForOrder
    ? `pools that go after ${one ? 'its own wait for it' : 'theirs wait for them'}`
    : `a pool that resumes would let the MCO take ${one ? 'it' : 'them'}`;
  const why = isForCanary ? 'all others wait for the canary nodes' : forPools;
  const [node = ''] = left;
  return [
    {
      kind: 'skipped',
      node,
      since: record.turns[node]?.since ?? now.toISOString(),
      why: `${listed(left, 3)} ${one ? 'was' : 'were'} skipped, and ${why}`,
    },
  ];
}

/** Whether nothing is left to begin but nodes of pools that go after the one of a node that was left out, or all turns
 *  that are open are of such nodes, and none begins beside them. */
function isOrderStopped(
  left: readonly string[],
  { begin: begins, waiting }: NextNodes,
  { record, nodes, pools }: Pick<RunQuestion, 'record' | 'nodes' | 'pools'>,
): boolean {
  const before = nodes.flatMap(({ name, pool }) => (pool !== undefined && left.includes(name) ? [pool] : []));
  const waitsForOne = ({ pool: own }: Pick<TurnNode, 'pool'>) => {
    const { after = [], waitsForThem } = byName(pools, own) ?? {};
    return waitsForThem === true && before.some((pool) => after.includes(pool));
  };
  const open = Object.values(record.turns).filter((turn) => !isOver(turn));
  const isHeldBack = (turn: Turn) => (turn.step === 'before' || turn.stays === true) && waitsForOne(turn);
  if (open.length > 0) return begins.length === 0 && open.every(isHeldBack);
  return waiting.every(({ why }) => why !== undefined) && waiting.some(({ node }) => waitsForOne(node));
}

/** The members of its pools, in the order of the pools. */
function membersIn({ nodes, pools }: Pick<RunQuestion, 'nodes' | 'pools'>): readonly TurnNode[] {
  return pools.flatMap(({ name }) => nodes.filter(({ pool }) => pool === name));
}

function isDone(node: TurnNode, pools: readonly RunPool[], { turns }: RunRecord): boolean {
  const turn = turns[node.name];
  return (
    pools.some(({ name, target }) => name === node.pool && isAt(node, target)) && (turn === undefined || isOver(turn))
  );
}

function lostProblems({ lost }: RunRecord): readonly RunProblem[] {
  return lost === undefined ? [] : [{ kind: 'lost', node: '', since: lost.at, why: lost.what }];
}

function refusals({ pools, now }: RunQuestion): readonly RunProblem[] {
  return pools.flatMap(({ name, refused }) =>
    refused === undefined
      ? []
      : [{ kind: 'refused' as const, node: '', since: now.toISOString(), why: `pool ${name}: ${refused}` }],
  );
}

/** Notes where each pool is taken, and what was rendered meanwhile. */
function withTargets(
  record: RunRecord,
  { plan, pools, now }: RunQuestion,
): { readonly record: RunRecord; readonly problems: readonly RunProblem[] } {
  const problems: RunProblem[] = [];
  const log: RunLogEntry[] = [];
  const states = { ...record.pools };
  for (const { name, target } of pools) {
    const known = states[name]?.target;
    // Nothing is rendered for it, or it is gone.
    if (known === target || target === '') continue;
    const isMoved = known !== undefined && states[name]?.done !== known;
    if (isMoved && plan.run.onMovedTarget === 'stop' && record.aborted === undefined) {
      problems.push({
        kind: 'moved',
        node: '',
        since: now.toISOString(),
        why: `pool ${name} was rendered anew: ${target} instead of ${known}`,
      });
      continue;
    }
    if (isMoved)
      log.push({
        at: now.toISOString(),
        node: '',
        what: `pool ${name} was rendered anew: ${target} instead of ${known}`,
      });
    // What was done counts for that config alone: a pool may be rendered back to an earlier one.
    states[name] = { target };
  }
  return { record: withRunLog({ ...record, pools: states }, log), problems };
}

interface Taken {
  readonly record: RunRecord;
  readonly actions: readonly TurnAction[];
  readonly problems: readonly TurnProblem[];
  readonly waits: ReadonlyMap<string, string>;
}

function noTurns(record: RunRecord): Taken {
  return { record, actions: [], problems: [], waits: new Map() };
}

/** The next step of every turn that is under way. */
function takeTurns(question: RunQuestion): Taken {
  const { record, nodes } = question;
  const places = new Map(nodes.map((node) => [node.name, node]));
  let taken = noTurns(record);
  for (const [name, turn] of Object.entries(record.turns)) {
    if (isOver(turn)) {
      // Whoever comes back, or has its name, has a turn of its own.
      const isSkipped = turn.step === 'skipped';
      // Told to begin anew before that abort had ended.
      const isAnew = isSkipped && record.aborted === undefined && isOfAbort(turn);
      const node = places.get(name);
      const isElsewhere = isSkipped && (node?.pool !== turn.pool || isOfGoneNode(turn));
      const isLeft = node === undefined || !isNodeOf(turn, node) || isAnew || isElsewhere;
      if (isLeft) taken = { ...taken, record: withoutTurn(taken.record, name) };
      continue;
    }
    taken = withTurn(taken, name, turn, question);
  }
  return taken;
}

function withTurn(taken: Taken, name: string, turn: Turn, question: RunQuestion): Taken {
  const { plan, nodes, pools, seen, now, record } = question;
  const pool = byName(pools, turn.pool);
  const asked = { ...question, record: taken.record };
  const first = givesWayTo(name, turn, asked);
  const judged = judgeTurn({
    plan,
    name,
    turn,
    node: nodes.find((node) => node.name === name && isNodeOf(turn, node)),
    seen: seen.get(name) ?? { kind: 'absent' },
    poolTarget: pool === undefined || pool.target === '' ? undefined : pool.target,
    closed: whyNotGo(pool, question) ?? whyNoRoomFor(name, asked) ?? (first && `${first} go first`),
    // Whoever has paused the run knows.
    isOutsideWindow: record.paused === undefined ? pool?.isOutsideWindow : false,
    isAborted: record.aborted !== undefined,
    abortedAt: record.aborted?.at,
    givesWayTo: first,
    now,
  });
  return {
    record: withRunLog({ ...taken.record, turns: { ...taken.record.turns, [name]: judged.turn } }, judged.log),
    actions: [...taken.actions, ...judged.actions],
    problems: [...taken.problems, ...judged.problems],
    waits: new Map([...taken.waits, [name, judged.waits]]),
  };
}

/** Why a node of the pool may not be let go now: what a turn has begun may end, but no node leaves under a sync. */
function whyNotGo(pool: RunPool | undefined, { closed, record }: RunQuestion): string | undefined {
  if (pool === undefined) return 'its pool is gone';
  if (record.paused !== undefined) return `${record.paused.who} paused the run: ${record.paused.why}`;
  if (pool.refused !== undefined) return pool.refused;
  if (pool.target === '') return 'nothing is rendered for its pool yet';
  const known = record.pools[pool.name]?.target;
  if (known !== undefined && known !== pool.target)
    return `its pool was rendered anew: ${pool.target} instead of ${known}`;
  if (!pool.isPaused) return pool.closed ?? 'its pool is not confirmed paused yet';
  return closed ?? pool.closed;
}

/** Why no turn begins, whatever the pool; undefined: one may. */
function whyClosed(
  { record, closed, queued, pools, nodes }: RunQuestion,
  problems: readonly RunProblem[],
): string | undefined {
  if (record.aborted !== undefined) return `${record.aborted.who} aborted the run: ${record.aborted.why}`;
  if (record.paused !== undefined) return `${record.paused.who} paused the run: ${record.paused.why}`;
  if (queued !== undefined) return queued;
  if (closed !== undefined) return closed;
  const [problem] = problems;
  if (problem !== undefined) return problem.node === '' ? problem.why : `node ${problem.node}: ${problem.why}`;
  // Every pool, before the first node goes: the MCO would take the others without their jobs.
  const open = openPool(pools, nodes);
  return open && `pool ${open.name}: ${open.closed ?? 'its pause is not confirmed yet'}`;
}

function withClosed(pools: readonly RunPool[], closed: string | undefined): readonly RunPool[] {
  return closed === undefined ? pools : pools.map((pool) => ({ ...pool, closed }));
}

function begin(question: RunQuestion, { begin: nodes }: NextNodes): Taken {
  let taken = noTurns(question.record);
  for (const node of nodes) {
    const pool = byName(question.pools, node.pool);
    if (pool === undefined) continue;
    const at = question.now.toISOString();
    const turn: Turn = {
      pool: pool.name,
      target: pool.target,
      round: roundOf(question.record, node.name, pool),
      step: 'before',
      since: at,
      ran: [],
      cleaned: [],
      attempt: 1,
      ...(node.cordoned ? { cordoned: true as const } : {}),
      ...given({ nodeCreatedAt: node.createdAt }),
    };
    const logged = withRunLog(taken.record, [{ at, node: node.name, what: turnBegins }]);
    taken = withTurn({ ...taken, record: logged }, node.name, turn, { ...question, seen: new Map() });
  }
  return taken;
}

/** Another one than that of every turn before, whatever it took the node to: Jobs of one round never count for another,
 *  also not after a config and its reverse. If the record is lost while the pool is held, a node begins its first turn
 *  to a config again, and finds the Jobs that it had. */
function roundOf({ turns, rounds }: RunRecord, node: string, pool: RunPool): string {
  const before = Math.max(numberOfRound(turns[node]), rounds?.[node] ?? 0);
  return roundText(before + 1, pool);
}

interface PoolLook extends RunPool {
  readonly keeps: string | undefined;
  /** All members are at its target. */
  readonly isAll: boolean;
  /** One of them has its turn. */
  readonly isOpen: boolean;
}

type PoolState = RunRecord['pools'][string];

/** Undefined: nothing is known of the pool. */
function settledPool(known: PoolState | undefined, pool: PoolLook): PoolState | undefined {
  const { reached: _, done, ...rest } = known ?? {};
  const isJoined = !pool.isAll && (pool.isPaused || pool.heldSince !== undefined);
  const state = done === undefined || isJoined ? rest : { ...rest, done };
  if (pool.isAll && !pool.isOpen)
    return pool.keeps === undefined ? { ...state, done: pool.target } : { ...state, reached: pool.target };
  return known && state;
}

/** Which pools are done, and since when it is blocked. What is done is so no longer where a node has joined before the
 *  pool was let go: the MCO would take it without its Jobs. */
function settle(
  record: RunRecord,
  { pools, nodes, problems, keeps, now }: RunQuestion & { readonly problems: readonly RunProblem[] },
): RunRecord {
  const states = { ...record.pools };
  const log: RunLogEntry[] = [];
  for (const pool of pools) {
    const { name, target } = pool;
    const members = nodes.filter((node) => node.pool === name);
    const isOpen = Object.values(record.turns).some((turn) => turn.pool === name && !isOver(turn));
    const isAll = target !== '' && members.every((node) => isAt(node, target) && !isInFlight(node));
    const before = states[name];
    const state = settledPool(before, { ...pool, keeps, isAll, isOpen });
    if (state === undefined) continue;
    states[name] = state;
    if (state.done === undefined || state.done === before?.done) continue;
    log.push({
      at: now.toISOString(),
      node: '',
      what: `all ${counted(members.length, 'node')} of pool ${name} are at ${target}`,
    });
  }
  const done = Object.keys(states).filter((name) =>
    pools.some((pool) => pool.name === name && states[name]?.done === pool.target),
  );
  const isOfEarlier = pools.length > 0 && done.length === pools.length;
  const before = isOfEarlier ? withoutAway(record) : record;
  const { blockedSince, begun: _, ...rest } = withoutLeftOut(before, (pool) => done.includes(pool));
  const isEnded =
    record.aborted !== undefined && record.endedAt === undefined && keeps === undefined && isBetweenTurns(record);
  return withRunLog(
    {
      ...rest,
      pools: states,
      ...(!isOfEarlier && hasBegun({ record, pools }) ? { begun: true as const } : {}),
      ...(problems.length === 0 ? {} : { blockedSince: blockedSince ?? now.toISOString() }),
      ...(isEnded ? { endedAt: now.toISOString() } : {}),
    },
    log,
  );
}
