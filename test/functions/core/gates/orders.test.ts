import { describe, expect, test } from 'vitest';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings, type PoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { Ticket } from '../../../../functions/core/configuration/ticket.ts';
import { type Depth, depth } from '../../../property.ts';
import {
  type Act,
  type FleetAct,
  isPossible,
  isSettled,
  next,
  type PoolAct,
  type Scene,
  type State,
  settle,
  start,
} from './orders.ts';

interface Reached {
  readonly state: State;
  /** One of the shortest, in words. */
  readonly course: string;
}

/** Seconds at which something is judged otherwise: a settled render, a late one, the end of what is awaited, of what is
 *  respected, of a hold, of patience. */
const ages = [15, 600, 900, 3_000, 3_600, 7_200, 14_400];

/** Two states count as one if they differ only in words, or in times of one age as far as anything is judged by it. */
function keyOf({ at, wrong: _, ...state }: State): string {
  const ageOf = (time: number) => {
    const seconds = (at - time) / 1000;
    return `${seconds < 0 ? '-' : ''}${ages.findIndex((age) => Math.abs(seconds) <= age)}`;
  };
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === 'why') return undefined;
    if (typeof value === 'number' && value > 1e9) return ageOf(value);
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? ageOf(Date.parse(value)) : value;
  });
}

/** Every state that courses of so many acts come by, each once. */
function reached(acts: readonly Act[], { goesOn }: Depth, scene: Scene): readonly Reached[] {
  const first = { state: start(scene), course: '' };
  const known = new Map([[keyOf(first.state), first]]);
  let newest: readonly Reached[] = [first];
  for (let nth = 0; newest.length > 0; nth += 1) {
    const found = newest
      .filter(() => goesOn(nth))
      .flatMap(({ state, course }) =>
        acts
          .filter((act) => isPossible(act, state))
          .map((act) => ({ state: next(act, state, scene), course: `${course}${act.did} ${act.pool ?? ''}; ` })),
      );
    newest = found.filter((each) => {
      const key = keyOf(each.state);
      const isNew = !known.has(key) || each.state.wrong.length > 0;
      if (isNew) known.set(key, each);
      return isNew;
    });
  }
  return [...known.values()];
}

/** A few of the courses in which something was done that must not be, in words. */
function wrongOf(states: readonly Reached[]): readonly string[] {
  return states.flatMap(({ state: { wrong }, course }) => wrong.map((each) => `${each}: ${course}`)).slice(0, 5);
}

/** A few of the courses after which a pool waits for ever, though nothing outside is outstanding. */
function stuckAfter(states: readonly Reached[], scene: Scene): readonly string[] {
  const good = new Set<string>();
  const stuck: string[] = [];
  for (const { state, course } of states) {
    const seen: string[] = [];
    const isGood = (each: State) => {
      seen.push(keyOf(each));
      return good.has(seen.at(-1) ?? '');
    };
    const end = settle(state, scene, isGood);
    if (end === undefined || isSettled(end)) for (const key of seen) good.add(key);
    else stuck.push(course);
    if (stuck.length === 5) break;
  }
  return stuck;
}

function scene(pools: Readonly<Record<string, Partial<PoolSettings>>>, policy: Partial<Policy> = {}): Scene {
  const settings = Object.entries(pools).map(([name, change]) => [name, { ...defaultPoolSettings, ...change }]);
  return { settings: Object.fromEntries(settings), policy: { ...defaultPolicy, ...policy } };
}

/** Each of these acts, on each of the pools. */
function on(pools: readonly string[], ...dids: readonly PoolAct[]): readonly Act[] {
  return dids.flatMap((did) => pools.map((pool) => ({ did, pool })));
}

function inAll(...dids: readonly FleetAct[]): readonly Act[] {
  return dids.map((did) => ({ did }));
}

const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
const ticket = Ticket.parse({ url: 'https://itsm.example.com' });
/** Less than an hour: one act of waiting outlasts it. */
const soon = { afterSeconds: 3_000 };
const [first, second, third] = ['infra', 'worker', 'apps'];
const two = [first, second];
const three = [...two, third];
const inTurn = scene({ infra: { wave: 0 }, worker: { wave: 1 } });

function stepsOf(waves: Readonly<Record<string, number>>): Sequence {
  const steps = Object.entries(waves).map(([name, wave]) => [name, { kind: 'pool', name, wave }]);
  return Sequence.parse({ clusters: ['prod'], steps: Object.fromEntries(steps) });
}

const update = inAll('upgrade', 'upgrade renders', 'upgrade ends');

/** What may happen, and in how many acts: under `npm test`, and at a seed that nobody chose. */
const fleets: readonly (readonly [string, Scene, readonly Act[], number, number])[] = [
  ['syncs and nodes', inTurn, on(two, 'push', 'quick', 'write', 'succeed', 'fail', 'update', 'break', 'mend'), 3, 5],
  ['syncs and late renders', inTurn, [...on(two, 'push', 'quick', 'write', 'succeed'), ...inAll('moment')], 3, 5],
  [
    'changes of nobody',
    inTurn,
    on(two, 'quick', 'write', 'succeed', 'render', 'revert', 'update', 'break', 'cordon'),
    3,
    4,
  ],
  [
    'people who pause, hold, resume and freeze',
    inTurn,
    [...on(two, 'write', 'succeed', 'pause', 'resume'), ...on([first], 'hold'), ...inAll('freeze', 'thaw', 'hour')],
    3,
    4,
  ],
  [
    'approvals, also after failed syncs',
    scene({ infra: { wave: 0, approve }, worker: { wave: 1, approve } }, { onSyncFailure: 'resume-after-approval' }),
    [...on(two, 'quick', 'write', 'fail', 'update', 'break', 'approve', 'revert'), ...inAll('hour')],
    3,
    5,
  ],
  [
    'an update of the cluster that waits for a pool of the highest wave',
    scene({ infra: { wave: 0 }, worker: { wave: 1 }, master: { wave: 2, manageRequired: true } }),
    [...on([...two, 'master'], 'sync', 'update', 'break'), ...update],
    3,
    5,
  ],
  [
    'an update of the cluster that waits for a pool of the lowest wave',
    scene({ worker: { wave: 1 }, master: { wave: 0, manageRequired: true } }),
    [...on([second, 'master'], 'write', 'succeed', 'update', 'break', 'cordon'), ...update],
    3,
    5,
  ],
  [
    'three waves',
    scene({ infra: { wave: 0 }, worker: { wave: 1 }, apps: { wave: 2 } }),
    on(three, 'push', 'sync', 'update', 'break', 'cordon'),
    2,
    4,
  ],
  [
    'changes that degrade, and mend',
    scene({ infra: { wave: 0 }, worker: { wave: 1 }, apps: { wave: 1 } }),
    on(three, 'sync', 'break'),
    4,
    7,
  ],
];

describe('pools in waves', () => {
  test.each(fleets)(
    '[S1-14] [N-29] [N-30] in every course of %s, lower waves go first, and nobody waits for ever',
    (_, fleet, acts, usual, thorough) => {
      const states = reached(acts, depth(usual, thorough), fleet);

      expect(wrongOf(states)).toEqual([]);
      expect(stuckAfter(states, fleet)).toEqual([]);
    },
  );

  test.each([
    [
      'a ticket',
      scene({ infra: { ticket } }, { renderSettleSeconds: 0, gates: { ticket: { ...soon, action: 'resume' } } }),
      [...on([first], 'sync', 'begin', 'succeed', 'ticket', 'no ticket'), ...inAll('hour', 'blind hour')],
      4,
      6,
    ],
    [
      'a lower wave',
      scene({ infra: { wave: 0 }, worker: { wave: 1 } }, { gates: { wave: { ...soon, action: 'resume' } } }),
      [...on(two, 'sync'), ...on([first], 'update', 'break', 'mend'), ...inAll('hour', 'blind hour')],
      4,
      6,
    ],
    [
      'an approval',
      scene({ infra: { approve } }, { gates: { approval: { ...soon, action: 'resume' } } }),
      [...on([first], 'sync', 'begin', 'succeed', 'approve', 'render'), ...inAll('hour', 'blind hour')],
      4,
      6,
    ],
  ] as const)(
    '[N-29] in every course of syncs and blind hours, no gate is passed in time in which %s was there, or nobody looked',
    (_, fleet, acts, usual, thorough) => {
      const states = reached(acts, depth(usual, thorough), fleet);

      expect(wrongOf(states)).toEqual([]);
      expect(stuckAfter(states, fleet)).toEqual([]);
    },
  );

  test('[N-30] in every course of syncs and blind hours, a gate that has stayed closed for its time is told', () => {
    const gates = { approval: { ...soon, action: 'alert' as const }, wave: { ...soon, action: 'alert' as const } };
    const fleet = scene({ infra: { wave: 0, approve }, worker: { wave: 1, approve } }, { gates });
    const acts = [
      ...on(two, 'sync', 'begin', 'succeed'),
      ...on([first], 'approve', 'update', 'break'),
      ...inAll('hour', 'blind hour'),
    ];

    const states = reached(acts, depth(3, 5), fleet);

    expect(wrongOf(states)).toEqual([]);
  });

  const inSequence = stepsOf({ infra: 1, worker: 2 });

  test.each([
    [
      'syncs and changes of nobody',
      { ...scene({ infra: {}, worker: {} }), sequence: inSequence },
      on(two, 'push', 'write', 'succeed', 'fail', 'update', 'break', 'render'),
      2,
      4,
    ],
    [
      'three steps',
      { ...scene({ infra: {}, worker: {}, apps: {} }), sequence: stepsOf({ infra: 1, worker: 2, apps: 3 }) },
      on(three, 'sync', 'render', 'update', 'break', 'cordon'),
      2,
      3,
    ],
    [
      'people, and a pool that is no step',
      { ...scene({ infra: { wave: 0 }, worker: { wave: 1 }, apps: { wave: 0 } }), sequence: inSequence },
      [...on(three, 'sync', 'render'), ...on(two, 'pause', 'resume'), ...inAll('freeze', 'thaw', 'hour')],
      2,
      3,
    ],
    [
      'syncs, and a pool of a lower wave that is no step',
      { ...scene({ infra: { wave: 0 }, worker: { wave: 1 } }), sequence: stepsOf({ worker: 1 }) },
      [...on([first], 'push', 'write', 'succeed'), ...on(two, 'sync', 'update')],
      3,
      4,
    ],
    [
      'syncs, where their waves are contrary to it',
      { ...scene({ infra: { wave: 1 }, worker: { wave: 0 } }), sequence: inSequence },
      on(two, 'sync', 'render', 'update', 'cordon', 'uncordon'),
      3,
      4,
    ],
    [
      'an update of the cluster that waits for a pool that is no step',
      {
        ...scene({ infra: {}, worker: {}, master: { wave: 1, manageRequired: true } }),
        sequence: inSequence,
      },
      [...on([...two, 'master'], 'sync', 'render', 'update'), ...update],
      2,
      4,
    ],
    [
      'approvals, reverts and failing nodes',
      { ...scene({ infra: {}, worker: { approve } }), sequence: inSequence },
      [...on(two, 'sync', 'render', 'update', 'break', 'revert'), ...on([second], 'approve')],
      3,
      4,
    ],
    [
      'changes that degrade, and mend',
      { ...scene({ infra: {}, worker: {} }), sequence: stepsOf({ worker: 1, infra: 2 }) },
      on(two, 'sync', 'break'),
      4,
      6,
    ],
    [
      'changes that degrade, and mend, where it is aborted',
      { ...scene({ infra: {}, worker: {} }), sequence: stepsOf({ worker: 1, infra: 2 }), isAborted: true },
      on(two, 'sync', 'break'),
      4,
      6,
    ],
    [
      'changes that degrade, and mend, where it is aborted and their waves are contrary to it',
      { ...scene({ infra: { wave: 1 }, worker: { wave: 0 } }), sequence: inSequence, isAborted: true },
      on(two, 'sync', 'break'),
      4,
      6,
    ],
    [
      'changes that degrade, and mend, where their waves are contrary to it',
      { ...scene({ infra: { wave: 1 }, worker: { wave: 0 } }), sequence: inSequence },
      on(two, 'sync', 'break'),
      4,
      6,
    ],
  ] as const)(
    '[S2-1] [N-29] [N-30] that are steps of a sequence, in every course of %s: in turn, and nobody waits for ever',
    (_, fleet, acts, usual, thorough) => {
      const states = reached(acts, depth(usual, thorough), fleet);

      expect(wrongOf(states)).toEqual([]);
      expect(stuckAfter(states, fleet)).toEqual([]);
    },
  );
});

test('[S2-1] [N-29] a skipped step is not let past a degraded later one that waits for another step, and not for it', () => {
  const approve = Approve.parse({ by: ['slack:U0000ALICE'], when: 'always' });
  const fleet = {
    ...scene({ infra: {}, apps: { approve }, worker: {} }),
    sequence: stepsOf({ infra: 1, apps: 2, worker: 3 }),
    skipped: ['infra'],
  };
  const acts: readonly Act[] = [
    { did: 'sync', pool: 'worker' },
    { did: 'hour' },
    { did: 'break', pool: 'worker' },
    { did: 'sync', pool: 'apps' },
    { did: 'sync', pool: 'worker' },
    { did: 'sync', pool: 'infra' },
    { did: 'hour' },
  ];

  const { pools } = acts.reduce((state, act) => next(act, state, fleet), start(fleet));

  expect(pools['worker']).toMatchObject({ paused: true, nodes: [{ failed: 2 }, {}] });
  expect(pools['infra']).toMatchObject({ paused: true });
});
