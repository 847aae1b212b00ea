import { describe, expect, test } from 'vitest';
import { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { depth } from '../../../property.ts';
import type { Act, NodeAct, PoolAct, RunAct } from './courses/acts.ts';
import { isSettled, leave, leftOver, settle, waitsUntold } from './courses/ends.ts';
import { type Acts, badEnds, type Look, reached, wrongOf } from './courses/every-course.ts';
import type { Scene } from './courses/state.ts';
import { aRunPlan } from './run-builder.ts';

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
    'Jobs that hang, skips and aborts',
    { plan: inTurn },
    {
      first: rendered,
      looked: [...on(['i1', 'i2'], 'succeed', 'update', 'hang', 'skip'), ...ofRun('abort', 'hours')],
    },
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
    3,
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
    'two turns at once in pools of two waves',
    { plan: aRunPlan(job, { atOnce: 2 }, pools), waves: { infra: 0, worker: 1 } },
    {
      first: [...on(['worker'], 'render'), ...on(['infra'], 'render'), ...on(['w1'], 'succeed')],
      looked: [...on(['i1', 'w1'], 'succeed', 'fail', 'skip', 'update'), ...on(['infra'], 'render')],
    },
    4,
    6,
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
    'canary nodes of a step of a sequence, a soak, and changes that are taken back',
    { plan: aRunPlan(job, { canaryNodes: ['i1'], soakSeconds: 1_200 }, pools), sequence: steps },
    {
      first: [...rendered, ...on(['i1'], 'succeed', 'update', 'succeed')],
      looked: [
        ...on(['i1', 'i2'], 'succeed', 'update', 'skip', 'fail'),
        ...on(pools, 'render', 'revert', 'resume'),
        ...ofRun('hours'),
      ],
    },
    3,
    4,
  ],
  [
    'canary nodes that break, are deleted and are made again',
    { plan: aRunPlan(job, { canaryNodes: ['w2'], soakSeconds: 1_200 }, pools) },
    {
      first: [...rendered, ...on(['w2'], 'succeed', 'update')],
      looked: [
        ...on(['w1', 'w2'], 'succeed', 'update'),
        ...on(['w2'], 'break', 'mend', 'delete', 'join'),
        ...on(['worker'], 'render', 'resume'),
        ...ofRun('go on', 'hours'),
      ],
    },
    3,
    5,
  ],
  [
    'nodes that are not ready, before their turns and in them',
    { plan: inTurn },
    {
      first: rendered,
      looked: [...way, ...on(['i1', 'i2'], 'fail', 'silence', 'wake', 'skip'), ...ofRun('abort', 'hours')],
    },
    3,
    5,
  ],
  [
    'canary nodes that are not ready, before their turns and in them',
    { plan: aRunPlan(job, { canaryNodes: ['w2'], soakSeconds: 1_200, atOnce: 2, unavailableAtMost: 3 }, pools) },
    {
      first: on(['worker'], 'render'),
      looked: [
        ...on(['w1', 'w2'], 'succeed', 'update', 'silence', 'wake'),
        ...on(['w2'], 'delete', 'join'),
        ...on(['worker'], 'freeze', 'thaw'),
        ...ofRun('go on', 'hours'),
      ],
    },
    3,
    5,
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
    3,
    5,
  ],
];

describe('a run over two pools of two nodes', () => {
  test.each(scenes)(
    '[S2-1] [S4-12] [S4-14] [S4-20] [S4-21] [S4-23] [S4-34] [S4-39] [N-29] [N-30] in every course of %s: each in its turn, nothing twice, and nobody waits for ever untold',
    (_, scene, acts, usual, thorough) => {
      const states = reached(acts, depth(usual, thorough), scene);

      const whenMended = badEnds(states, scene, {
        end: settle,
        whatIsWrong: (state) => [...(isSettled(state) ? [] : ['it is not done']), ...leftOver(state, scene)],
      });
      const whenLeft = badEnds(states, scene, {
        end: leave,
        whatIsWrong: (state) => [...waitsUntold(state, scene), ...leftOver(state, scene)],
      });

      expect(wrongOf(states)).toEqual([]);
      expect(whenMended).toEqual([]);
      expect(whenLeft).toEqual([]);
    },
  );
});
