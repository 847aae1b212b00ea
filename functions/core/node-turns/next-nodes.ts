import { hasFailedUpdate, isInFlight } from '../openshift/node.ts';
import { byName } from '../text/by-name.ts';
import { counted, listed, quoted } from '../text/phrases.ts';
import { whySoaking } from './canary-watch.ts';
import { cordonsNode, type RunPlan } from './run-plan.ts';
import { hasGivenWay, isOpenTurn, isOver, type RunRecord, type Turn } from './run-record.ts';
import { isAt, rests, type TurnNode, zoneLabel } from './turn-node.ts';

/** A pool of the run, as far as choosing nodes depends on it. */
export interface ChoosablePool {
  readonly name: string;
  /** The rendered config that its nodes are taken to. */
  readonly target: string;
  /** Why no node of it may begin; undefined: one may. */
  readonly closed: string | undefined;
  /** Pools that go before it, by their wave or in a sequence; absent: none. */
  readonly after?: readonly string[] | undefined;
  /** It waits for these now; absent: it does not. */
  readonly waitsForThem?: true | undefined;
}

export interface NextQuestion {
  readonly plan: RunPlan;
  readonly record: RunRecord;
  /** All nodes of the cluster. */
  readonly nodes: readonly TurnNode[];
  /** The pools of the run that are there, in its order. */
  readonly pools: readonly ChoosablePool[];
  /** Nodes on which an application controller of Argo CD runs. */
  readonly controllers: ReadonlySet<string>;
  readonly now: Date;
}

export interface NextNodes {
  /** Nodes that begin now. */
  readonly begin: readonly TurnNode[];
  /** Nodes that are still to have their turn, in the order in which they will. */
  readonly waiting: readonly WaitingNode[];
  /** Why none begins, or no more; undefined: nothing waits. */
  readonly why: string | undefined;
}

export interface WaitingNode {
  readonly node: TurnNode;
  /** Why it is left alone for now; undefined: it is only not its turn yet. */
  readonly why?: string | undefined;
}

/** Which nodes begin their turns now, and why no more do. */
export function nextNodes(question: NextQuestion): NextNodes {
  const { plan, record } = question;
  const waiting = inOrder(question).map((node) => ({ node, why: whyLeftAlone(node, question) }));
  const active = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  const free = waiting.filter(({ why }) => why === undefined).map(({ node }) => node);
  if (waiting.length === 0) return { begin: [], waiting, why: undefined };
  const room = roomFor(question, active.length);
  const fitting = withinRoom(free, room);
  if (fitting.length === 0 && room.why !== undefined) return { begin: [], waiting, why: room.why };
  if (free.length === 0) return { begin: [], waiting, why: reasonsOf(waiting) };
  const soaks = new Map(question.pools.map(({ name }) => [name, whySoaking(question, name)]));
  const soakOf = ({ pool = '' }: TurnNode) => soaks.get(pool);
  const ready = free.filter((node) => soakOf(node) === undefined || plan.run.canaryNodes.includes(node.name));
  const begin = withinRoom(withinZones(ready, active, question), room);
  if (begin.length > 0) return { begin, waiting, why: undefined };
  return {
    begin,
    waiting,
    why: ready.length === 0 ? free.map(soakOf)[0] : `at most ${plan.run.perZone} at once in each zone`,
  };
}

/** Members that are not at the target of their pool and had no turn to it, in the order of their turns. */
function inOrder(question: NextQuestion): readonly TurnNode[] {
  const { plan, nodes, pools, controllers } = question;
  const { order, canaryNodes, priorityLabel } = plan.run;
  const place = (list: readonly string[], name: string) => (list.includes(name) ? list.indexOf(name) : list.length);
  const keys = (node: TurnNode): readonly (number | string)[] => [
    canaryNodes.includes(node.name) ? 0 : 1,
    controllers.has(node.name) ? 1 : 0,
    pools.findIndex(({ name }) => name === node.pool),
    place(order, node.name),
    -priorityOf(node, priorityLabel),
    node.labels[zoneLabel] ?? '',
    node.createdAt ?? '',
    node.name,
  ];
  return nodes
    .filter((node) => isToTake(node, question))
    .map((node) => ({ node, keys: keys(node) }))
    .toSorted((a, b) => compared(a.keys, b.keys))
    .map(({ node }) => node);
}

/** It is not at the target of its pool, and has its turn still before it. */
function isToTake(node: TurnNode, { pools, record }: Pick<NextQuestion, 'pools' | 'record'>): boolean {
  const pool = byName(pools, node.pool);
  if (pool === undefined || pool.target === '' || isAt(node, pool.target)) return false;
  const turn = record.turns[node.name];
  return turn === undefined || (isOver(turn) && !isSkippedFor(turn, pool.target));
}

/** Of a turn whose node has not gone: who goes first, `nodes of pool infra` or `canary nodes`, as where a pool was
 *  rendered anew meanwhile. Undefined: nobody, it goes on. */
export function givesWayTo(name: string, turn: Turn, question: NextQuestion): string | undefined {
  const pool = byName(question.pools, turn.pool);
  if (pool === undefined) return undefined;
  const first = firstBefore(pool, question);
  if (first !== undefined) return `nodes of pool ${first}`;
  // What has begun for a config that its pool has still goes on.
  const isMoved = turn.target !== pool.target && !question.plan.run.canaryNodes.includes(name);
  const isForCanaries = isMoved && mayBeUndone(name, turn, question) && whySoaking(question, pool.name) !== undefined;
  return isForCanaries ? 'canary nodes' : undefined;
}

/** What it has begun is known, and it has not cordoned its node: that would keep the place of those that are to go
 *  first, whatever its clean-ups do. */
function mayBeUndone(name: string, turn: Turn, { plan, record, nodes }: NextQuestion): boolean {
  const isOwnCordon = byName(nodes, name)?.cordoned === true && turn.cordoned !== true && cordonsNode(plan, turn);
  return record.lost === undefined && !isOwnCordon;
}

/** The pool that its own waits for, and that has a node that may wait for its place. */
function firstBefore({ after = [], waitsForThem }: ChoosablePool, question: NextQuestion): string | undefined {
  if (waitsForThem !== true) return undefined;
  const mayGo = (node: TurnNode) => isToTake(node, question) && whyLeftAlone(node, question) === undefined;
  const isFirst = ({ name }: ChoosablePool) =>
    after.includes(name) && question.nodes.some((node) => node.pool === name && mayGo(node));
  return question.pools.find(isFirst)?.name;
}

/** Nodes that a person, or a rule, had left out, and that are therefore not at the target of their pool. */
export function skippedNodes({
  record,
  nodes,
  pools,
}: Pick<NextQuestion, 'record' | 'nodes' | 'pools'>): readonly string[] {
  return nodes.flatMap((node) => {
    const pool = byName(pools, node.pool);
    const turn = record.turns[node.name];
    const isLeft =
      pool !== undefined && turn !== undefined && isSkippedFor(turn, pool.target) && !isAt(node, pool.target);
    return isLeft ? [node.name] : [];
  });
}

function isSkippedFor(turn: Turn, target: string): boolean {
  if (turn.step !== 'skipped') return false;
  return turn.leftOut === true || (turn.target === target && !hasGivenWay(turn));
}

function compared(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const index = a.findIndex((key, at) => key !== b[at]);
  const [one, other] = [a[index], b[index]];
  if (one === undefined || other === undefined) return 0;
  return one < other ? -1 : 1;
}

/** Numbers above 0 first, none and what is no number as 0. */
function priorityOf({ labels }: TurnNode, key: string): number {
  const text = labels[key] ?? '';
  return /^-?\d{1,9}$/.test(text) ? Number(text) : 0;
}

function whyLeftAlone(
  node: TurnNode,
  { plan, pools, now }: Pick<NextQuestion, 'plan' | 'pools' | 'now'>,
): string | undefined {
  const { holdLabel, cordoned } = plan.run;
  if (Object.hasOwn(node.labels, holdLabel)) return `it has the label ${holdLabel}`;
  if (hasFailedUpdate(node, now)) return `its update to ${node.desiredConfig} has failed: ${quoted(node.reason, 160)}`;
  if (isInFlight(node)) return 'somebody else let it go';
  if (!rests(node))
    return `it is not at rest (${node.state === '' ? 'its config daemon has said nothing' : node.state})`;
  if (!node.ready) return 'it is not ready';
  if (node.cordoned && cordoned === 'hold') return 'somebody cordoned it';
  return byName(pools, node.pool)?.closed;
}

function reasonsOf(waiting: readonly WaitingNode[]): string {
  const byReason = Map.groupBy(waiting, ({ why }) => why ?? '');
  const reasons = [...byReason].map(
    ([why, nodes]) =>
      `${listed(
        nodes.map(({ node }) => node.name),
        3,
      )}: ${why}`,
  );
  return reasons.slice(0, 3).join('; ');
}

/** Why this node may not go now: too many others are unavailable. Its Jobs may have taken hours. */
export function whyNoRoomFor(
  name: string,
  { plan: { run }, record, nodes, pools }: Pick<NextQuestion, 'plan' | 'record' | 'nodes' | 'pools'>,
): string | undefined {
  const others = nodes.filter((node) => node.name !== name && pools.some((pool) => pool.name === node.pool));
  const out = others.filter((node) => isOut(node) || record.turns[node.name]?.step === 'gone');
  const most = mostOf(run);
  return out.length < most ? undefined : whyFull(out, most);
}

function isOut(node: TurnNode): boolean {
  return !node.ready || node.cordoned || !rests(node);
}

function mostOf({ unavailableAtMost, atOnce }: RunPlan['run']): number {
  return unavailableAtMost ?? atOnce;
}

function whyFull(out: readonly TurnNode[], most: number): string {
  const names = listed(
    out.map(({ name }) => name),
    3,
  );
  return `${counted(out.length, 'node')} of its pools unavailable (${names}), and at most ${most} may be`;
}

interface Room {
  /** So many turns may begin. */
  readonly places: number;
  /** So many further nodes may become unavailable; below 0: more are than may be. */
  readonly spare: number;
  /** Why no available node may begin; undefined: one may. */
  readonly why: string | undefined;
}

/** The MCO's maxUnavailable does not count for nodes that are let go by hand: this is the only limit. */
function roomFor({ plan: { run }, record, nodes, pools }: NextQuestion, active: number): Room {
  const members = nodes.filter(({ pool }) => pools.some(({ name }) => name === pool));
  const out = members.filter((node) => !isOpenTurn(record.turns[node.name]) && isOut(node));
  const most = mostOf(run);
  const places = Math.max(0, run.atOnce - active);
  const spare = most - active - out.length;
  if (places > 0 && spare > 0) return { places, spare, why: undefined };
  const isFull = places === 0 || out.length === 0;
  return { places, spare, why: isFull ? `${counted(active, 'node')} at once` : whyFull(out, most) };
}

/** A node that is cordoned counts as unavailable already, and takes no further place. */
function withinRoom(nodes: readonly TurnNode[], { places, spare }: Room): readonly TurnNode[] {
  const begin: TurnNode[] = [];
  let left = spare;
  for (const node of nodes) {
    const takes = node.cordoned ? 0 : 1;
    if (begin.length >= places || left < takes) continue;
    begin.push(node);
    left -= takes;
  }
  return begin;
}

function withinZones(
  ready: readonly TurnNode[],
  active: readonly (readonly [string, Turn])[],
  { plan, nodes }: NextQuestion,
): readonly TurnNode[] {
  const most = plan.run.perZone;
  if (most === undefined) return ready;
  const zoneOf = (name: string) => byName(nodes, name)?.labels[zoneLabel] ?? '';
  const taken = new Map<string, number>();
  for (const [name] of active) taken.set(zoneOf(name), (taken.get(zoneOf(name)) ?? 0) + 1);
  return ready.filter((node) => {
    const zone = node.labels[zoneLabel] ?? '';
    const count = taken.get(zone) ?? 0;
    if (count >= most) return false;
    taken.set(zone, count + 1);
    return true;
  });
}
