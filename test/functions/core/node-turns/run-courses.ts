import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import type { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { type Evidence, noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateView } from '../../../../functions/core/gates/gate-view.ts';
import { sequence } from '../../../../functions/core/gates/sequence.ts';
import { wave } from '../../../../functions/core/gates/wave.ts';
import { decide } from '../../../../functions/core/holds/decide.ts';
import { gateQuestion } from '../../../../functions/core/holds/gate-question.ts';
import { freezeManually, thawManually } from '../../../../functions/core/holds/manual-freeze.ts';
import type { ManualChange } from '../../../../functions/core/holds/manual-hold.ts';
import type { PoolPlan } from '../../../../functions/core/holds/plan.ts';
import type { Snapshot } from '../../../../functions/core/holds/snapshot.ts';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import type { TurnAction, WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import { changedSinceAbort, rolloutsOf, runsAtWork } from '../../../../functions/core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../../../functions/core/node-turns/run-plan.ts';
import type { RunPool, RunProblem } from '../../../../functions/core/node-turns/run-question.ts';
import {
  emptyRunRecord,
  hasGivenWay,
  isOver,
  isUnfinished,
  type RunRecord,
  type RunRequest,
  type Turn,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { mayGo, type TurnNode, whyStays } from '../../../../functions/core/node-turns/turn-node.ts';
import { fieldManager, runOfHold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { holdOfRun } from '../../../../functions/core/openshift/pool-record.ts';
import { poolSteps } from '../../../../functions/core/sequences/pool-steps.ts';
import { poolHealth } from '../../../../functions/core/sequences/target-health.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { noImages } from '../../../fakes/index.ts';
import { configOf, type FleetPool, noted, poolOf, restingPool } from '../gates/gated-fleet.ts';
import { aSnapshot } from '../holds/a-snapshot.ts';
import { aTurnNode } from './run-builder.ts';

/** What may happen to a node, to its Job, and what people ask of the run for it. */
export type NodeAct =
  /** Its Job ends well, or fails, or somebody deletes it. */
  | 'succeed'
  | 'fail'
  | 'lose'
  /** The MCO begins to reboot it; it is back; it cannot be updated; somebody mends that. */
  | 'reboot'
  | 'update'
  | 'break'
  | 'mend'
  | 'cordon'
  | 'uncordon'
  /** By the label of the run. */
  | 'keep'
  | 'free'
  | 'delete'
  | 'join'
  /** Somebody sets its desiredConfig. */
  | 'push'
  | 'retry'
  | 'skip';

/** What may happen to a pool: another config; a freeze and its end; somebody's `oc patch` that resumes it. */
export type PoolAct = 'render' | 'freeze' | 'thaw' | 'resume';

/** What people ask of the run, a moment, and hours in which nobody looks. */
export type RunAct = 'pause' | 'go on' | 'abort' | 'start' | 'moment' | 'hours';

export interface Act {
  readonly did: NodeAct | PoolAct | RunAct;
  /** A node or a pool; absent: the run. */
  readonly of?: string | undefined;
}

/** `looked`: passes look until nothing changes by them. `unseen`: none does. `late`: one that has read everything
 *  before the act writes after it. `cut`: one dies once it has stored the record. `twice`: two have read the same, and
 *  both write. */
export type Look = 'looked' | 'unseen' | 'late' | 'cut' | 'twice';

export interface Scene {
  readonly plan: RunPlan;
  /** By pool; absent: all of wave 0. */
  readonly waves?: Readonly<Record<string, number>>;
  /** Of which both pools are steps. */
  readonly sequence?: Sequence;
}

type WorldPool = Omit<FleetPool, 'nodes'> & {
  /** The MCO has seen what was written last. */
  readonly isConfirmed: boolean;
};

interface WorldNode {
  readonly pool: string;
  /** Versions of the config of its pool. */
  readonly has: number;
  readonly wants: number;
  readonly state: 'Done' | 'Working' | 'Degraded';
  readonly cordoned: boolean;
  /** A person wants it to be. */
  readonly isCordonWanted: boolean;
  readonly isKept: boolean;
  /** The run has let it go, and it is not back. */
  readonly isLetGo: boolean;
  /** Milliseconds since 1970. */
  readonly born: number;
}

interface WorldJob extends Pick<Turn, 'round' | 'attempt'> {
  readonly node: string;
  readonly rule: string;
  readonly part: 'before' | 'after';
  readonly state: 'running' | 'complete' | 'failed' | 'deleted';
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A person has left out what was to clean up after it. */
  readonly isLeft: boolean;
}

/** What is so after some acts. */
export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pools: Readonly<Record<string, WorldPool>>;
  readonly nodes: Readonly<Record<string, WorldNode>>;
  readonly record: RunRecord;
  /** In the order in which they were made. */
  readonly jobs: readonly WorldJob[];
  /** What people are told by the last look. */
  readonly told: readonly RunProblem[];
  /** What must never happen, and did. */
  readonly wrong: readonly string[];
}

const person = 'kubectl-patch';
const who = 'anna';
const minute = 60_000;
const hour = 60 * minute;

const freshNode = {
  has: 1,
  wants: 1,
  state: 'Done',
  cordoned: false,
  isCordonWanted: false,
  isKept: false,
  isLetGo: false,
  born: 1,
} as const;

const { nodes: _, ...restingOne } = restingPool;
const resting: WorldPool = { ...restingOne, isConfirmed: true };

/** Two pools of two nodes, at rest. */
export function start({ plan }: Scene): State {
  const nodes = plan.pools.flatMap((pool) =>
    [1, 2].map((nth) => [`${pool.slice(0, 1)}${nth}`, { ...freshNode, pool }] as const),
  );
  return {
    at: Date.parse('2026-03-02T10:00:00Z'),
    pools: Object.fromEntries(plan.pools.map((pool) => [pool, resting])),
    nodes: Object.fromEntries(nodes),
    record: emptyRunRecord,
    jobs: [],
    told: [],
    wrong: [],
  };
}

/** Whether this can happen now. */
export function isPossible({ did, of = '' }: Act, state: State): boolean {
  const node = state.nodes[of];
  const turn = state.record.turns[of];
  switch (did) {
    case 'succeed':
    case 'fail':
    case 'lose':
      return state.jobs.some((job) => job.node === of && job.state === 'running');
    case 'join':
      return node === undefined;
    case 'retry':
      return turn !== undefined && (turn.step === 'skipped' || turn.failed !== undefined);
    case 'skip':
      return turn !== undefined && (['before', 'after'].includes(turn.step) || hasGivenWay(turn));
    case 'freeze':
      return !isFrozen(of, state);
    case 'thaw':
      return isFrozen(of, state);
    case 'resume':
      return state.pools[of]?.paused === true;
    case 'pause':
      return state.record.paused === undefined && state.record.aborted === undefined;
    case 'go on':
      return state.record.paused !== undefined || state.told.some(({ kind }) => kind === 'moved');
    case 'abort':
      return state.record.aborted === undefined;
    case 'start':
      return state.record.aborted !== undefined;
    case 'render':
    case 'moment':
    case 'hours':
      return true;
    default:
      return node !== undefined && isPossibleFor(did, of, node, state);
  }
}

function isPossibleFor(did: NodeAct, name: string, node: WorldNode, state: State): boolean {
  const isAway = node.wants !== node.has;
  switch (did) {
    case 'reboot':
      return isAway && node.state === 'Done';
    case 'update':
    case 'break':
      return node.state !== 'Degraded' && (isAway || isNextOfMco(name, state));
    case 'mend':
      return node.state === 'Degraded';
    case 'cordon':
      return !isAway && !node.cordoned;
    case 'uncordon':
      // Somebody who is as fast as the run that cordons it again is not heard.
      return !isAway && node.isCordonWanted && node.cordoned && state.record.turns[name]?.step !== 'cordon';
    case 'keep':
      return !node.isKept;
    case 'free':
      return node.isKept;
    case 'push':
      return !isAway && !node.cordoned && node.has !== state.pools[node.pool]?.target;
    default:
      return true;
  }
}

/** The node that the MCO would take now, in a pool that is not paused. */
function isNextOfMco(name: string, { nodes, pools }: State): boolean {
  const node = nodes[name];
  const pool = pools[node?.pool ?? ''];
  if (node === undefined || pool === undefined || pool.paused || node.has === pool.target) return false;
  return Object.values(nodes).every(
    (each) => each.pool !== node.pool || (each.wants === each.has && each.state === 'Done' && !each.cordoned),
  );
}

function isFrozen(pool: string, { pools }: State): boolean {
  return pools[pool]?.record.holds.some(({ kind }) => kind === 'freeze') === true;
}

/** The state after an act, and the passes that look at the cluster then, if any do. */
export function next(act: Act, before: State, scene: Scene, look: Look = 'looked'): State {
  const shown = confirmed({ ...before, at: before.at + 20_000 });
  const after = happened(act, shown, scene);
  switch (look) {
    case 'looked':
      return looked(after, scene);
    case 'unseen':
      return after;
    case 'late':
      return pass({ read: shown, now: after }, scene);
    case 'cut':
      return pass({ read: after, now: after, isCut: true }, scene);
    case 'twice':
      return pass({ read: after, now: pass({ read: after, now: after }, scene) }, scene);
    default:
      return look satisfies never;
  }
}

/** Passes half a minute apart, until one finds nothing to do. */
function looked(before: State, scene: Scene): State {
  let state = before;
  for (let nth = 0; nth < 12; nth += 1) {
    const shown = confirmed({ ...state, at: state.at + 30_000 });
    const after = pass({ read: shown, now: shown }, scene);
    if (isSame(shown, after)) return after;
    state = after;
  }
  return { ...state, wrong: [...state.wrong, 'passes find something to do again and again'] };
}

function isSame(a: State, b: State): boolean {
  return a.pools === b.pools && a.nodes === b.nodes && a.jobs === b.jobs && a.record === b.record;
}

function confirmed(state: State): State {
  if (Object.values(state.pools).every(({ isConfirmed }) => isConfirmed)) return state;
  return { ...state, pools: mapped(state.pools, (pool) => ({ ...pool, isConfirmed: true })) };
}

function mapped<One, Other>(
  all: Readonly<Record<string, One>>,
  change: (one: One, name: string) => Other,
): Readonly<Record<string, Other>> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one, name)]));
}

function happened({ did, of = '' }: Act, state: State, scene: Scene): State {
  const said = { who, why: 'decided', at: new Date(state.at).toISOString() };
  const ask = (request: RunRequest): State => ({ ...state, record: withRunRequest(state.record, request) });
  const request = { who, why: 'quarter end', now: new Date(state.at) };
  switch (did) {
    case 'render':
      return withPool(state, of, (pool) => ({ ...pool, target: pool.target + 1 }));
    case 'freeze': {
      const freeze = { scope: 'pool' as const, until: new Date(state.at + 240 * hour) };
      return byHand(of, state, (pool) => freezeManually(pool, freeze, request));
    }
    case 'thaw':
      return byHand(of, state, (pool) => thawManually(pool, { scope: 'pool' }, request));
    case 'resume':
      return withPool(state, of, (pool) => ({
        ...pool,
        paused: false,
        pausedBy: { manager: person, at: second(state.at) },
      }));
    case 'pause':
    case 'abort':
    case 'start':
      return ask({ kind: did, said });
    case 'go on':
      return ask({ kind: 'go-on', said });
    case 'retry':
      return ask({ kind: did, node: of, said });
    case 'skip':
      return withLeft(of, ask({ kind: did, node: of, said }), state.record.turns[of]?.step === 'after');
    case 'moment':
      return state;
    case 'hours':
      return afterHours(state, scene);
    default:
      return happenedTo(did, of, state);
  }
}

/** Whoever leaves out a clean-up wants what was done to stay, or to be done again. */
function withLeft(node: string, state: State, isCleanUp: boolean): State {
  if (!isCleanUp) return state;
  return { ...state, jobs: state.jobs.map((job) => (job.node === node ? { ...job, isLeft: true } : job)) };
}

function happenedTo(did: NodeAct, name: string, state: State): State {
  switch (did) {
    case 'succeed':
      return withJobs(state, name, 'complete');
    case 'fail':
      return withJobs(state, name, 'failed');
    case 'lose':
      return withJobs(state, name, 'deleted');
    case 'join': {
      const pool = Object.keys(state.pools).find((each) => each.startsWith(name.slice(0, 1))) ?? '';
      const has = state.pools[pool]?.current ?? 1;
      const born = state.at;
      return withNodes(state, { ...state.nodes, [name]: { ...freshNode, pool, has, wants: has, born } });
    }
    case 'delete': {
      const { [name]: _, ...nodes } = state.nodes;
      return withNodes(state, nodes);
    }
    default: {
      const node = state.nodes[name];
      return node === undefined ? state : withNode(state, name, { ...node, ...nodeAfter(did, node, state) });
    }
  }
}

function nodeAfter(did: NodeAct, node: WorldNode, { pools }: State): Partial<WorldNode> {
  const target = pools[node.pool]?.target ?? node.has;
  const wants = node.wants === node.has ? target : node.wants;
  switch (did) {
    case 'reboot':
      return { state: 'Working', cordoned: true };
    case 'update':
    case 'mend':
      return { has: wants, wants, state: 'Done', cordoned: false, isLetGo: false };
    case 'break':
      return { wants, state: 'Degraded', cordoned: true };
    case 'cordon':
      return { cordoned: true, isCordonWanted: true };
    case 'uncordon':
      return { cordoned: false, isCordonWanted: false };
    case 'keep':
    case 'free':
      return { isKept: did === 'keep' };
    case 'push':
      return { wants: target };
    default:
      return {};
  }
}

/** Jobs that run end by their own deadline. */
function afterHours(state: State, { plan }: Scene): State {
  const at = state.at + 2 * hour;
  const limitOf = (id: string) => (plan.rules.find((rule) => rule.id === id)?.rule.timeoutSeconds ?? 0) * 1000;
  const isLate = (job: WorldJob) => job.state === 'running' && at - job.since >= limitOf(job.rule);
  const jobs = state.jobs.some(isLate)
    ? state.jobs.map((job) => (isLate(job) ? { ...job, state: 'failed' as const } : job))
    : state.jobs;
  return { ...state, at, jobs };
}

function withJobs(state: State, node: string, end: WorldJob['state']): State {
  const jobs = state.jobs.map((job) => (job.node === node && job.state === 'running' ? { ...job, state: end } : job));
  return { ...state, jobs };
}

function withPool(state: State, name: string, change: (pool: WorldPool) => WorldPool): State {
  const before = state.pools[name];
  if (before === undefined) return state;
  return withNoted(state, { ...state, pools: { ...state.pools, [name]: change(before) } });
}

function withNode(state: State, name: string, node: WorldNode): State {
  return withNodes(state, { ...state.nodes, [name]: node });
}

function withNodes(state: State, nodes: State['nodes']): State {
  return withNoted(state, { ...state, nodes });
}

/** What the MCO notes of its pools. */
function withNoted(before: State, after: State): State {
  const at = new Date(after.at).toISOString();
  const pools = mapped(after.pools, (pool, name) => {
    const { current, updatedSince } = noted(fleetPool(name, before), fleetPool(name, after), at);
    return current === pool.current && updatedSince === pool.updatedSince ? pool : { ...pool, current, updatedSince };
  });
  return { ...after, pools };
}

function membersOf(pool: string, { nodes }: State): readonly (readonly [string, WorldNode])[] {
  return Object.entries(nodes).filter(([, node]) => node.pool === pool);
}

function fleetPool(name: string, state: State): FleetPool {
  const nodes = membersOf(name, state).map(([, { has, wants, state: is, cordoned }]) => ({
    has,
    failed: is === 'Degraded' ? wants : undefined,
    ...(cordoned || wants !== has ? { cordoned: true as const } : {}),
  }));
  return { ...(state.pools[name] ?? resting), nodes };
}

function byHand(name: string, state: State, ask: (pool: Pool) => ManualChange): State {
  const { paused, record } = ask(shownPool(name, state));
  const author = paused === undefined ? {} : { paused, pausedBy: { manager: fieldManager, at: second(state.at) } };
  return withPool(state, name, (pool) => ({ ...pool, ...author, record: record ?? pool.record }));
}

function shownPool(name: string, state: State): Pool {
  const pool = poolOf(name, fleetPool(name, state));
  return state.pools[name]?.isConfirmed === false ? { ...pool, observedGeneration: pool.generation - 1 } : pool;
}

function shownNodes({ nodes }: State, { plan }: Scene): readonly TurnNode[] {
  return Object.entries(nodes).map(([name, node]) => shownNode(name, node, plan));
}

function shownNode(
  name: string,
  { pool, has, wants, state, cordoned, isKept, born }: WorldNode,
  plan: RunPlan,
): TurnNode {
  const [currentConfig, desiredConfig] = [configOf(pool, has), configOf(pool, wants)];
  const drain = `uncordon-${currentConfig}`;
  return aTurnNode(name, {
    ...{ pool, currentConfig, desiredConfig, state, cordoned, desiredDrain: drain, lastAppliedDrain: drain },
    labels: isKept ? { [plan.run.holdLabel]: '' } : {},
    ready: state !== 'Working',
    createdAt: new Date(born).toISOString(),
  });
}

interface Passing {
  /** What it has read. */
  readonly read: State;
  /** What it writes to. */
  readonly now: State;
  /** It dies once it has stored the record. */
  readonly isCut?: boolean;
}

/** One pass: it holds pools or lets them go, and takes the run as far as it may go. */
function pass({ read, now, isCut = false }: Passing, scene: Scene): State {
  const { plan } = scene;
  const pools = plan.pools.map((name) => shownPool(name, read));
  const isAtWork = runsAtWork([plan], pools).length > 0 || isUnfinished(read.record);
  const records = new Map(isAtWork ? [[plan.name, read.record]] : []);
  const question = { plans: [plan], pools, records, update: 'none' as const, stored: new Set([plan.name]) };
  const first = rolloutsOf(question);
  const isLettingGo = [...first.values()].some(({ wants }) => wants === 'let go');
  const rollouts = isLettingGo ? rolloutsOf({ ...question, nodes: shownNodes(read, scene) }) : first;
  let [found, after] = [read, now];
  for (const { pool, action } of decided(read, scene, { rollouts })) {
    if (action.kind === 'none') continue;
    // Somebody was faster: the next pass decides again.
    if (now.pools[pool.name] !== read.pools[pool.name]) continue;
    const wrong = action.kind === 'resume' ? wrongResume(pool.name, read) : [];
    found = written(found, pool.name, action);
    after = { ...written(after, pool.name, action), wrong: [...after.wrong, ...wrong] };
  }
  const isHeld = [...rollouts.values()].some(({ run, wants }) => run === plan.name && wants === 'hold');
  if (!isHeld && !isUnfinished(read.record)) return { ...after, told: toldAtRest(after, scene) };
  return kept({ read: found, now: after, isCut }, scene);
}

function toldAtRest(state: State, { plan }: Scene): readonly RunProblem[] {
  const { record, at } = state;
  const pools = plan.pools.map((name) => shownPool(name, state));
  const changed = record.aborted === undefined ? [] : changedSinceAbort(plan, record, pools);
  return changed.map((why) => ({ kind: 'refused', node: '', since: new Date(at).toISOString(), why }));
}

function written(state: State, name: string, action: Exclude<PoolPlan['action'], { readonly kind: 'none' }>): State {
  const { record } = action;
  const isPause = action.kind === 'pause';
  const author = { manager: fieldManager, at: second(state.at) };
  const change =
    action.kind === 'record' ? { record } : { record, paused: isPause, pausedBy: author, isConfirmed: false };
  return withPool(state, name, (pool) => ({ ...pool, ...change }));
}

/** The run goes on. */
function kept({ read, now, isCut = false }: Passing, scene: Scene): State {
  const { plan } = scene;
  const pools = plan.pools.map((name) => runPool(name, read, scene));
  const judged = judgeRun({
    plan,
    record: read.record,
    nodes: shownNodes(read, scene),
    pools,
    seen: seenJobs(read),
    controllers: new Set(),
    now: new Date(read.at),
  });
  const isChanged = JSON.stringify(judged.record) !== JSON.stringify(read.record);
  if (isChanged && now.record !== read.record) return now;
  const stored: State = {
    ...now,
    record: isChanged ? judged.record : now.record,
    wrong: [...now.wrong, ...wrongTurns(judged.record, { read, pools, scene })],
  };
  if (isCut) return stored;
  const done = judged.actions.reduce((state, action) => performed(action, { state, read, scene }), stored);
  const { problems } = judged;
  return { ...done, told: problems, wrong: [...done.wrong, ...untold(judged.record, problems, read)] };
}

/** A pool as the run finds it. */
function runPool(name: string, state: State, scene: Scene): RunPool {
  const { plan } = scene;
  const pool = shownPool(name, state);
  const hold = holdOfRun(pool, plan.name);
  const unpaused = whyNotPaused(pool, plan.name);
  const asked = unpaused === undefined ? gatesOf(name, state, scene) : undefined;
  const isOrder = (asked?.closed ?? []).length > 0;
  return {
    ...{ name, target: pool.target.name, isPaused: unpaused === undefined, closed: unpaused ?? asked?.why },
    heldSince: hold?.since,
    ...(hold?.overruled !== undefined && !pool.paused ? { isResumed: true as const } : {}),
    after: plan.pools.filter((other) => isBefore(other, name, scene)),
    ...(isOrder ? { waitsForThem: true as const } : {}),
  };
}

/** As `keep-pools` has it. */
function whyNotPaused(pool: Pool, run: string): string | undefined {
  const hold = holdOfRun(pool, run);
  if (hold === undefined || pool.record.kind !== 'record') return 'it does not have the hold of the run yet';
  if (hold.overruled !== undefined) return `${hold.overruled.by} has resumed it`;
  if (pool.record.record.pause !== 'ours' || !pool.paused) return 'it is not paused yet';
  return pool.observedGeneration >= pool.generation ? undefined : 'the MCO has not confirmed its pause yet';
}

/** By its wave, or its step in the sequence. */
function isBefore(other: string, name: string, { waves = {}, sequence: inTurn }: Scene): boolean {
  const stepOf = (pool: string) => inTurn?.steps[pool]?.wave ?? 0;
  return (waves[other] ?? 0) < (waves[name] ?? 0) || stepOf(other) < stepOf(name);
}

/** What else holds the pool, or which gate that keeps an order would, if it had one node, and its run did not hold
 *  it. */
function gatesOf(
  name: string,
  state: State,
  scene: Scene,
): { readonly why: string | undefined; readonly closed: readonly GateView[] } {
  const snapshot = snapshotOf(state, scene, { rollouts: undefined }, name);
  const pool = snapshot.pools.find((each) => each.name === name);
  if (pool?.record.kind !== 'record') return { why: 'it has no record', closed: [] };
  const { record } = pool.record;
  if (record.holds.length > 0) return { why: record.holds.map(({ why }) => why).join('; '), closed: [] };
  const { closed } = askGates([wave, sequence], gateQuestion(record, pool, snapshot, new Date(state.at)));
  return { why: closed.map(({ gate, why }) => `gate ${gate}: ${why}`)[0], closed };
}

function asOneNode(pool: Pool): Pool {
  if (pool.record.kind !== 'record') return pool;
  const holds = pool.record.record.holds.filter(({ id }) => runOfHold(id) === undefined);
  return {
    ...pool,
    maxUnavailable: '1',
    counts: { ...pool.counts, machines: 1, updated: 0, ready: 1, unavailable: 0 },
    record: { kind: 'record', record: { ...pool.record.record, holds } },
  };
}

/** What becomes of the pools. */
function decided(state: State, scene: Scene, { rollouts }: Pick<Snapshot, 'rollouts'>): readonly PoolPlan[] {
  return decide(snapshotOf(state, scene, { rollouts }), new Date(state.at));
}

/** All that gates may ask for. */
function evidenceOf(name: string, state: State, scene: Scene): Evidence {
  const before = scene.sequence === undefined ? [] : scene.plan.pools.filter((other) => isBefore(other, name, scene));
  const waitsFor = before.filter((other) => poolHealth(shownPool(other, state)).kind !== 'healthy');
  return {
    ...noEvidence,
    controllers: seen([]),
    drains: seen({ touched: 2, obstacles: [], unread: [] }),
    images: noImages,
    nodesBehind: seen([]),
    turn: seen({ mayGo: waitsFor.length === 0, why: 'lower steps are not healthy', waitsFor }),
    versionUpdate: seen({ kind: 'none' }),
  };
}

function snapshotOf(state: State, scene: Scene, { rollouts }: Pick<Snapshot, 'rollouts'>, asked?: string): Snapshot {
  const { plan, waves = {}, sequence: inTurn } = scene;
  const { settings } = aSnapshot({ pools: [] });
  const pools = plan.pools.map((name) => shownPool(name, state));
  return aSnapshot({
    settings: { ...settings, pools: mapped(state.pools, (_, name) => poolSettings(waves[name])) },
    pools: pools.map((pool) => (pool.name === asked ? asOneNode(pool) : pool)),
    machineConfigs: plan.pools.map((name) => ({
      name: `99-${name}`,
      labels: { 'machineconfiguration.openshift.io/role': name },
    })),
    published: mapped(state.pools, ({ record }) => record),
    rollouts,
    evidence: new Map(plan.pools.map((name) => [name, evidenceOf(name, state, scene)])),
    ...(inTurn === undefined ? {} : { sequenceSteps: poolSteps({ virt: inTurn }, 'prod') }),
  });
}

function poolSettings(wave: number | undefined) {
  return wave === undefined ? defaultPoolSettings : { ...defaultPoolSettings, wave };
}

function seenJobs({ record, jobs }: State): ReadonlyMap<string, WorkSeen> {
  const open = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  return new Map(open.map(([node, turn]) => [node, seenJob(node, turn, jobs)]));
}

function seenJob(node: string, turn: Turn, jobs: State['jobs']): WorkSeen {
  const part = turn.step === 'after' ? 'after' : 'before';
  const rule = (part === 'after' ? turn.cleaned : turn.ran).at(-1);
  if (rule === undefined || (turn.step !== 'before' && turn.step !== 'after')) return { kind: 'absent' };
  if (turn.succeeded === true) return { kind: 'complete', said: '' };
  const { round, attempt } = turn;
  switch (jobs.find((job) => isJob(job, { round, attempt, node, rule, part }))?.state) {
    case 'running':
      return { kind: 'running' };
    case 'complete':
      return { kind: 'complete', said: '' };
    case 'failed':
      return { kind: 'failed', why: 'exit code 1' };
    default:
      return { kind: 'absent' };
  }
}

type JobId = Pick<WorldJob, 'round' | 'attempt' | 'node' | 'rule' | 'part'>;

function isJob(job: JobId, { round, attempt, node, rule, part }: JobId): boolean {
  const isOfTurn = job.round === round && job.attempt === attempt;
  return isOfTurn && job.node === node && job.rule === rule && job.part === part;
}

interface Performing {
  readonly state: State;
  readonly read: State;
  readonly scene: Scene;
}

/** Everything is looked at again right before it is written. */
function performed(action: TurnAction, { state, read, scene }: Performing): State {
  const node = state.nodes[action.node];
  switch (action.kind) {
    case 'create-job': {
      const { turn, rule, part } = action;
      const id = { round: turn.round, attempt: turn.attempt, node: action.node, rule: rule.id, part };
      const isThere = state.jobs.some((job) => isJob(job, id) && job.state !== 'deleted');
      if (isThere) return state;
      const job: WorldJob = { ...id, state: 'running', since: state.at, isLeft: false };
      return { ...state, jobs: [...state.jobs, job], wrong: [...state.wrong, ...wrongJob(job, state, read)] };
    }
    case 'let-go':
      return letGo(action, { state, read, scene });
    case 'cordon-again':
      return node === undefined ? state : withNode(state, action.node, { ...node, cordoned: true });
    default:
      return action satisfies never;
  }
}

function letGo(
  { node: name, turn }: Extract<TurnAction, { readonly kind: 'let-go' }>,
  { state, read, scene }: Performing,
): State {
  const { plan } = scene;
  const node = state.nodes[name];
  const pool = state.pools[turn.pool];
  if (node === undefined || pool === undefined || node.pool !== turn.pool) return state;
  const isAlone = pool.record.holds.every(({ id }) => runOfHold(id) === plan.name) && pool.record.holds.length > 0;
  if (!pool.paused || pool.record.pause !== 'ours' || !isAlone) return state;
  const fresh = shownNode(name, node, plan);
  if (!mayGo(fresh, turn, configOf(turn.pool, pool.target)) || whyStays(fresh, plan, turn) !== undefined) return state;
  const wrong = wrongGoing(name, turn, { state, read, scene });
  const gone = withNode(state, name, { ...node, wants: pool.target, isLetGo: true });
  return { ...gone, wrong: [...gone.wrong, ...wrong] };
}

/** No pool goes while one of its nodes has its turn, or is to have it. */
function wrongResume(name: string, { record, nodes, pools }: State): readonly string[] {
  const open = Object.entries(record.turns).filter(([, turn]) => turn.pool === name && !isOver(turn));
  const target = pools[name]?.target;
  const left = Object.entries(nodes).filter(([, node]) => node.pool === name && node.wants !== target);
  const hasEnded = record.aborted !== undefined || pools[name]?.record.holds.some(isOfRun) !== true;
  return [
    ...open.map(([node]) => `${name} resumes while ${node} has its turn`),
    ...(hasEnded ? [] : left.map(([node]) => `${name} resumes before ${node} had its turn`)),
  ];
}

function isOfRun({ id, overruled }: { readonly id: string; readonly overruled?: unknown }): boolean {
  return runOfHold(id) !== undefined && overruled === undefined;
}

interface Judging {
  readonly read: State;
  readonly pools: readonly RunPool[];
  readonly scene: Scene;
}

/** What is wrong with the turns that begin. */
function wrongTurns(record: RunRecord, { read, pools, scene }: Judging): readonly string[] {
  const { turns: known, aborted, paused } = read.record;
  const open = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  const begun = open.filter(([name, turn]) => known[name]?.round !== turn.round);
  const { atOnce } = scene.plan.run;
  return [
    ...(open.length > atOnce && begun.length > 0 ? [`${open.length} nodes have their turn at once`] : []),
    ...begun.flatMap(([name]) => {
      const because = [
        ...(aborted === undefined ? [] : ['the run is aborted']),
        ...(paused === undefined ? [] : ['the run is paused']),
        ...pools
          .filter(({ isPaused, isResumed, name: pool }) => !isPaused && !(isResumed === true && isDone(pool, read)))
          .map((pool) => `pool ${pool.name} is not paused`),
        ...(isFrozen(read.nodes[name]?.pool ?? '', read) ? ['its pool is frozen'] : []),
        ...whyOthers(read.nodes[name], scene),
        ...whoFirst(name, read, scene),
      ];
      return because.map((why) => `${name} begins its turn though ${why}`);
    }),
  ];
}

/** Why the node is not the run's to take. */
function whyOthers(node: WorldNode | undefined, { plan }: Scene): readonly string[] {
  if (node === undefined) return ['it is not there'];
  return [
    ...(node.isCordonWanted && plan.run.cordoned === 'hold' ? ['somebody cordoned it'] : []),
    ...(node.isKept ? ['somebody keeps it'] : []),
    ...(node.wants === node.has ? [] : ['somebody else let it go']),
  ];
}

/** Who is to go before the node. */
function whoFirst(name: string, state: State, scene: Scene): readonly string[] {
  const { plan } = scene;
  const own = state.nodes[name]?.pool ?? '';
  const isCanary = (node: string) => plan.run.canaryNodes.includes(node);
  const canaries = isCanary(name)
    ? []
    : Object.entries(state.nodes).filter(
        ([node, { pool }]) => isCanary(node) && !isBefore(own, pool, scene) && !isThere(node, state),
      );
  const lower = plan.pools.filter((pool) => isBefore(pool, own, scene) && !isDone(pool, state));
  // A node that is cordoned already takes no place.
  const isOneByOne = plan.run.atOnce === 1 && plan.run.cordoned === 'hold';
  const earlier = plan.pools
    .slice(0, plan.pools.indexOf(own))
    .flatMap((pool) => membersOf(pool, state))
    .filter(([node]) => !isCanary(name) && isOneByOne && isFree(node, state, scene));
  return [
    ...canaries.map(([node]) => `canary node ${node} is to go first`),
    ...lower.map((pool) => `pool ${pool} is to be done first`),
    ...(canaries.length + lower.length > 0 ? [] : earlier.map(([node]) => `${node} is of an earlier pool`)),
  ];
}

function isThere(name: string, { nodes, pools }: State): boolean {
  const node = nodes[name];
  const target = pools[node?.pool ?? '']?.target;
  return node !== undefined && node.has === target && node.wants === target && node.state === 'Done';
}

function isDone(pool: string, state: State): boolean {
  return membersOf(pool, state).every(([name]) => isThere(name, state));
}

/** It could have its turn now. */
function isFree(name: string, state: State, scene: Scene): boolean {
  const node = state.nodes[name];
  if (node === undefined || isThere(name, state) || node.state !== 'Done' || node.cordoned) return false;
  const turn = state.record.turns[name];
  const isLeft = turn?.step === 'skipped' && !hasGivenWay(turn);
  const isWaiting = scene.plan.pools.some((pool) => isBefore(pool, node.pool, scene) && !isDone(pool, state));
  const hasNoTurn = turn === undefined || isOver(turn);
  return hasNoTurn && !isLeft && !isWaiting && !isFrozen(node.pool, state) && whyOthers(node, scene).length === 0;
}

/** What is wrong with a Job that is made. */
function wrongJob({ node, rule, part, round }: WorldJob, { jobs }: State, { record }: State): readonly string[] {
  const own = jobs.filter((job) => job.node === node);
  const ofRule = own.filter((job) => job.rule === rule);
  const last = ofRule.at(-1);
  const isRepeat =
    part === 'before'
      ? last?.part === 'before' && last.state === 'complete' && !last.isLeft
      : ofRule.some((job) => job.part === 'after' && job.round === round && job.state === 'complete');
  return [
    ...own
      .filter(({ state }) => state === 'running')
      .map((job) => `${node} has two Jobs at once: ${job.part}, ${part}`),
    ...(isRepeat ? [`the Job ${part} of ${node}, which succeeded, is repeated`] : []),
    ...(part === 'before' && record.aborted !== undefined
      ? [`a Job begins for ${node} though the run is aborted`]
      : []),
  ];
}

/** What is wrong with a node that is let go. */
function wrongGoing(name: string, turn: Turn, { state, read, scene }: Performing): readonly string[] {
  const { plan } = scene;
  const { run, rules } = plan;
  const most = run.unavailableAtMost ?? run.atOnce;
  const others = (at: State) => Object.entries(at.nodes).filter(([node]) => node !== name);
  const away = others(state).filter(([, { isLetGo }]) => isLetGo);
  const out = others(read).filter(([, node]) => node.cordoned || node.wants !== node.has || node.state !== 'Done');
  const unready = rules.filter(
    ({ id, rule }) =>
      !state.jobs.some(
        (job) =>
          job.node === name &&
          job.rule === id &&
          job.round === turn.round &&
          job.part === 'before' &&
          (job.state === 'complete' || (job.state === 'failed' && rule.onFailure === 'ignore')),
      ),
  );
  const lower = plan.pools.filter((pool) => isBefore(pool, turn.pool, scene) && !isDone(pool, read));
  const because = [
    ...(away.length >= most || out.length >= most ? ['too many others are away'] : []),
    ...unready.map(({ id }) => `its Job of ${id} has not succeeded`),
    ...lower.map((pool) => `pool ${pool} is to be done first`),
    ...(isFrozen(turn.pool, read) ? ['its pool is frozen'] : []),
    ...(read.record.aborted === undefined ? [] : ['the run is aborted']),
    ...(read.record.paused === undefined ? [] : ['the run is paused']),
    ...whyOthers(state.nodes[name], scene),
  ];
  return because.map((why) => `${name} is let go though ${why}`);
}

/** What has failed is told with the name of the node. */
function untold({ turns }: RunRecord, told: readonly RunProblem[], { nodes }: State): readonly string[] {
  return Object.entries(turns).flatMap(([name, turn]) => {
    const isBroken = turn.step === 'gone' && nodes[name]?.state === 'Degraded';
    if (turn.failed === undefined && !isBroken) return [];
    const isTold = told.some(({ node }) => node === name);
    return isTold ? [] : [`nobody is told that ${name} has failed`];
  });
}

/** Every pool goes, and has its newest config. */
export function isSettled({ pools, nodes, jobs }: State): boolean {
  const isLeft = Object.entries(nodes).some(([, { pool, has, wants, state }]) => {
    const target = pools[pool]?.target;
    return has !== target || wants !== target || state !== 'Done';
  });
  return (
    !isLeft && Object.values(pools).every(({ paused }) => !paused) && jobs.every(({ state }) => state !== 'running')
  );
}

type Minute = (state: State) => State;

/** Jobs end well and nodes come back, minute after minute, until nothing changes any more in hours.
 *  @param people what they do in each minute */
function ended(
  before: State,
  scene: Scene,
  { people, isKnown }: { people: Minute; isKnown: (state: State) => boolean },
) {
  let state = looked(before, scene);
  let isLate = false;
  for (let nth = 0; nth < 120 && !(isSettled(state) && isLate); nth += 1) {
    if (isKnown(state)) return undefined;
    const shown = { ...(isLate ? afterHours(state, scene) : state), at: state.at + (isLate ? 2 * hour : minute) };
    const read = confirmed(byThemselves(people(shown)));
    const after = pass({ read, now: read }, scene);
    const isQuiet =
      after.pools === state.pools &&
      after.nodes === state.nodes &&
      after.jobs === state.jobs &&
      after.record === state.record;
    if (isQuiet && isLate) return after;
    isLate = isQuiet;
    state = after;
  }
  return state;
}

function byThemselves(before: State): State {
  let state = before;
  for (const name of Object.keys(state.nodes)) {
    if (isPossible({ did: 'succeed', of: name }, state)) state = happenedTo('succeed', name, state);
    if (isPossible({ did: 'update', of: name }, state)) state = happenedTo('update', name, state);
  }
  // A Job may run for a node that has left.
  for (const { node, state: is } of state.jobs) if (is === 'running') state = happenedTo('succeed', node, state);
  return state;
}

/** Whatever people could do is done: the state once nothing changes any more. Undefined: it comes to a known one. */
export function settle(last: State, scene: Scene, isKnown: (state: State) => boolean = () => false): State | undefined {
  const step = (state: State, did: Act['did'], of?: string) =>
    isPossible({ did, of }, state) ? happened({ did, of }, { ...state, at: state.at + 1000 }, scene) : state;
  const people = (before: State) => {
    let state = step(before, 'go on');
    for (const pool of Object.keys(state.pools)) state = step(state, 'thaw', pool);
    for (const node of new Set([...Object.keys(state.nodes), ...Object.keys(state.record.turns)]))
      for (const did of ['uncordon', 'free', 'mend', 'retry'] as const) state = step(state, did, node);
    return state;
  };
  return ended(last, scene, { people, isKnown });
}

/** Nobody does anything more. */
export function leave(last: State, scene: Scene, isKnown: (state: State) => boolean = () => false): State | undefined {
  return ended(last, scene, { people: (state) => state, isKnown });
}

/** That it waits for ever, though nobody is told and nobody has stopped it. */
export function waitsUntold(state: State): readonly string[] {
  const { record, pools, nodes, told } = state;
  if (isSettled(state) || told.length > 0 || record.paused !== undefined) return [];
  const isStopped =
    Object.keys(pools).some((pool) => isFrozen(pool, state)) ||
    Object.values(nodes).some((node) => node.isCordonWanted || node.isKept || node.state === 'Degraded');
  return isStopped ? [] : ['it waits for ever, and nobody is told'];
}

/** What is not as it was, once the run has nothing more to do. */
export function leftOver(state: State, { plan }: Scene): readonly string[] {
  const { record, pools, nodes, jobs } = state;
  const over = Object.values(record.turns).every(isOver);
  const cordons = Object.entries(nodes).filter(
    ([, { cordoned, isCordonWanted, state: is, wants, has }]) =>
      is === 'Done' && wants === has && cordoned !== isCordonWanted,
  );
  const begun = jobs.filter(({ part, isLeft }) => part === 'before' && !isLeft);
  const dirty = begun.filter(
    ({ node, rule, round }) =>
      !jobs.some((job) => job.part === 'after' && job.node === node && job.rule === rule && job.round === round),
  );
  const held = Object.entries(pools).filter(([, pool]) =>
    pool.record.holds.some(({ id }) => runOfHold(id) === plan.name),
  );
  const hasEnded = record.aborted !== undefined && record.endedAt !== undefined;
  return [
    ...(record.aborted !== undefined && record.endedAt === undefined ? ['the aborted run has not ended'] : []),
    ...(hasEnded ? held.map(([pool]) => `${pool} is still held by the aborted run`) : []),
    ...(over ? cordons.map(([node]) => `${node} is not cordoned as people want it`) : []),
    ...(over ? dirty.map(({ node }) => `what the Job of ${node} did is not cleaned up`) : []),
  ];
}

/** Of Argo CD's and Kubernetes' clocks, which count whole seconds. */
function second(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
