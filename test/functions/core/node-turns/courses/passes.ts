import { decide } from '../../../../../functions/core/holds/decide.ts';
import type { PoolPlan } from '../../../../../functions/core/holds/plan.ts';
import { judgeRun } from '../../../../../functions/core/node-turns/judge-run.ts';
import type { TurnAction } from '../../../../../functions/core/node-turns/judge-turn.ts';
import {
  abortProblems,
  type PoolRollout,
  rolloutsOf,
  runsAtWork,
} from '../../../../../functions/core/node-turns/pool-rollouts.ts';
import { isUnfinished, type RunRecord } from '../../../../../functions/core/node-turns/run-record.ts';
import { mayGo, whyStays } from '../../../../../functions/core/node-turns/turn-node.ts';
import { fieldManager, runOfHold } from '../../../../../functions/core/openshift/hold.ts';
import { configOf } from '../../gates/gated-fleet.ts';
import { authorOf, confirmed, withNode, withPool } from './changes.ts';
import { untold, wrongGoing, wrongJob, wrongResume, wrongTurns } from './forbidden.ts';
import { jobsShown, nodeShown, nodesShown, poolsShown, snapshotOf } from './readings.ts';
import { remembered } from './remembered.ts';
import { runPools } from './run-pools.ts';
import { isJob, isSame, type Pass, type Scene, type State, type WorldJob } from './state.ts';

/** Passes half a minute apart, until one finds nothing to do. */
export function looked(before: State, scene: Scene): State {
  let state = before;
  for (let nth = 0; nth < 12; nth += 1) {
    const shown = confirmed({ ...state, at: state.at + 30_000 });
    const after = pass({ read: shown, now: shown, scene });
    if (isSame(shown, after)) return after;
    state = after;
  }
  return { ...state, wrong: [...state.wrong, 'passes find something to do again and again'] };
}

/** One pass: it holds pools or lets them go, and takes the run as far as it may go.
 *  @param isCut it dies once it has stored the record */
export function pass({ read, now, scene }: Pass, isCut = false): State {
  const rollouts = rolloutsSeen(read, scene);
  const kept = keepPools({ read, now, scene }, rollouts);
  const isHeld = [...rollouts.values()].some(({ run, wants }) => run === scene.plan.name && wants === 'hold');
  return isHeld || isUnfinished(read.record) ? goOn(kept, isCut) : atRest(kept.now, scene);
}

type Rollouts = ReadonlyMap<string, PoolRollout>;

/** What the run wants of its pools. Nodes are read only where one is to be let go. */
function rolloutsSeen(read: State, scene: Scene): Rollouts {
  const { plan } = scene;
  const pools = poolsShown(read, scene);
  const isAtWork = runsAtWork([plan], pools).length > 0 || isUnfinished(read.record);
  const records = new Map(isAtWork ? [[plan.name, read.record]] : []);
  const question = { plans: [plan], pools, records, update: 'none' as const, stored: new Set([plan.name]) };
  const rollouts = rolloutsOf(question);
  const isLettingGo = [...rollouts.values()].some(({ wants }) => wants === 'let go');
  return isLettingGo ? rolloutsOf({ ...question, nodes: nodesShown(read, scene) }) : rollouts;
}

/** Pools are paused and resumed, and their holds written: what the rest of the pass goes on with. */
function keepPools({ read, now, scene }: Pass, rollouts: Rollouts): Pass {
  let kept: Pass = { read, now, scene };
  for (const { pool, action } of decide(snapshotOf(read, scene, { rollouts }), new Date(read.at))) {
    // Somebody was faster: the next pass decides again.
    const isOld = now.pools[pool.name] !== read.pools[pool.name];
    if (action.kind === 'none' || isOld) continue;
    const wrong = action.kind === 'resume' ? wrongResume(pool.name, read) : [];
    const after = written(kept.now, pool.name, action);
    kept = {
      read: written(kept.read, pool.name, action),
      now: { ...after, wrong: [...after.wrong, ...wrong] },
      scene,
    };
  }
  return kept;
}

function written(state: State, name: string, action: Exclude<PoolPlan['action'], { readonly kind: 'none' }>): State {
  const { kind, record } = action;
  const author = authorOf(fieldManager, state);
  const change =
    kind === 'record' ? { record } : { record, paused: kind === 'pause', pausedBy: author, isConfirmed: false };
  return withPool(state, name, (pool) => ({ ...pool, ...change }));
}

/** The run has nothing to do: at most its pools have changed since it was aborted. */
function atRest(state: State, scene: Scene): State {
  const { record, at } = state;
  return { ...state, told: abortProblems(scene.plan, record, { pools: poolsShown(state, scene), now: new Date(at) }) };
}

const texts = new WeakMap<RunRecord, string>();

function textOf(record: RunRecord): string {
  return remembered(texts, record, () => JSON.stringify(record));
}

function goOn({ read, now, scene }: Pass, isCut: boolean): State {
  const pools = runPools(read, scene);
  const { record, actions, problems } = judgeRun({
    plan: scene.plan,
    record: read.record,
    nodes: nodesShown(read, scene),
    pools,
    seen: jobsShown(read),
    controllers: new Set(),
    now: new Date(read.at),
  });
  const isChanged = JSON.stringify(record) !== textOf(read.record);
  // Somebody else has stored one: the next pass judges again.
  if (isChanged && now.record !== read.record) return now;
  const stored: State = {
    ...now,
    record: isChanged ? record : now.record,
    wrong: [...now.wrong, ...wrongTurns(record, pools, { read, scene })],
  };
  if (isCut) return stored;
  const done = actions.reduce((state, action) => performed(action, { read, now: state, scene }), stored);
  return { ...done, told: problems, wrong: [...done.wrong, ...untold(record, problems, read)] };
}

/** Everything is looked at again right before it is written. */
function performed(action: TurnAction, { read, now, scene }: Pass): State {
  const node = now.nodes[action.node];
  switch (action.kind) {
    case 'create-job':
      return withJob(action, { read, now, scene });
    case 'let-go':
      return letGo(action, { read, now, scene });
    case 'cordon-again':
      return node === undefined ? now : withNode(now, action.node, { ...node, cordoned: true });
    default:
      return action satisfies never;
  }
}

type Doing<Kind extends TurnAction['kind']> = Extract<TurnAction, { readonly kind: Kind }>;

function withJob({ node, turn, rule, part }: Doing<'create-job'>, { read, now, scene }: Pass): State {
  const id = { round: turn.round, attempt: turn.attempt, node, rule: rule.id, part };
  if (now.jobs.some((job) => isJob(job, id) && job.state !== 'deleted')) return now;
  const job: WorldJob = { ...id, state: 'running', since: now.at, isLeft: false };
  return { ...now, jobs: [...now.jobs, job], wrong: [...now.wrong, ...wrongJob(job, { read, now, scene })] };
}

function letGo({ node: name, turn }: Doing<'let-go'>, { read, now, scene }: Pass): State {
  const { plan } = scene;
  const node = now.nodes[name];
  const pool = now.pools[turn.pool];
  if (node === undefined || pool === undefined || node.pool !== turn.pool) return now;
  const { holds, pause } = pool.record;
  const isHeldByRun = holds.length > 0 && holds.every(({ id }) => runOfHold(id) === plan.name);
  if (!pool.paused || pause !== 'ours' || !isHeldByRun) return now;
  const fresh = nodeShown(name, node, plan);
  if (!mayGo(fresh, turn, configOf(turn.pool, pool.target)) || whyStays(fresh, plan, turn) !== undefined) return now;
  const wrong = wrongGoing(name, turn, { read, now, scene });
  const gone = withNode(now, name, { ...node, wants: pool.target, isLetGo: true });
  return { ...gone, wrong: [...gone.wrong, ...wrong] };
}
