import { runOfHold } from '../openshift/hold.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { holdOfRun, holdsOf, standingHoldsOf } from '../openshift/pool-record.ts';
import { byName } from '../text/by-name.ts';
import { listed, quoted } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { asInPool } from './canary-nodes.ts';
import type { FoundCanary } from './canary-state.ts';
import { isOfOwnGate } from './run-gates.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunProblem } from './run-question.ts';
import { isBetweenTurns, isOver, isTakenOut, type RunRecord } from './run-record.ts';
import { isAt, type TurnNode } from './turn-node.ts';

/** What a run wants of a pool. */
export interface PoolRollout {
  readonly run: string;
  /** `hold`: it stays paused for as long as that is so. `let go`: the hold ends, if there is one. */
  readonly wants: 'hold' | 'let go';
  /** In words, for the hold or for its end. */
  readonly why: string;
  /** The namespace of its record, which the hold names; undefined: that record is to be written first. */
  readonly recordIn?: string | undefined;
  /** The pool that its nodes move to, which the hold names; absent: they stay in theirs. */
  readonly canary?: string | undefined;
  /** With `canary`: the rendered config at which all its nodes are, as the hold notes; absent: not all are. */
  readonly reached?: string | undefined;
  /** Why another run, which holds it, gives it to this one, in words; absent: none does. */
  readonly given?: string | undefined;
}

export interface RolloutQuestion {
  /** The runs of the cluster, in the order of the configuration. */
  readonly plans: readonly RunPlan[];
  readonly pools: readonly Pool[];
  /** Of the runs that may be active; `unseen`: it could not be read. */
  readonly records: ReadonlyMap<string, RunRecord | 'unseen'>;
  /** The version of the cluster is being updated, which will change the pools; `unseen`: not known. */
  readonly update: 'under way' | 'none' | 'unseen';
  /** Runs whose record was found where it is kept. */
  readonly stored?: ReadonlySet<string> | undefined;
  /** Why a run is carried out on none of its pools, by run: it begins to hold nothing. */
  readonly refused?: ReadonlyMap<string, string> | undefined;
  /** As they are now, read once a run would let go: a node may have joined since its pools were done. Absent: not
   *  read yet. */
  readonly nodes?: readonly TurnNode[] | 'unseen' | undefined;
}

/** Runs that hold pools, with the namespace of their record as the hold names it, each once. */
export function runsHolding(
  pools: readonly Pool[],
): readonly { readonly run: string; readonly recordIn: string | undefined; readonly since: string }[] {
  const all = pools.flatMap(holdsOf).flatMap(({ id, recordIn, since }) => {
    const run = runOfHold(id);
    return run === undefined ? [] : [[run, { run, recordIn, since }] as const];
  });
  return [...new Map(all).values()];
}

/** Runs that a look at the pools alone finds at work: their records are read. */
export function runsAtWork(plans: readonly RunPlan[], pools: readonly Pool[]): readonly RunPlan[] {
  return plans.filter(
    (plan) => poolsOf(plan, pools).some(hasPendingChange) || pools.some((pool) => isHeldBy(pool, plan.name)),
  );
}

/** Which run holds which pool. One pool has one run: another that names it waits for that one to end. */
export function rolloutsOf(question: RolloutQuestion): ReadonlyMap<string, PoolRollout> {
  const rollouts = new Map<string, PoolRollout>(question.plans.flatMap((plan) => formerPools(plan, question)));
  for (const plan of question.plans) {
    const own = poolsOf(plan, question.pools);
    const wants = wantsOf(plan, own, question);
    if (wants === undefined) continue;
    for (const pool of own) {
      const holder = holderOf(pool, question.plans);
      const isOthers = rollouts.has(pool.name) || (holder !== undefined && holder !== plan.name);
      const recordIn = isHeldBy(pool, plan.name) && question.stored?.has(plan.name) !== true ? {} : placeOf(plan);
      if (!isOthers)
        rollouts.set(pool.name, { run: plan.name, ...wants, ...recordIn, ...marksOf(plan, pool, question) });
    }
  }
  return withPoolsGiven(withPoolsHandedOn(rollouts, question), question);
}

/** A pool that one run lets go and another waits for changes hands in one write: between the two the MCO would take
 *  its nodes without the Jobs of either. */
function withPoolsHandedOn(
  rollouts: ReadonlyMap<string, PoolRollout>,
  question: RolloutQuestion,
): ReadonlyMap<string, PoolRollout> {
  // Its own run takes it on where a node has joined.
  if (question.nodes === undefined) return rollouts;
  const mayTake = (plan: RunPlan) => {
    const record = question.records.get(plan.name);
    const isKnown = record !== undefined && record !== 'unseen' && record.aborted === undefined;
    return isKnown && wantsOf(plan, poolsOf(plan, question.pools), question)?.wants === 'hold';
  };
  const takers = question.plans.filter(mayTake);
  const entries = [...rollouts].map(([pool, rollout]): readonly [string, PoolRollout] => {
    const taker = takers.find(({ name, pools }) => name !== rollout.run && pools.includes(pool));
    if (rollout.wants === 'hold' || taker === undefined) return [pool, rollout];
    return [pool, { run: taker.name, wants: 'hold', why: whyHeld(taker), ...placeOf(taker), given: rollout.why }];
  });
  return new Map(entries);
}

/** Runs over the same pools may come to wait for each other, two or more in a circle, as where one let go of some of
 *  them and a write to the others was lost. Then a later one in the configuration gives an earlier one what both name.
 *  The holds change in one write: no such pool resumes. */
function withPoolsGiven(
  rollouts: ReadonlyMap<string, PoolRollout>,
  question: RolloutQuestion,
): ReadonlyMap<string, PoolRollout> {
  const after = new Map(rollouts);
  for (const [index, taker] of question.plans.entries())
    for (const giver of question.plans.slice(index + 1)) {
      const theirs = poolsHeldBy(giver, taker, after);
      const isCircle = theirs.length > 0 && isWaitingFor(taker, giver, { plans: question.plans, rollouts: after });
      if (!isCircle || !isUnderWay(taker, question) || !mayGive(giver, question)) continue;
      const given = `run ${giver.name} and run ${taker.name} waited for each other: run ${taker.name} has the pool first`;
      for (const pool of theirs)
        after.set(pool, { run: taker.name, wants: 'hold', why: whyHeld(taker), ...placeOf(taker), given });
    }
  return after;
}

interface Waiting {
  readonly plans: readonly RunPlan[];
  readonly rollouts: ReadonlyMap<string, PoolRollout>;
}

/** Whether `plan` waits for a pool of `holder`, or for one of a run that does. */
function isWaitingFor(holder: RunPlan, plan: RunPlan, { plans, rollouts }: Waiting): boolean {
  const reached = new Set([plan]);
  for (const each of reached)
    for (const other of plans) if (poolsHeldBy(other, each, rollouts).length > 0) reached.add(other);
  return reached.has(holder);
}

/** Pools that a run holds, and that another waits for. */
function poolsHeldBy({ name }: RunPlan, other: RunPlan, rollouts: ReadonlyMap<string, PoolRollout>): readonly string[] {
  const isHeld = (pool: string) => rollouts.get(pool)?.wants === 'hold';
  return poolsOfOthers(other, rollouts).flatMap(({ pool, run }) => (run === name && isHeld(pool) ? [pool] : []));
}

/** It does not end by itself, and can be carried out. */
function isUnderWay({ name }: RunPlan, { records, update, refused }: RolloutQuestion): boolean {
  const record = records.get(name);
  const isKnown = record !== undefined && record !== 'unseen' && record.aborted === undefined;
  return isKnown && update === 'none' && refused?.has(name) !== true;
}

/** Nothing that it has begun is left there, for all that its record says. */
function mayGive(plan: RunPlan, question: RolloutQuestion): boolean {
  const record = question.records.get(plan.name);
  if (record === undefined || record === 'unseen' || question.stored?.has(plan.name) !== true) return false;
  const isFree = record.canary === undefined && record.lost === undefined && isBetweenTurns(record);
  return isFree && record.aborted === undefined;
}

/** What people are told of a run that was aborted: that its own gate did it, until somebody starts it or no change is
 *  left; of an abort that somebody wished, and that has ended, changes that came since. */
export function abortProblems(
  plan: RunPlan,
  record: RunRecord,
  { pools, now }: { readonly pools: readonly Pool[]; readonly now: Date },
): readonly RunProblem[] {
  const { aborted, endedAt } = record;
  if (aborted === undefined || isTakenOut(aborted)) return [];
  const pending = poolsOf(plan, pools).filter(hasPendingChange);
  const changed = endedAt === undefined ? [] : pending.filter((pool) => isChangedSince(pool, record));
  const told = changed.length === 0 && isOfOwnGate(aborted) ? pending : changed;
  if (told.length === 0) return [];
  const what = told === changed ? `${poolNames(told)} changed since` : `The change of ${poolNames(told)} is not done`;
  const paused = told.filter((pool) => isPausedBeyond(pool, plan));
  const goes = told.filter((pool) => !paused.includes(pool));
  const nodes = paused.length === 0 ? 'those nodes' : `nodes of ${poolNames(goes)}`;
  const taken = goes.length === 0 ? '' : `, and the MCO takes ${nodes} without Jobs until somebody starts the run`;
  const kept = paused.length === 0 ? '' : `; ${poolNames(paused)} ${paused.length === 1 ? 'is' : 'are'} paused for now`;
  const start = poolkeeperCommand('run', 'start', plan.name);
  const by = `it was aborted by ${aborted.who} at ${aborted.at}: ${quoted(aborted.why)}`;
  const why = `${by}. ${what}${taken}${kept}: ${start}`;
  const since = told === changed ? now.toISOString() : aborted.at;
  return [{ kind: 'refused', node: '', since, why, isAborted: true }];
}

function poolNames(pools: readonly Pool[]): string {
  const names = pools.map(({ name }) => `pool ${name}`);
  return listed(names, 3);
}

/** By something else than the hold of this run, which ends with it. */
function isPausedBeyond(pool: Pool, { name }: RunPlan): boolean {
  const holds = standingHoldsOf(pool);
  return pool.paused && (holds.length === 0 || holds.some(({ id }) => runOfHold(id) !== name));
}

/** Its nodes go to something else now than they went to at the abort. */
function isChangedSince({ name, target }: Pool, { pools }: RunRecord): boolean {
  const known = pools[name]?.target;
  return known !== undefined && known !== target.name;
}

function whyHeld({ name }: RunPlan): string {
  return `run ${name} takes its nodes one by one`;
}

/** Pools that a run holds and that are none of its targets any more: no pool goes while one of its nodes has its
 *  turn. */
function formerPools(plan: RunPlan, { pools, records }: RolloutQuestion): readonly (readonly [string, PoolRollout])[] {
  const record = records.get(plan.name);
  const hasTurn = ({ name }: Pool) =>
    record === 'unseen' || Object.values(record?.turns ?? {}).some((turn) => turn.pool === name && !isOver(turn));
  const why = `run ${plan.name} ends a turn there`;
  return pools
    .filter((pool) => isHeldBy(pool, plan.name) && !plan.pools.includes(pool.name) && hasTurn(pool))
    .map(({ name }) => [name, { run: plan.name, wants: 'hold', why }]);
}

function placeOf(plan: RunPlan): Pick<PoolRollout, 'recordIn' | 'canary'> {
  return { recordIn: plan.recordNamespace, ...canaryOf(plan) };
}

function marksOf(plan: RunPlan, pool: Pool, { records }: RolloutQuestion): Pick<PoolRollout, 'canary' | 'reached'> {
  const marks = canaryOf(plan);
  const record = records.get(plan.name);
  const noted = record === 'unseen' ? undefined : record?.pools[pool.name];
  // Unseen: as it was.
  const reached = record === 'unseen' ? holdOfRun(pool, plan.name)?.reached : (noted?.reached ?? noted?.done);
  return marks.canary === undefined || reached === undefined ? marks : { ...marks, reached };
}

function canaryOf({ run: { mode, canary } }: RunPlan): Pick<PoolRollout, 'canary'> {
  return mode === 'canary' && canary !== undefined ? { canary: canary.name } : {};
}

/** No pool goes before the labels and selectors of its run are as they were, whatever became of the run. Where nobody
 *  can say what was written, what a run holds stays held. */
export function withCanaries(
  rollouts: ReadonlyMap<string, PoolRollout>,
  canaries: readonly FoundCanary[] | 'unseen',
  pools: readonly Pool[],
): ReadonlyMap<string, PoolRollout> {
  const found = canaries === 'unseen' ? [] : canaries;
  const isUnknown = canaries === 'unseen' || found.some(({ state }) => state === 'unreadable');
  const written = found.flatMap(({ state }) =>
    state === 'unreadable' ? [] : state.targets.map((name) => ({ name, run: state.run })),
  );
  const held = pools.flatMap((pool) =>
    holdsOf(pool).flatMap(({ id }) => {
      const run = runOfHold(id);
      return run === undefined ? [] : [{ name: pool.name, run }];
    }),
  );
  const kept = new Map(rollouts);
  for (const { name, run } of [...written, ...(isUnknown ? held : [])]) {
    const known = kept.get(name);
    const isGiven = known?.given !== undefined && known.run !== run;
    const isFree = known === undefined || (known.run === run && known.wants !== 'hold');
    const why = `run ${run} puts labels and selectors back`;
    if (isGiven) kept.set(name, { run, wants: 'hold', why });
    else if (isFree) kept.set(name, { ...known, run, wants: 'hold', why });
  }
  return kept;
}

/** Pools of a run that another run has now, with that run. */
export function poolsOfOthers(
  plan: RunPlan,
  rollouts: ReadonlyMap<string, PoolRollout>,
): readonly { readonly pool: string; readonly run: string }[] {
  return plan.pools.flatMap((pool) => {
    const rollout = rollouts.get(pool);
    return rollout === undefined || rollout.run === plan.name ? [] : [{ pool, run: rollout.run }];
  });
}

function poolsOf({ pools: names }: RunPlan, pools: readonly Pool[]): readonly Pool[] {
  return names.flatMap((name) => byName(pools, name) ?? []);
}

function isHeldBy(pool: Pool, run: string): boolean {
  return holdOfRun(pool, run) !== undefined;
}

/** The run that holds it already, if it is still configured for it. */
function holderOf(pool: Pool, plans: readonly RunPlan[]): string | undefined {
  const held = holdsOf(pool).flatMap(({ id }) => runOfHold(id) ?? []);
  return held.find((run) => plans.some(({ name, pools }) => name === run && pools.includes(pool.name)));
}

/** Undefined: it does not concern itself with its pools now. What is held stays held though it is refused: its nodes
 *  would go without their Jobs. */
function wantsOf(plan: RunPlan, own: readonly Pool[], question: RolloutQuestion): Wants | undefined {
  const isHeld = own.some((pool) => isHeldBy(pool, plan.name));
  return isHeld || question.refused?.has(plan.name) !== true ? wantsUnless(plan, own, question) : undefined;
}

type Wants = Omit<PoolRollout, 'run'>;

function wantsUnless(plan: RunPlan, own: readonly Pool[], question: RolloutQuestion): Wants | undefined {
  const { name } = plan;
  const { records, update } = question;
  const record = records.get(name);
  const isHeld = own.some((pool) => isHeldBy(pool, name));
  const hold = { wants: 'hold' as const, why: whyHeld(plan) };
  if (record === 'unseen') return isHeld || own.some(hasPendingChange) ? hold : undefined;
  if (record?.aborted !== undefined && record.endedAt !== undefined) {
    const why = `run ${name} was aborted by ${record.aborted.who}: ${record.aborted.why}`;
    return isHeld ? { wants: 'let go', why } : undefined;
  }
  // No pool goes while one of its nodes has its turn.
  if (isHeld && record !== undefined && !isBetweenTurns(record)) return hold;
  // A node that stays cordoned keeps the pool from being Updated for the MCO, and not for the run.
  const isOpen = own.some(
    (pool) => (isHeld || hasPendingChange(pool)) && record?.pools[pool.name]?.done !== pool.target.name,
  );
  if (isOpen || update === 'under way' || (isHeld && update === 'unseen')) return hold;
  return isHeld ? wantsWhenDone(plan, own, question) : undefined;
}

/** By its record: its nodes are looked at once more. */
function wantsWhenDone(plan: RunPlan, own: readonly Pool[], question: RolloutQuestion): Wants {
  if (hasNodesLeft(own, plan, question)) return { wants: 'hold', why: whyHeld(plan) };
  return { wants: 'let go', why: `run ${plan.name} is done: every node is at the target of its pool` };
}

/** In what it holds: the MCO would take them without their Jobs. */
function hasNodesLeft(own: readonly Pool[], plan: RunPlan, { nodes = [], records }: RolloutQuestion): boolean {
  const held = own.filter((pool) => isHeldBy(pool, plan.name));
  if (nodes === 'unseen') return held.length > 0;
  const record = records.get(plan.name);
  const canary = (record === 'unseen' ? undefined : record?.wasCanary) ?? plan.run.canary?.name;
  const isLeft = (node: TurnNode, { name, target }: Pool) =>
    node.pool === name && !isAt(asInPool(node, name, canary), target.name);
  return held.some((pool) => nodes.some((node) => isLeft(node, pool)));
}
