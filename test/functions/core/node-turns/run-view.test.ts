import { describe, expect, it } from 'vitest';
import { NodeTurns } from '../../../../functions/core/configuration/node-turns.ts';
import { runsOf } from '../../../../functions/core/node-turns/run-plan.ts';
import { emptyRunRecord, type RunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import type { LookAtRun } from '../../../../functions/core/node-turns/run-tile.ts';
import { type RunView, runView } from '../../../../functions/core/node-turns/run-view.ts';
import { shownRun } from '../../../../functions/core/node-turns/shown-run.ts';
import type { ReadyNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { aNode, aPool } from '../../../fakes/builders.ts';

const noon = new Date('2026-11-22T12:00:00.000Z');
const target = 'rendered-worker-bbb';
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };

function at(minutes: number): string {
  return new Date(noon.getTime() - minutes * 60_000).toISOString();
}

function node(name: string, more: Partial<ReadyNode> = {}): ReadyNode {
  const config = more.currentConfig ?? 'rendered-worker-aaa';
  const labels = { 'node-role.kubernetes.io/worker': '' };
  return {
    ready: true,
    cordoned: false,
    ...aNode({ name, labels, currentConfig: config, desiredConfig: config }),
    ...more,
  };
}

function turn(more: Partial<Turn>): Turn {
  const base: Turn = {
    pool: 'worker',
    target,
    round: '1-bbb',
    step: 'before',
    since: at(5),
    ran: [],
    cleaned: [],
    attempt: 1,
  };
  return { ...base, ...more };
}

interface Seen {
  readonly record?: Partial<RunRecord>;
  readonly nodes: readonly ReadyNode[];
  readonly look?: LookAtRun;
  readonly atOnce?: number;
  readonly unread?: readonly string[];
}

function viewOf({ record, nodes, look, atOnce = 1, unread = [] }: Seen): RunView {
  const upgrade = {
    cluster: 'prod',
    mode: 'turns',
    atOnce,
    mutexRules: [{ name: 'move' }],
    mutexTargets: [{ name: 'workers' }],
  };
  const turns = NodeTurns.parse({
    rules: { move: { jobSpec } },
    targets: { workers: { machineConfigPools: ['worker'] } },
    runs: { upgrade },
  });
  const [plan] = runsOf(turns, 'prod');
  if (plan === undefined) throw new Error('no plan');
  const own = aPool({ paused: true, target: { name: target, sources: [] } });
  const pools = [own].filter(({ name }) => !unread.includes(name));
  return runView({ plan, record: { ...emptyRunRecord, ...record }, pools, unread, nodes, look, now: noon });
}

const done = (minutes: number) => turn({ step: 'done', since: at(minutes) });
const took = (name: string, from: number, to: number) => [
  { at: at(from), node: name, what: 'its turn begins' },
  { at: at(to), node: name, what: 'its turn is over' },
];

describe('a run as people see it', () => {
  it('[S4-20] [N-11] says which node comes next, and why not now', () => {
    const nodes = [node('w1', { currentConfig: target }), node('w2'), node('w3'), node('w4')];
    const turns = { w1: done(9), w2: turn({}) };
    const waits = (record: Partial<RunRecord>) => viewOf({ record: { turns, ...record }, nodes }).next;
    const said = { who: 'ann', why: 'wrong night', at: at(1) };

    expect(waits({})).toEqual({ node: 'w3', why: 'when w2 is done: 1 node at once' });
    expect(waits({ paused: said })).toEqual({ node: 'w3', why: 'when the run goes on: ann paused it' });
    expect(waits({ blockedSince: at(2) })).toEqual({ node: 'w3', why: 'when the run goes on: it is blocked' });
    expect(waits({ aborted: said })).toBeUndefined();
    expect(viewOf({ record: { turns: { w1: done(9) } }, nodes }).next).toEqual({
      node: 'w2',
      why: 'with the next look',
    });
  });

  it.each(['worker', 'infra'])('[S4-20] [N-29] is not done while pool %s of its cluster cannot be parsed', (name) => {
    const nodes = [node('w1', { currentConfig: target, desiredConfig: target }), node('w2')];
    const view = viewOf({ nodes, record: { turns: { w2: turn({}) } }, unread: [name] });
    const said = { who: 'ann', why: 'enough', at: at(1) };
    const aborted = viewOf({ nodes, record: { aborted: said, endedAt: at(1) }, unread: [name] });

    expect(view).toMatchObject({
      state: 'blocked',
      block: { kind: 'unseen', cause: `pool ${name} cannot be parsed: which nodes are its own is not known` },
      next: undefined,
      tiles: [{ node: 'w2' }],
    });
    expect(view.pools[0]?.unread).toBe(name === 'worker' ? true : undefined);
    expect(aborted).toMatchObject({ state: 'aborted', block: undefined });
  });

  it('[S4-20] [S4-28] of what keeps the next node says what the last look found, also where only the record is read', () => {
    const conditions = [
      {
        type: 'UpgradeReady',
        status: 'False',
        reason: 'UpgradeNotReady',
        message: 'gate window: opens at 22:00',
        at: at(1),
      } as const,
    ];

    expect(viewOf({ record: { conditions }, nodes: [node('w1')] }).next).toEqual({
      node: 'w1',
      why: 'not yet: gate window: opens at 22:00',
    });
  });

  it('[S4-20] what all wait for is said once, and what only one waits for beside that one', () => {
    const nodes = [node('w1'), node('w2'), node('w3', { cordoned: true })];
    const closed = 'gate window: opens at 22:00';
    const waiting = nodes.map((each) => ({
      node: { ...each, pool: 'worker' },
      why: each.cordoned ? 'somebody cordoned it' : closed,
    }));
    const look = { next: { begin: [], waiting, why: closed }, problems: [], waits: new Map(), seen: new Map() };

    const view = viewOf({ nodes, look });

    expect(view.next).toEqual({ node: 'w1', why: `not yet: ${closed}` });
    expect(view.tiles.map(({ doing }) => doing)).toEqual([
      'waits for its turn',
      'waits for its turn',
      'somebody cordoned it',
    ]);
  });

  it('[S4-20] has its nodes in the order of their turns: done, under way, to come, left out', () => {
    const turns = {
      w5: done(20),
      w1: done(9),
      w3: turn({ step: 'gone' }),
      w2: turn({ step: 'skipped', skip: 'ann: later' }),
    };
    const nodes = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map((name) =>
      node(name, { currentConfig: name === 'w1' || name === 'w5' ? target : 'rendered-worker-aaa' }),
    );

    const { tiles } = viewOf({ record: { turns }, nodes });

    expect(tiles.map((tile) => [tile.node, tile.state, tile.place])).toEqual([
      ['w5', 'done', undefined],
      ['w1', 'done', undefined],
      ['w3', 'updating', undefined],
      ['w4', 'waiting', 0],
      ['w6', 'waiting', 1],
      ['w2', 'skipped', undefined],
    ]);
  });

  it('[S4-20] tells how long it goes on from the turns that are over, and nothing before the first', () => {
    const nodes = [node('w1', { currentConfig: target }), node('w2'), node('w3'), node('w4'), node('w5')];
    const log = [...took('w1', 30, 20), { at: at(4), node: 'w2', what: 'its turn begins' }];
    const turns = { w1: done(20), w2: turn({}) };

    expect(viewOf({ record: { turns, log }, nodes }).minutesLeft).toBe(36);
    expect(viewOf({ record: { turns, log }, nodes, atOnce: 2 }).minutesLeft).toBe(16);
    expect(viewOf({ record: { turns: {}, log: [] }, nodes }).minutesLeft).toBeUndefined();
  });

  it('[S4-29] of a blocked run names the first problem of the look, its node among all, and one command', () => {
    const look = (kind: 'moved' | 'node' | 'unseen', name: string): LookAtRun => ({
      next: { begin: [], waiting: [], why: undefined },
      problems: [{ kind, node: name, since: at(3), why: 'because' }],
      waits: new Map(),
      seen: new Map(),
    });
    const blockOf = (kind: 'moved' | 'node' | 'unseen', name: string) =>
      viewOf({ record: { blockedSince: at(3) }, nodes: [node('w1'), node('w2')], look: look(kind, name) }).block;

    expect(blockOf('node', 'w2')).toEqual({
      kind: 'node',
      node: 'w2',
      place: 2,
      cause: 'because',
      action: 'poolkeeper explain --node w2',
    });
    expect(blockOf('moved', '')).toMatchObject({
      place: undefined,
      action: 'poolkeeper run go-on upgrade --reason "..."',
    });
    expect(blockOf('unseen', '')?.action).toBe('poolkeeper doctor');
    const paused = { who: 'anna', why: 'not tonight', at: at(2) };
    expect(
      viewOf({ record: { blockedSince: at(3), paused }, nodes: [node('w1')], look: look('moved', '') }).block?.action,
    ).toBe('poolkeeper run status upgrade');
  });

  it('[S4-29] of a run whose failed Job may try again says to look at it, until Poolkeeper has looked', () => {
    const failed = {
      type: 'JobRun',
      status: 'False',
      reason: 'JobRunFailed',
      message: 'exit code 3',
      at: at(3),
    } as const;
    const record = { blockedSince: at(3), turns: { w1: turn({ attempt: 2 }) }, conditions: [failed] };

    const { block } = viewOf({ record, nodes: [node('w1')] });

    expect(block).toMatchObject({ cause: 'exit code 3', action: 'poolkeeper run status upgrade' });
  });

  it('[S4-20] of 2,000 nodes keeps those that somebody wants to see, and counts the others', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `w${String(index).padStart(4, '0')}`);
    const isDone = (index: number) => index < 900;
    const turns = Object.fromEntries(
      names.flatMap((name, index) => (isDone(index) ? [[name, done(2_000 - index)]] : [])),
    );
    const nodes = names.map((name, index) => node(name, isDone(index) ? { currentConfig: target } : {}));
    const active = { w1500: turn({ step: 'gone' }) };

    const shown = shownRun(viewOf({ record: { turns: { ...turns, ...active } }, nodes }), noon);

    expect([shown.done, shown.total, shown.tiles.length]).toEqual([900, 2_000, 150]);
    expect(shown.tilesOmitted).toEqual({ done: 826, waiting: 1_024 });
    expect(shown.tiles.map((tile) => tile.node)).toEqual([...names.slice(826, 900), 'w1500', ...names.slice(900, 975)]);
  });
});
