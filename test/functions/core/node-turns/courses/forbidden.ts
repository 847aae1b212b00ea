import { canaryProblems } from '../../../../../functions/core/node-turns/canary-watch.ts';
import type { RunPool, RunProblem } from '../../../../../functions/core/node-turns/run-question.ts';
import { hasGivenWay, isOver, type RunRecord, type Turn } from '../../../../../functions/core/node-turns/run-record.ts';
import { runOfHold } from '../../../../../functions/core/openshift/hold.ts';
import { configOf } from '../../gates/gated-fleet.ts';
import {
  deadlineOf,
  isBefore,
  isDone,
  isFrozen,
  isUpdated,
  membersOf,
  type Pass,
  type Scene,
  type State,
  type WorldJob,
  type WorldNode,
} from './state.ts';

/** No pool goes while one of its nodes has its turn, or is to have it. */
export function wrongResume(name: string, state: State): readonly string[] {
  const { record, pools } = state;
  const pool = pools[name];
  const open = Object.entries(record.turns).filter(([, turn]) => turn.pool === name && !isOver(turn));
  const left = membersOf(name, state).filter(([, { wants }]) => wants !== pool?.target);
  const isHeld = pool?.record.holds.some(({ id, overruled }) => runOfHold(id) !== undefined && overruled === undefined);
  const isRunning = record.aborted === undefined && isHeld === true;
  return [
    ...open.map(([node]) => `${name} resumes while ${node} has its turn`),
    ...(isRunning ? left.map(([node]) => `${name} resumes before ${node} had its turn`) : []),
  ];
}

/** What is wrong with the turns that begin. */
export function wrongTurns(
  record: RunRecord,
  pools: readonly RunPool[],
  { read, scene }: Pick<Pass, 'read' | 'scene'>,
): readonly string[] {
  const open = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  const begun = open.filter(([name, turn]) => read.record.turns[name]?.round !== turn.round);
  const isTooMany = open.length > scene.plan.run.atOnce && begun.length > 0;
  const unpaused = pools.filter((pool) => !pool.isPaused && !(pool.isResumed === true && isDone(pool.name, read)));
  return [
    ...(isTooMany ? [`${open.length} nodes have their turn at once`] : []),
    ...begun.flatMap(([name]) =>
      [
        ...whyStopped(read.nodes[name]?.pool ?? '', read),
        ...unpaused.map((pool) => `pool ${pool.name} is not paused`),
        ...whyOthers(read.nodes[name], scene),
        ...whoFirst(name, read, scene),
      ].map((why) => `${name} begins its turn though ${why}`),
    ),
  ];
}

/** What is wrong with a Job that is made. */
export function wrongJob({ node, rule, part, round }: WorldJob, { read, now, scene }: Pass): readonly string[] {
  const { jobs, at } = now;
  const { record } = read;
  const own = jobs.filter((job) => job.node === node);
  const ofRule = own.filter((job) => job.rule === rule);
  const last = ofRule.at(-1);
  const isRepeat =
    part === 'before'
      ? last?.part === 'before' && last.state === 'complete' && !last.isLeft
      : ofRule.some((job) => job.part === 'after' && job.round === round && job.state === 'complete');
  const running = own.filter(
    (job) => job.state === 'running' || (job.state === 'hangs' && at < deadlineOf(job, scene)),
  );
  const isAborted = part === 'before' && record.aborted !== undefined;
  return [
    ...running.map((job) => `${node} has two Jobs at once: ${job.part}, ${part}`),
    ...(isRepeat ? [`the Job ${part} of ${node}, which succeeded, is repeated`] : []),
    ...(isAborted ? [`a Job begins for ${node} though the run is aborted`] : []),
  ];
}

/** What is wrong with a node that is let go. */
export function wrongGoing(name: string, turn: Turn, { read, now, scene }: Pass): readonly string[] {
  const { run, rules, pools } = scene.plan;
  const most = run.unavailableAtMost ?? run.atOnce;
  const othersIn = ({ nodes }: State) => Object.entries(nodes).filter(([node]) => node !== name);
  const letGo = othersIn(now).filter(([, { isLetGo }]) => isLetGo);
  const away = othersIn(read).filter(([, node]) => isAway(node));
  // What has begun for a config that its pool has still goes on.
  const begun = read.record.turns[name];
  const isMoved = begun !== undefined && begun.target !== turn.target;
  const ready = now.jobs.filter((job) => job.node === name && job.round === turn.round && job.part === 'before');
  const unready = rules.filter(
    ({ id, rule }) =>
      !ready.some(
        (job) =>
          job.rule === id && (job.state === 'complete' || (job.state === 'failed' && rule.onFailure === 'ignore')),
      ),
  );
  return [
    ...(letGo.length >= most || away.length >= most ? ['too many others are away'] : []),
    ...unready.map(({ id }) => `its Job of ${id} has not succeeded`),
    ...(isMoved ? canariesBefore(name, turn.pool, read, scene) : []),
    ...pools
      .filter((pool) => isBefore(pool, turn.pool, scene) && !isDone(pool, read))
      .map((pool) => `pool ${pool} is to be done first`),
    ...whyStopped(turn.pool, read),
    ...whyOthers(now.nodes[name], scene),
  ].map((why) => `${name} is let go though ${why}`);
}

/** What has failed is told with the name of the node. */
export function untold({ turns }: RunRecord, told: readonly RunProblem[], { nodes }: State): readonly string[] {
  return Object.entries(turns)
    .filter(([name, turn]) => {
      const isBroken = turn.step === 'gone' && nodes[name]?.state === 'Degraded';
      return (turn.failed !== undefined || isBroken) && !told.some(({ node }) => node === name);
    })
    .map(([name]) => `nobody is told that ${name} has failed`);
}

/** Why a person wants no node of the pool to go on. */
function whyStopped(pool: string, state: State): readonly string[] {
  const { aborted, paused } = state.record;
  return [
    ...(aborted === undefined ? [] : ['the run is aborted']),
    ...(paused === undefined ? [] : ['the run is paused']),
    ...(isFrozen(pool, state) ? ['its pool is frozen'] : []),
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

/** Who is to go before the node: canary nodes, lower pools, and then those of the pools that are named earlier. */
function whoFirst(name: string, state: State, scene: Scene): readonly string[] {
  const { pools, run } = scene.plan;
  const own = state.nodes[name]?.pool ?? '';
  const because = [
    ...canariesBefore(name, own, state, scene),
    ...pools
      .filter((pool) => isBefore(pool, own, scene) && !isDone(pool, state))
      .map((pool) => `pool ${pool} is to be done first`),
  ];
  // A node that is cordoned already takes no place.
  const isOneByOne = run.atOnce === 1 && run.cordoned === 'hold';
  if (because.length > 0 || run.canaryNodes.includes(name) || !isOneByOne) return because;
  return pools
    .slice(0, pools.indexOf(own))
    .flatMap((pool) => membersOf(pool, state))
    .filter(([other, node]) => isFree(other, node, state, scene))
    .map(([other]) => `${other} is of an earlier pool`);
}

/** Canary nodes that are to have their config before the node, which is of that pool, has its own. */
function canariesBefore(name: string, pool: string, state: State, scene: Scene): readonly string[] {
  const { canaryNodes } = scene.plan.run;
  if (canaryNodes.includes(name)) return [];
  const gone = canaryProblems(state.record, new Date(state.at)).map(
    ({ node }) => `canary node ${node} is gone or not well`,
  );
  const open = Object.entries(state.nodes)
    .filter(([other, node]) => canaryNodes.includes(other) && !isBefore(pool, node.pool, scene))
    .filter(([other, node]) => !isUpdated(node, state) && !isGoneOnWithout(other, state))
    .map(([node]) => `canary node ${node} is to go first`);
  return [...gone, ...open];
}

/** Somebody has said `go-on` when it was not well, and nothing was rendered since. */
function isGoneOnWithout(name: string, { nodes, pools, record }: State): boolean {
  const { pool = '' } = nodes[name] ?? {};
  const { passed, target } = record.canaries?.[name] ?? {};
  return passed === true && target === configOf(pool, pools[pool]?.target ?? 0);
}

/** It is unavailable. */
function isAway({ cordoned, wants, has, state, isSilent }: WorldNode): boolean {
  return cordoned || wants !== has || state !== 'Done' || isSilent;
}

/** It could have its turn now. */
function isFree(name: string, node: WorldNode, state: State, scene: Scene): boolean {
  if (isUpdated(node, state) || node.state !== 'Done' || node.cordoned || node.isSilent) return false;
  const turn = state.record.turns[name];
  const isLeft = turn?.step === 'skipped' && !hasGivenWay(turn);
  const isWaiting = scene.plan.pools.some((pool) => isBefore(pool, node.pool, scene) && !isDone(pool, state));
  const hasNoTurn = turn === undefined || isOver(turn);
  return hasNoTurn && !isLeft && !isWaiting && !isFrozen(node.pool, state) && whyOthers(node, scene).length === 0;
}
