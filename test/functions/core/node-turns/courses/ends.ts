import { isOpenTurn, isOver } from '../../../../../functions/core/node-turns/run-record.ts';
import { runOfHold } from '../../../../../functions/core/openshift/hold.ts';
import { type Act, happened, isPossible } from './acts.ts';
import { afterHours, confirmed } from './changes.ts';
import { looked, pass } from './passes.ts';
import { remembered } from './remembered.ts';
import { isFrozen, isSame, isUpdated, minute, type Scene, type State } from './state.ts';

/** How a state ends. Undefined: as a known one. */
export type End = (last: State, scene: Scene, isKnown: (state: State) => boolean) => State | undefined;

/** Whatever people could do is done. */
export const settle: End = (last, scene, isKnown) =>
  ended(last, scene, { people: (state) => helped(state, scene), isKnown });

/** Nobody does anything more. */
export const leave: End = (last, scene, isKnown) => ended(last, scene, { people: (state) => state, isKnown });

interface Ending {
  /** What they do in each minute. */
  readonly people: (state: State) => State;
  readonly isKnown: (state: State) => boolean;
}

/** Each state once it was looked at: both ends begin with it. */
const lookedAt = new WeakMap<State, State>();

/** Jobs end well and nodes come back, minute after minute, until nothing changes any more in hours. */
function ended(before: State, scene: Scene, { people, isKnown }: Ending): State | undefined {
  let state = remembered(lookedAt, before, () => looked(before, scene));
  let isQuiet = false;
  for (let nth = 0; nth < 120 && !(isSettled(state) && isQuiet); nth += 1) {
    if (isKnown(state)) return undefined;
    const later = isQuiet ? afterHours(state, scene) : { ...state, at: state.at + minute };
    const read = confirmed(byThemselves(people(later), scene));
    const after = pass({ read, now: read, scene });
    const isUnchanged = isSame(after, state);
    if (isUnchanged && isQuiet) return after;
    isQuiet = isUnchanged;
    state = after;
  }
  return state;
}

function helped(before: State, scene: Scene): State {
  const nodes = [...new Set([...Object.keys(before.nodes), ...Object.keys(before.record.turns)])];
  const acts: readonly Act[] = [
    { did: 'go on' },
    ...Object.keys(before.pools).map((of): Act => ({ did: 'thaw', of })),
    ...nodes.flatMap((of) => (['uncordon', 'free', 'mend', 'wake', 'retry'] as const).map((did): Act => ({ did, of }))),
  ];
  let state = before;
  for (const act of acts) if (isPossible(act, state)) state = happened(act, { ...state, at: state.at + 1000 }, scene);
  return state;
}

function byThemselves(before: State, scene: Scene): State {
  // A Job may run for a node that has left.
  const nodes = [...new Set([...Object.keys(before.nodes), ...before.jobs.map(({ node }) => node)])];
  const acts = nodes.flatMap((of) => (['succeed', 'update'] as const).map((did): Act => ({ did, of })));
  let state = before;
  for (const act of acts) if (isPossible(act, state)) state = happened(act, state, scene);
  return state;
}

/** Every pool goes, and has its newest config. */
export function isSettled(state: State): boolean {
  const isLeft = Object.values(state.nodes).some((node) => !isUpdated(node, state));
  const isPaused = Object.values(state.pools).some(({ paused }) => paused);
  return !isLeft && !isPaused && state.jobs.every((job) => job.state !== 'running');
}

/** That it waits for ever, though nobody is told and nobody has stopped it. */
export function waitsUntold(state: State, { plan }: Scene): readonly string[] {
  const { record, pools, nodes, told } = state;
  if (isSettled(state) || told.length > 0 || record.paused !== undefined) return [];
  const isStopped =
    Object.keys(pools).some((pool) => isFrozen(pool, state)) ||
    Object.values(nodes).some((node) => node.isCordonWanted || node.isKept || node.state === 'Degraded') ||
    // The pause is told once it is too long.
    Object.entries(nodes).some(([name, { isSilent }]) => isSilent && !isWaitedFor(name, record, plan.run.canaryNodes));
  return isStopped ? [] : ['it waits for ever, and nobody is told'];
}

/** The others wait for its turn, or for it to be well. */
function isWaitedFor(name: string, { turns, canaries }: State['record'], canaryNodes: readonly string[]): boolean {
  return isOpenTurn(turns[name]) || (canaryNodes.includes(name) && canaries?.[name]?.passed !== true);
}

/** What is not as it was, once the run has nothing more to do. */
export function leftOver(state: State, scene: Scene): readonly string[] {
  return [...leftByAbort(state, scene), ...(Object.values(state.record.turns).every(isOver) ? leftByTurns(state) : [])];
}

function leftByAbort({ record, pools }: State, { plan }: Scene): readonly string[] {
  if (record.aborted === undefined) return [];
  if (record.endedAt === undefined) return ['the aborted run has not ended'];
  return Object.entries(pools)
    .filter(([, pool]) => pool.record.holds.some(({ id }) => runOfHold(id) === plan.name))
    .map(([name]) => `${name} is still held by the aborted run`);
}

function leftByTurns({ nodes, jobs }: State): readonly string[] {
  const cordons = Object.entries(nodes).filter(
    ([, { cordoned, isCordonWanted, state, wants, has }]) =>
      state === 'Done' && wants === has && cordoned !== isCordonWanted,
  );
  const cleanUps = jobs.filter(({ part }) => part === 'after');
  const dirty = jobs.filter(
    ({ part, isLeft, node, rule, round }) =>
      part === 'before' &&
      !isLeft &&
      !cleanUps.some((job) => job.node === node && job.rule === rule && job.round === round),
  );
  return [
    ...cordons.map(([node]) => `${node} is not cordoned as people want it`),
    ...dirty.map(({ node }) => `what the Job of ${node} did is not cleaned up`),
  ];
}
