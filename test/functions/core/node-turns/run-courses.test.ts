import { describe, expect, test } from 'vitest';
import { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { depth } from '../../../property.ts';
import { aRunPlan } from './run-builder.ts';
import {
  type Act,
  isPossible,
  isSettled,
  type Look,
  leave,
  leftOver,
  type NodeAct,
  next,
  type PoolAct,
  type RunAct,
  type Scene,
  type State,
  settle,
  start,
  waitsUntold,
} from './run-courses.ts';

interface Reached {
  readonly state: State;
  /** One of the shortest, in words. */
  readonly course: string;
}

/** Seconds at which something is judged otherwise: a time of grace, a Job, a node that is on its way. */
const ages = [15, 300, 900, 3_600, 6_000];

/** Two states count as one if they differ only in words, or in times of one age as far as anything is judged by it. */
function keyOf({ at, wrong: _, told: __, record, ...state }: State): string {
  const ageOf = (time: number) => `${ages.findIndex((age) => at - time <= age * 1000)}`;
  const { log: _log, conditions: _conditions, blockedSince: _since, ...known } = record;
  return JSON.stringify({ ...state, known }, (key, value: unknown) => {
    if (key === 'why' || key === 'last') return undefined;
    if (typeof value === 'number' && value > 1e9) return ageOf(value);
    if (typeof value !== 'string') return value;
    if (key === 'round') return value.replace(/-[0-9a-z]{8}$/, '');
    return /^\d{4}-\d\d-\d\dT/.test(value) ? ageOf(Date.parse(value)) : value;
  });
}

interface Acts {
  readonly looked: readonly Act[];
  /** After which nobody looks, or somebody who has looked too early, twice, or dies. */
  readonly other?: readonly Act[];
  readonly looks?: readonly Look[];
  /** Before all. */
  readonly first: readonly Act[];
}

interface Step {
  readonly act: Act;
  readonly look: Look;
}

/** Every state that courses of so many acts come by, each once. */
function reached({ looked, other = [], looks = [], first }: Acts, count: number, scene: Scene): readonly Reached[] {
  const begun = first.reduce((state, act) => next(act, state, scene), start(scene));
  const steps: readonly Step[] = [
    ...looked.map((act) => ({ act, look: 'looked' as const })),
    ...looks.flatMap((look) => other.map((act) => ({ act, look }))),
  ];
  const known = new Map<string, Reached>([[keyOf(begun), { state: begun, course: '' }]]);
  const isNew = (each: Reached) => {
    const isWrong = each.state.wrong.length > 0;
    const key = isWrong ? each.course : keyOf(each.state);
    if (known.has(key)) return false;
    known.set(key, each);
    return !isWrong;
  };
  let newest = [...known.values()];
  for (let nth = 0; nth < count; nth += 1)
    newest = newest.flatMap((from) =>
      steps
        .filter(({ act }) => isPossible(act, from.state))
        .map(({ act, look }) => ({
          state: next(act, from.state, scene, look),
          course: `${from.course}${textOf({ act, look })}; `,
        }))
        .filter(isNew),
    );
  return [...known.values()];
}

function textOf({ act: { did, of }, look }: Step): string {
  return [of === undefined ? did : `${did} ${of}`, ...(look === 'looked' ? [] : [look])].join(', ');
}

/** A few of the courses in which something was done that must not be, in words. */
function wrongOf(states: readonly Reached[]): readonly string[] {
  return states.flatMap(({ state: { wrong }, course }) => wrong.map((each) => `${each}: ${course}`)).slice(0, 5);
}

/** A few of the courses that end otherwise than they should.
 *  @param end how a state ends; undefined: as one that was tried */
function badEnds(
  states: readonly Reached[],
  end: (state: State, isKnown: (state: State) => boolean) => State | undefined,
  whatIsWrong: (state: State) => readonly string[],
): readonly string[] {
  const good = new Set<string>();
  const bad: string[] = [];
  for (const { state, course } of states) {
    if (state.wrong.length > 0) continue;
    const seen: string[] = [];
    const last = end(state, (each) => {
      seen.push(keyOf(each));
      return good.has(seen.at(-1) ?? '');
    });
    const wrong = last === undefined ? [] : [...whatIsWrong(last), ...last.wrong];
    if (wrong.length === 0) for (const key of seen) good.add(key);
    else bad.push(`${wrong.join(', ')}: ${course}`);
    if (bad.length === 5) break;
  }
  return bad;
}

/** Each of these acts, on each of these. */
function on(names: readonly string[], ...dids: readonly (NodeAct | PoolAct)[]): readonly Act[] {
  return dids.flatMap((did) => names.map((of) => ({ did, of })));
}

function ofRun(...dids: readonly RunAct[]): readonly Act[] {
  return dids.map((did) => ({ did }));
}

const pools = ['infra', 'worker'];
const nodes = ['i1', 'i2', 'w1', 'w2'];
const job = { move: {} };
const inTurn = aRunPlan(job, {}, pools);
const rendered = on(pools, 'render');
const unseen: readonly Look[] = ['unseen', 'late', 'cut', 'twice'];
const way = on(nodes, 'succeed', 'update');
const steps = Sequence.parse({
  clusters: ['prod'],
  steps: { infra: { kind: 'pool', name: 'infra', wave: 1 }, worker: { kind: 'pool', name: 'worker', wave: 2 } },
});

/** What may happen, and in how many acts: under `npm test`, and at a seed that nobody chose. */
const scenes: readonly (readonly [string, Scene, Acts, number, number])[] = [
  [
    'Jobs and nodes that fail',
    { plan: inTurn },
    { first: rendered, looked: [...way, ...on(nodes, 'fail', 'break', 'mend', 'retry', 'skip', 'lose')] },
    4,
    6,
  ],
  [
    'passes that look at nothing, too early, twice, or die',
    { plan: inTurn },
    {
      first: rendered,
      looked: way,
      other: [...way, ...on(nodes, 'fail', 'retry', 'skip', 'cordon'), ...ofRun('abort', 'moment')],
      looks: unseen,
    },
    3,
    4,
  ],
  [
    'people who pause, abort, start and resume',
    { plan: inTurn },
    {
      first: rendered,
      looked: [
        ...way,
        ...on(nodes, 'fail', 'retry'),
        ...on(pools, 'resume'),
        ...ofRun('pause', 'go on', 'abort', 'start', 'hours'),
      ],
    },
    4,
    5,
  ],
  [
    'freezes, cordons and labels',
    { plan: inTurn },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'cordon', 'uncordon', 'keep', 'free', 'push'), ...on(pools, 'freeze', 'thaw')],
    },
    3,
    4,
  ],
  [
    'cordons of nodes that are taken all the same',
    { plan: aRunPlan(job, { cordoned: 'take', unavailableAtMost: 2 }, pools) },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'cordon', 'uncordon', 'fail', 'skip'), ...ofRun('abort')],
    },
    4,
    5,
  ],
  [
    'nodes that leave and join',
    { plan: inTurn },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'fail', 'delete', 'join', 'skip'), ...on(['w3'], 'join', 'succeed', 'update')],
      other: on(nodes, 'delete', 'join', 'succeed'),
      looks: ['unseen', 'late'],
    },
    3,
    4,
  ],
  [
    'pools of two waves that are rendered anew',
    { plan: inTurn, waves: { infra: 0, worker: 1 } },
    {
      first: on(['worker'], 'render'),
      looked: [
        ...way,
        ...on(nodes, 'fail', 'cordon', 'uncordon', 'retry', 'skip'),
        ...on(pools, 'render', 'freeze', 'thaw'),
      ],
    },
    3,
    4,
  ],
  [
    'pools of two waves contrary to their order, with canary nodes',
    { plan: aRunPlan(job, { canaryNodes: ['i1', 'w2'] }, pools), waves: { infra: 1, worker: 0 } },
    { first: rendered, looked: [...way, ...on(nodes, 'fail', 'break', 'cordon', 'skip'), ...on(pools, 'render')] },
    3,
    5,
  ],
  [
    'steps of a sequence that are rendered anew',
    { plan: inTurn, sequence: steps },
    {
      first: on(['worker'], 'render'),
      looked: [...way, ...on(nodes, 'fail', 'skip'), ...on(pools, 'render')],
    },
    4,
    5,
  ],
  [
    'canary nodes, and a soak',
    { plan: aRunPlan(job, { canaryNodes: ['w2'], soakSeconds: 3_600 }, pools) },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'fail', 'skip', 'retry', 'break', 'keep'), ...ofRun('hours')],
    },
    3,
    4,
  ],
  [
    'two nodes at once, and two rules',
    { plan: aRunPlan({ move: {}, tell: { onFailure: 'skip' } }, { atOnce: 2 }, pools) },
    { first: rendered, looked: [...way, ...on(nodes, 'fail', 'skip', 'cordon'), ...ofRun('abort')] },
    3,
    4,
  ],
  [
    'two turns at once, of which one node may be away',
    { plan: aRunPlan(job, { atOnce: 2, unavailableAtMost: 1 }, pools) },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'reboot', 'break', 'mend', 'cordon', 'push')],
      other: [...way, ...on(nodes, 'cordon')],
      looks: ['late', 'twice', 'cut'],
    },
    2,
    3,
  ],
  [
    'renders of a run that stops at them',
    { plan: aRunPlan({ move: { retries: 1 } }, { onMovedTarget: 'stop' }, pools) },
    {
      first: rendered,
      looked: [...way, ...on(nodes, 'fail'), ...on(pools, 'render'), ...ofRun('go on', 'abort', 'start', 'hours')],
    },
    4,
    5,
  ],
];

describe('a run over two pools of two nodes', () => {
  test.each(scenes)(
    '[S2-1] [S4-12] [S4-14] [S4-20] [S4-21] [S4-23] [S4-34] [S4-39] [N-29] [N-30] in every course of %s: each in its turn, nothing twice, and nobody waits for ever untold',
    (_, scene, acts, usual, thorough) => {
      const states = reached(acts, depth(usual, thorough), scene);

      const whenMended = badEnds(
        states,
        (state, isKnown) => settle(state, scene, isKnown),
        (state) => [...(isSettled(state) ? [] : ['it is not done']), ...leftOver(state, scene)],
      );
      const whenLeft = badEnds(
        states,
        (state, isKnown) => leave(state, scene, isKnown),
        (state) => [...waitsUntold(state), ...leftOver(state, scene)],
      );

      expect(wrongOf(states)).toEqual([]);
      expect(whenMended).toEqual([]);
      expect(whenLeft).toEqual([]);
    },
  );
});
