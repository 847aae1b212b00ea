import { membershipOf } from '../openshift/membership.ts';
import { hasFailedUpdate, isFailing, isInFlight } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { byName } from '../text/by-name.ts';
import { counted, listed } from '../text/phrases.ts';
import { asInPool } from './canary-nodes.ts';
import { canaryProblems } from './canary-watch.ts';
import { type NextNodes, nextNodes } from './next-nodes.ts';
import { type RunBlock, runBlock } from './run-block.ts';
import { begunAt, minutesLeftOfRun } from './run-pace.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunProblem } from './run-question.ts';
import {
  hasGivenWay,
  isOpenTurn,
  isOver,
  type RunCondition,
  type RunLogEntry,
  type RunRecord,
  type Said,
  type Turn,
} from './run-record.ts';
import type { LookAtRun, RunTile, TileState } from './run-tile.ts';
import type { ReadyNode } from './turn-node.ts';

export interface RunView {
  readonly run: string;
  readonly cluster: string;
  readonly mode: 'turns' | 'canary';
  /** `idle`: all nodes are at their targets. */
  readonly state: 'idle' | 'running' | 'blocked' | 'paused' | 'aborting' | 'aborted';
  /** Who paused or aborted it. */
  readonly said: Said | undefined;
  readonly blockedSince: string | undefined;
  /** Why it does not go on by itself, and what a person can do; undefined: it does. */
  readonly block: RunBlock | undefined;
  /** Whose turn begins next, and why it has not; undefined: nobody's. */
  readonly next: { readonly node: string; readonly why: string } | undefined;
  /** If the turns that are left take as long as those before; undefined: not known. */
  readonly minutesLeft: number | undefined;
  readonly done: number;
  readonly total: number;
  readonly pools: readonly {
    readonly name: string;
    /** The rendered config that its nodes are taken to; empty: the pool is not there. */
    readonly target: string;
    readonly paused: boolean;
    /** It is there, and cannot be parsed. */
    readonly unread?: true | undefined;
  }[];
  /** In the order of the pools, and of their turns: what is done, what is under way, what is to come. */
  readonly tiles: readonly RunTile[];
  readonly conditions: readonly RunCondition[];
  readonly log: readonly RunLogEntry[];
}

export interface RunViewQuestion {
  readonly plan: RunPlan;
  readonly record: RunRecord;
  /** All pools of the cluster: they decide where a node belongs. */
  readonly pools: readonly Pick<Pool, 'name' | 'nodeSelector' | 'target' | 'paused'>[];
  /** Names of pools that are there and cannot be parsed: which nodes are their own is not known. Absent: none. */
  readonly unread?: readonly string[] | undefined;
  readonly nodes: readonly ReadyNode[];
  /** What a look at the run has found; undefined: only its record and the cluster are known. */
  readonly look?: LookAtRun | undefined;
  readonly now: Date;
}

/** A run as its record and the cluster have it. */
export function runView(question: RunViewQuestion): RunView {
  const { plan, record } = question;
  const own = poolsOf(question);
  const unread = unreadProblems(question);
  const known = unread.length === 0;
  const next = question.look?.next ?? nextAsRecorded(question, own);
  const waiting = next.waiting.filter(({ node }) => !isOpenTurn(record.turns[node.name]));
  const places = new Map(waiting.map(({ node }, place) => [node.name, place]));
  const tiles = own.flatMap((pool) =>
    question.nodes
      .filter(({ name }) => known || isOpenTurn(record.turns[name]))
      .filter((node) => isMember(node, pool.name, question))
      .map((node) => asInPool(node, pool.name, plan.run.canary?.name))
      .map((node) => tileOf(node, pool, question, places.get(node.name)))
      .toSorted(byTurn),
  );
  const done = tiles.filter(({ state }) => state === 'done').length;
  const state = stateOf(record, { isAllDone: done === tiles.length, known });
  const shown = told(tiles, waiting);
  return {
    run: plan.name,
    cluster: plan.run.cluster,
    mode: plan.run.mode,
    state,
    said: record.aborted ?? record.paused,
    blockedSince: record.blockedSince,
    block:
      record.blockedSince === undefined && state !== 'blocked'
        ? undefined
        : runBlock(plan, record, { tiles, problems: [...problemsOf(question), ...unread] }),
    next: known ? nextOf(question, { ...next, waiting }, state) : undefined,
    minutesLeft: minutesLeft(question, shown),
    done,
    total: tiles.length,
    pools: own,
    tiles: shown,
    conditions: record.conditions ?? [],
    log: record.log,
  };
}

function problemsOf({ record, look, now }: RunViewQuestion): readonly RunProblem[] {
  return look?.problems ?? canaryProblems(record, now);
}

function poolsOf({ plan, pools, unread = [] }: RunViewQuestion): RunView['pools'] {
  return plan.pools.map((name) => {
    const found = byName(pools, name);
    if (unread.includes(name)) return { name, target: '', paused: false, unread: true };
    return { name, target: found?.target.name ?? '', paused: found?.paused ?? false };
  });
}

function unreadProblems({ unread = [], now }: RunViewQuestion): readonly RunProblem[] {
  return unread.map((name) => ({
    kind: 'unseen',
    node: '',
    since: now.toISOString(),
    why: `pool ${name} cannot be parsed: which nodes are its own is not known`,
  }));
}

/** Without a look: what gates say, and where Argo CD runs, is not known. */
function nextAsRecorded(
  { plan, record, nodes, pools, now }: RunViewQuestion,
  own: readonly { readonly name: string; readonly target: string }[],
): NextNodes {
  const members = nodes.map((node) => {
    const membership = membershipOf(node, pools);
    const pool = membership.kind === 'member' ? membership.pool : undefined;
    return { ...asInPool(node, pool ?? '', plan.run.canary?.name), pool };
  });
  const open = own.map((pool) => ({ ...pool, closed: undefined }));
  const next = nextNodes({ plan, record, nodes: members, pools: open, controllers: new Set(), now });
  const said = record.conditions?.find(({ type, status }) => type === 'UpgradeReady' && status === 'False');
  return said === undefined ? next : { ...next, why: said.message };
}

/** In mode canary a node is in another pool during its turn. */
function isMember(
  node: ReadyNode,
  pool: string,
  { plan, record, pools }: Pick<RunViewQuestion, 'plan' | 'record' | 'pools'>,
): boolean {
  const turn = record.turns[node.name];
  const membership = membershipOf(node, pools);
  const now = membership.kind === 'member' ? membership.pool : undefined;
  if (turn !== undefined && (!isOver(turn) || now === plan.run.canary?.name)) return turn.pool === pool;
  return now === pool;
}

function stateOf(
  record: RunRecord,
  { isAllDone, known }: { readonly isAllDone: boolean; readonly known: boolean },
): RunView['state'] {
  if (record.aborted !== undefined) return record.endedAt === undefined ? 'aborting' : 'aborted';
  if (record.paused !== undefined) return 'paused';
  if (record.blockedSince !== undefined || !known) return 'blocked';
  return isAllDone ? 'idle' : 'running';
}

function nextOf(
  { plan: { run }, record: { turns, paused } }: RunViewQuestion,
  { waiting, why }: NextNodes,
  state: RunView['state'],
): RunView['next'] {
  const first = firstOf(waiting);
  if (first === undefined || state === 'aborting' || state === 'aborted') return undefined;
  const node = first.node.name;
  if (paused !== undefined) return { node, why: `when the run goes on: ${paused.who} paused it` };
  if (state === 'blocked') return { node, why: 'when the run goes on: it is blocked' };
  if (first.why !== undefined) return { node, why: `not yet: ${first.why}` };
  const active = Object.entries(turns).flatMap(([name, turn]) => (isOver(turn) ? [] : [name]));
  if (active.length >= run.atOnce)
    return {
      node,
      why: `when ${listed(active, 2)} ${active.length === 1 ? 'is' : 'are'} done: ${counted(run.atOnce, 'node')} at once`,
    };
  return { node, why: why === undefined ? 'with the next look' : `not yet: ${why}` };
}

function tileOf(
  node: ReadyNode,
  pool: RunView['pools'][number],
  question: RunViewQuestion,
  place: number | undefined,
): RunTile {
  const { record, look } = question;
  const turn = record.turns[node.name];
  const about = { node: node.name, pool: pool.name, since: turn?.since };
  if (turn === undefined || isOver(turn)) {
    const [state, doing] = ofNode(node, pool.target, turn, question);
    return { ...about, state, step: undefined, doing, place: state === 'waiting' ? place : undefined, tail: [] };
  }
  const [state, doing] = ofTurn(node, turn, look?.waits.get(node.name));
  return { ...about, state, step: stepOf(turn), doing, place: undefined, tail: tailOf(node.name, record, look) };
}

function tailOf(node: string, { log }: RunRecord, look: LookAtRun | undefined): readonly string[] {
  const seen = look?.seen.get(node);
  if (seen?.kind === 'running' && seen.tail !== undefined && seen.tail.length > 0) return seen.tail;
  return log
    .filter((entry) => entry.node === node)
    .slice(-1)
    .map(({ what }) => what);
}

/** A run reads like a bar: what is done, in its order, what is under way, what is to come, and what is left out. */
const rank: Readonly<Record<TileState, number>> = {
  done: 0,
  before: 1,
  updating: 1,
  after: 1,
  blocked: 1,
  waiting: 2,
  held: 3,
  skipped: 4,
};

function byTurn(a: RunTile, b: RunTile): number {
  const key = ({ state, since = '', place = Number.MAX_SAFE_INTEGER, node }: RunTile) =>
    [rank[state], state === 'done' ? since : '', place, node] as const;
  const [one, other] = [key(a), key(b)];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 || (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
}

/** What those that wait wait for, but for what the next of them waits for: that is said of it once, beside them. */
function told(tiles: readonly RunTile[], waiting: NextNodes['waiting']): readonly RunTile[] {
  const reasons = new Map(waiting.map(({ node, why }) => [node.name, why]));
  const ofNext = firstOf(waiting)?.why;
  return tiles.map((tile) => {
    const why = reasons.get(tile.node);
    return tile.state !== 'waiting' || why === undefined || why === ofNext ? tile : { ...tile, doing: why };
  });
}

/** Whose turn begins next. */
function firstOf(waiting: NextNodes['waiting']): NextNodes['waiting'][number] | undefined {
  return waiting.find(({ why }) => why === undefined) ?? waiting[0];
}

function minutesLeft({ plan, record: { log }, now }: RunViewQuestion, tiles: readonly RunTile[]): number | undefined {
  const active = tiles.filter(({ state }) => rank[state] === 1);
  const left = active.length + tiles.filter(({ state }) => state === 'waiting').length;
  const begun = active.flatMap(({ node }) => begunAt(log, node) ?? []);
  return minutesLeftOfRun({ log, left, atOnce: plan.run.atOnce, begun, now });
}

type Told = readonly [TileState, string];

function stepOf({ step }: Turn): RunTile['step'] {
  if (step === 'before') return 'before';
  return step === 'gone' ? 'updating' : 'after';
}

/** During its turn. */
function ofTurn(node: ReadyNode, turn: Turn, waits: string | undefined): Told {
  if (turn.failed !== undefined) return ['blocked', turn.failed];
  if (isFailing(node)) return ['blocked', `its config daemon reports ${node.state}: ${node.reason}`];
  return [stepOf(turn) ?? 'after', waits ?? doingOf(turn)];
}

/** Before its turn, or when it is over. */
function ofNode(
  node: ReadyNode,
  target: string,
  turn: Turn | undefined,
  { plan: { run }, now }: Pick<RunViewQuestion, 'plan' | 'now'>,
): Told {
  if (target !== '' && node.currentConfig === target && !isInFlight(node)) return ['done', 'at its target'];
  if (turn?.step === 'skipped' && !hasGivenWay(turn)) return ['skipped', turn.skip ?? 'it was skipped'];
  if (Object.hasOwn(node.labels, run.holdLabel)) return ['held', `held by its label ${run.holdLabel}`];
  if (hasFailedUpdate(node, now)) return ['blocked', `its update to ${node.desiredConfig} has failed: ${node.reason}`];
  return ['waiting', isInFlight(node) ? 'on its way, and not by this run' : 'waits for its turn'];
}

function doingOf({ step, ran, cleaned, attempt, retryAt, target }: Turn): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  const later = retryAt === undefined ? '' : `, tried again at ${retryAt}`;
  switch (step) {
    case 'before':
      return ran.length === 0 ? 'its turn begins' : `${ran.at(-1)}${again}${later}`;
    case 'gone':
      return `let go to ${target}`;
    case 'cordon':
      return 'back, and to be cordoned as it was';
    case 'after':
      return cleaned.length === 0 ? 'back' : `clean-up of ${cleaned.at(-1)}${again}${later}`;
    case 'done':
    case 'skipped':
      return 'over';
    default:
      return step satisfies never;
  }
}
