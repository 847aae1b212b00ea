import { hasGivenWay } from '../../../../../functions/core/node-turns/run-record.ts';
import { withAsked, withJobs, withNode, withNodes } from './changes.ts';
import { freshNode, membersOf, type Scene, type State, type WorldJob, type WorldNode } from './state.ts';

/** What may happen in the world. */
export interface Happening {
  /** Whether it can happen now.
   *  @param of a node or a pool; empty: the run */
  readonly isPossible: (state: State, of: string) => boolean;
  readonly after: (state: State, of: string, scene: Scene) => State;
}

/** What may happen to a node, to its Job, and what people ask of the run for it. */
export const nodeActs = {
  /** Its Job ends well, or fails, or somebody deletes it; it never ends. */
  succeed: jobEnds('complete'),
  fail: jobEnds('failed'),
  lose: jobEnds('deleted'),
  hang: jobEnds('hangs'),

  /** The MCO begins to reboot it; it is back; it cannot be updated; somebody mends that. */
  reboot: nodeChanges(
    (node) => isAway(node) && node.state === 'Done',
    () => ({ state: 'Working', cordoned: true }),
  ),
  update: nodeChanges(mayUpdate, back),
  break: nodeChanges(mayUpdate, (node, state) => ({ wants: wantedOf(node, state), state: 'Degraded', cordoned: true })),
  mend: nodeChanges(({ state }) => state === 'Degraded', back),

  cordon: nodeChanges(
    (node) => !isAway(node) && !node.cordoned,
    () => ({ cordoned: true, isCordonWanted: true }),
  ),
  /** Somebody who is as fast as the run that cordons it again is not heard. */
  uncordon: nodeChanges(
    (node, { record }, name) =>
      !isAway(node) && node.isCordonWanted && node.cordoned && record.turns[name]?.step !== 'cordon',
    () => ({ cordoned: false, isCordonWanted: false }),
  ),

  /** By the label of the run. */
  keep: nodeChanges(
    ({ isKept }) => !isKept,
    () => ({ isKept: true }),
  ),
  free: nodeChanges(
    ({ isKept }) => isKept,
    () => ({ isKept: false }),
  ),

  /** Its kubelet falls silent; it reports again. */
  silence: nodeChanges(
    ({ isSilent }) => !isSilent,
    () => ({ isSilent: true }),
  ),
  wake: nodeChanges(
    ({ isSilent }) => isSilent,
    () => ({ isSilent: false }),
  ),

  /** Somebody sets its desiredConfig. */
  push: nodeChanges(
    (node, state) => !isAway(node) && !node.cordoned && node.has !== targetOf(node, state),
    (node, state) => ({ wants: targetOf(node, state) }),
  ),

  delete: {
    isPossible: ({ nodes }, of) => nodes[of] !== undefined,
    after: (state, of) => {
      const { [of]: _, ...nodes } = state.nodes;
      return withNodes(state, nodes);
    },
  },
  /** A node joins the pool that its first letter names. */
  join: {
    isPossible: ({ nodes }, of) => nodes[of] === undefined,
    after: (state, of) => {
      const pool = Object.keys(state.pools).find((each) => each.startsWith(of.slice(0, 1))) ?? '';
      const has = state.pools[pool]?.current ?? 1;
      return withNode(state, of, { ...freshNode, pool, has, wants: has, born: state.at });
    },
  },

  retry: {
    isPossible: ({ record }, of) => {
      const turn = record.turns[of];
      return turn !== undefined && (turn.step === 'skipped' || turn.failed !== undefined);
    },
    after: (state, of) => withAsked(state, (said) => ({ kind: 'retry', node: of, said })),
  },
  skip: {
    isPossible: ({ record }, of) => {
      const turn = record.turns[of];
      return turn !== undefined && (turn.step === 'before' || turn.step === 'after' || hasGivenWay(turn));
    },
    after: (state, of) => {
      const isCleanUp = state.record.turns[of]?.step === 'after';
      const asked = withAsked(state, (said) => ({ kind: 'skip', node: of, said }));
      return isCleanUp ? withWorkLeft(of, asked) : asked;
    },
  },
} as const satisfies Readonly<Record<string, Happening>>;

function jobEnds(end: WorldJob['state']): Happening {
  return {
    isPossible: ({ jobs }, of) => jobs.some(({ node, state }) => node === of && state === 'running'),
    after: (state, of) => withJobs(state, of, end),
  };
}

/** Something that changes a node which is there. */
function nodeChanges(
  isPossible: (node: WorldNode, state: State, name: string) => boolean,
  change: (node: WorldNode, state: State) => Partial<WorldNode>,
): Happening {
  return {
    isPossible: (state, of) => {
      const node = state.nodes[of];
      return node !== undefined && isPossible(node, state, of);
    },
    after: (state, of) => {
      const node = state.nodes[of];
      return node === undefined ? state : withNode(state, of, { ...node, ...change(node, state) });
    },
  };
}

/** It is on its way to another config. */
function isAway({ has, wants }: WorldNode): boolean {
  return wants !== has;
}

function mayUpdate(node: WorldNode, state: State): boolean {
  return node.state !== 'Degraded' && (isAway(node) || isNextOfMco(node, state));
}

/** The MCO may take the node now, in a pool that is not paused. */
function isNextOfMco(node: WorldNode, state: State): boolean {
  if (state.pools[node.pool]?.paused !== false || node.has === targetOf(node, state)) return false;
  return membersOf(node.pool, state).every(
    ([, member]) => !isAway(member) && member.state === 'Done' && !member.cordoned && !member.isSilent,
  );
}

/** It is back with the config that it was to have. */
function back(node: WorldNode, state: State): Partial<WorldNode> {
  const wants = wantedOf(node, state);
  return { has: wants, wants, state: 'Done', cordoned: false, isLetGo: false };
}

/** What it is on its way to, or what the MCO would give it. */
function wantedOf(node: WorldNode, state: State): number {
  return isAway(node) ? node.wants : targetOf(node, state);
}

function targetOf({ pool, has }: WorldNode, { pools }: State): number {
  return pools[pool]?.target ?? has;
}

/** Whoever leaves out a clean-up wants what was done to stay, or to be done again. */
function withWorkLeft(node: string, state: State): State {
  return { ...state, jobs: state.jobs.map((job) => (job.node === node ? { ...job, isLeft: true } : job)) };
}
