import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import {
  abortProblems,
  type RolloutQuestion,
  rolloutsOf,
  runsAtWork,
  withCanaries,
} from '../../../../functions/core/node-turns/pool-rollouts.ts';
import { emptyRunRecord, type RunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import type { TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, aPool } from '../../../fakes/builders.ts';
import {
  anUpdatedNode,
  aRunPlan,
  aRunPool,
  aRunQuestion,
  aTurnNode,
  newConfig,
  now,
  oldConfig,
} from './run-builder.ts';

const said = { who: 'ops', why: 'not today', at: now.toISOString() };

/** Pool worker with a change that waits, and the hold of a run. */
function heldBy(run: string | undefined): Pool {
  const holds = run === undefined ? [] : [aHold({ id: `rollout/${run}`, kind: 'rollout' })];
  return aPool({
    paused: run !== undefined,
    target: { name: newConfig, sources: [] },
    current: { name: oldConfig, sources: [] },
    record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: now.toISOString(), holds } },
  });
}

const upgrade = aRunPlan();
const later = { ...upgrade, name: 'later' };

function wantsOf(pool: Pool, records: Readonly<Record<string, RunRecord>>) {
  const question = { plans: [upgrade, later], pools: [pool], update: 'none' as const };
  return rolloutsOf({ ...question, records: new Map(Object.entries(records)) }).get('worker');
}

const turn: Turn = {
  pool: 'worker',
  target: newConfig,
  round: '1-bbbbbbbb',
  step: 'after',
  since: now.toISOString(),
  ran: ['poolkeeper/move'],
  cleaned: [],
  attempt: 1,
};

it.each<[string, Pool, string]>([
  ['let go', heldBy(undefined), ', and the MCO takes those nodes without Jobs until somebody starts the run: '],
  ['about to be', heldBy('upgrade'), ', and the MCO takes those nodes without Jobs until somebody starts the run: '],
  ['taken over by another run', heldBy('later'), '; pool worker is paused for now: '],
  ['paused by somebody', { ...heldBy(undefined), paused: true }, '; pool worker is paused for now: '],
])('[N-22] [N-29] what a run that its gate has aborted comes to says what its pool is: %s', (_, pool, says) => {
  const aborted = { ...emptyRunRecord, aborted: { ...said, who: 'its own gate' }, endedAt: said.at };
  const [problem] = abortProblems(upgrade, aborted, { pools: [pool], now });

  expect(problem?.why).toContain(`The change of pool worker is not done${says}poolkeeper run start upgrade`);
});

describe('which run holds which pool', () => {
  it('[S4-28] a run holds its pool while a node has its turn, although every node is at the target', () => {
    const done = { ...emptyRunRecord, pools: { worker: { target: newConfig, done: newConfig } } };

    expect(wantsOf(heldBy('upgrade'), { upgrade: { ...done, turns: { w1: turn } } })?.wants).toBe('hold');
    expect(wantsOf(heldBy('upgrade'), { upgrade: { ...done, turns: { w1: { ...turn, step: 'done' } } } })?.wants).toBe(
      'let go',
    );
  });

  it('[S4-21] [S4-22] a run that was aborted lets go of the pools that it holds, and keeps no other run from them', () => {
    const aborted = { ...emptyRunRecord, aborted: said, endedAt: said.at };

    expect(wantsOf(heldBy('upgrade'), { upgrade: aborted })).toMatchObject({ run: 'upgrade', wants: 'let go' });
    expect(wantsOf(heldBy(undefined), { upgrade: aborted, later: emptyRunRecord })).toMatchObject({
      run: 'later',
      wants: 'hold',
    });
  });

  it('[S4-21] [S4-22] a pool that a run lets go changes hands at once, where another waits for it', () => {
    const aborted = { ...emptyRunRecord, aborted: said, endedAt: said.at };
    const wantedOf = (record: RunRecord, change: Partial<RolloutQuestion> = {}) => {
      const records = new Map([
        ['upgrade', aborted],
        ['later', record],
      ]);
      const question = { plans: [upgrade, later], pools: [heldBy('upgrade')], update: 'none' as const, nodes: [] };
      return rolloutsOf({ ...question, records, ...change }).get('worker');
    };

    expect(wantedOf(emptyRunRecord)).toMatchObject({
      run: 'later',
      wants: 'hold',
      given: 'run upgrade was aborted by ops: not today',
    });
    expect(wantedOf(aborted)).toMatchObject({ run: 'upgrade', wants: 'let go' });
    expect(wantedOf({ ...emptyRunRecord, aborted: said })).toMatchObject({ run: 'upgrade', wants: 'let go' });
    expect(wantedOf(emptyRunRecord, { refused: new Map([['later', 'not tried']]) })?.wants).toBe('let go');
    // Its nodes are looked at first: one may have joined.
    expect(wantedOf(emptyRunRecord, { nodes: undefined })?.wants).toBe('let go');
  });

  it('[S4-28] a pool that is no target any more stays held while one of its nodes has its turn, also from other runs', () => {
    const without = { ...upgrade, pools: ['infra'] };
    const held = (step: Turn['step']) => {
      const records = new Map([['upgrade', { ...emptyRunRecord, turns: { w1: { ...turn, step } } }]]);
      const question = { plans: [without, later], pools: [heldBy('upgrade')], update: 'none' as const };
      return rolloutsOf({ ...question, records }).get('worker');
    };

    expect(runsAtWork([without], [heldBy('upgrade')])).toEqual([without]);
    expect(held('before')).toMatchObject({ run: 'upgrade', wants: 'hold' });
    expect(held('done')?.run).not.toBe('upgrade');
  });
});

describe('a pool whose nodes are all at its target', () => {
  const done: RunRecord = { ...emptyRunRecord, pools: { worker: { target: newConfig, done: newConfig } } };
  const joined = aTurnNode('w2', { labels: { 'poolkeeper.dev/hold': '' } });

  it('[S4-23] [S4-28] is done no longer when a node joins it that may not go, and is let go when that one is there too', () => {
    const look = (record: RunRecord, node: TurnNode, isPaused = true) =>
      judgeRun(aRunQuestion({ record, nodes: [anUpdatedNode('w1'), node], pools: [aRunPool({ isPaused })] })).record;

    const held = look(done, joined);
    expect(held.pools).toEqual({ worker: { target: newConfig } });
    expect(wantsOf(heldBy('upgrade'), { upgrade: held })?.wants).toBe('hold');
    expect(look(held, anUpdatedNode('w2')).pools).toEqual(done.pools);
    // What is let go is the MCO's.
    expect(look(done, joined, false).pools).toEqual(done.pools);
  });

  it('[S4-23] [S4-28] is not let go by what an earlier look found, nor where nobody can see its nodes', () => {
    const question = { plans: [upgrade], pools: [heldBy('upgrade')], update: 'none' as const };
    const wants = (nodes: readonly TurnNode[] | 'unseen' | undefined) =>
      rolloutsOf({ ...question, nodes, records: new Map([['upgrade', done]]) }).get('worker')?.wants;

    expect(wants([anUpdatedNode('w1'), joined])).toBe('hold');
    expect(wants('unseen')).toBe('hold');
    expect(wants([anUpdatedNode('w1'), { ...joined, pool: 'infra' }])).toBe('let go');
    // Neither a cordon nor a node that is not ready keeps the run from its end.
    expect(wants([anUpdatedNode('w1', { cordoned: true, ready: false })])).toBe('let go');
  });
});

describe('two runs that wait for each other', () => {
  const first = aRunPlan({ move: {} }, {}, ['one', 'two']);
  const second = { ...aRunPlan({ move: {} }, {}, ['one', 'two', 'three']), name: 'later' };
  const pools = [
    { ...heldBy('upgrade'), name: 'one' },
    { ...heldBy('later'), name: 'two' },
    { ...heldBy('later'), name: 'three' },
  ];

  function runsOf(change: Partial<RolloutQuestion> = {}, record: Partial<RunRecord> = {}) {
    const records = new Map([
      ['upgrade', emptyRunRecord],
      ['later', { ...emptyRunRecord, ...record }],
    ]);
    const question = { plans: [first, second], pools, records, update: 'none' as const };
    return rolloutsOf({ ...question, stored: new Set(['upgrade', 'later']), ...change });
  }
  const holders = (rollouts: ReturnType<typeof rolloutsOf>) =>
    pools.map(({ name }) => `${name} ${rollouts.get(name)?.run} ${rollouts.get(name)?.wants}`);
  const apart = ['one upgrade hold', 'two later hold', 'three later hold'];

  it('[S4-22] the later one gives what both name to the earlier one, with the reason, and keeps what is its own', () => {
    const rollouts = runsOf();

    expect(holders(rollouts)).toEqual(['one upgrade hold', 'two upgrade hold', 'three later hold']);
    expect(rollouts.get('two')).toMatchObject({
      recordIn: 'poolkeeper',
      given: 'run later and run upgrade waited for each other: run upgrade has the pool first',
    });
  });

  it.each<[string, Partial<RolloutQuestion>, Partial<RunRecord>]>([
    ['has a turn', {}, { turns: { w1: turn } }],
    ['was aborted, and ends', {}, { aborted: said }],
    ['has written labels of a canary', {}, { canary: {} }],
    ['has lost its record', { stored: new Set(['upgrade']) }, {}],
    ['waits for the update of the cluster', { update: 'under way' }, {}],
  ])('[S4-22] nothing is given where the later one %s', (_, change, record) => {
    expect(holders(runsOf(change, record))).toEqual(apart);
  });

  it('[S4-22] nothing is given whose labels and selectors are to be put back, or may be', () => {
    const way = { back: {}, marks: {}, entry: {}, selectors: [] };
    const state = { v: 1 as const, run: 'later', at: said.at, canary: 'canary', targets: ['two', 'three'], way };

    expect(holders(withCanaries(runsOf(), [{ pool: 'two', state }], pools))).toEqual(apart);
    expect(holders(withCanaries(runsOf(), 'unseen', pools))).toEqual(apart);
  });
});

describe('runs that wait for each other in a circle', () => {
  const all = ['a', 'b', 'c', 'd'];

  /** Each run holds the pool of its name and waits for that of another one: the next, or the one before. */
  function holdersOf(count: number, next: number): readonly string[] {
    const names = all.slice(0, count);
    const plans = names.map((name, index) => {
      const other = names[(index + next + count) % count] ?? '';
      return { ...aRunPlan({ move: {} }, {}, [name, other]), name };
    });
    const pools = names.map((name) => ({ ...heldBy(name), name }));
    const records = new Map(names.map((name) => [name, emptyRunRecord]));
    const rollouts = rolloutsOf({ plans, pools, records, update: 'none', stored: new Set(names) });
    return names.map((name) => `${name} ${rollouts.get(name)?.run}`);
  }

  it.each([
    [3, 1, ['a a', 'b a', 'c c']],
    [3, -1, ['a a', 'b b', 'c a']],
    [4, 1, ['a a', 'b a', 'c c', 'd d']],
    [4, -1, ['a a', 'b b', 'c c', 'd a']],
  ])('[S4-22] of %i, each for pool %i further: one gives, and the first has all its pools', (count, next, holders) => {
    expect(holdersOf(count, next)).toEqual(holders);
  });
});
