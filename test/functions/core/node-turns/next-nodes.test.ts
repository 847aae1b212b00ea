import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import { nextNodes } from '../../../../functions/core/node-turns/next-nodes.ts';
import type { RunQuestion } from '../../../../functions/core/node-turns/run-question.ts';
import {
  type CanaryWatch,
  type RunRecord,
  type Turn,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import type { TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import {
  anUpdatedNode,
  aRunPlan,
  aRunPool,
  aRunQuestion,
  aTurn,
  aTurnNode,
  newConfig,
  now,
  oldConfig,
} from './run-builder.ts';

const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });

function nextOf(change: Partial<RunQuestion>) {
  const { begin, why } = nextNodes(aRunQuestion(change));
  return { begin: begin.map(({ name }) => name), why };
}

function withRun(run: object): Pick<RunQuestion, 'plan'> {
  return { plan: aRunPlan({}, run) };
}

const turn = aTurn();

/** A run in which node w1 has had, or has, its turn. */
function withTurn(change: Partial<Turn>): RunRecord {
  return { v: 1, pools: {}, turns: { w1: { ...turn, ...change } }, log: [] };
}

describe('which node begins', () => {
  it('[S4-4] only members of the pools of the run, as the MCO assigns them', () => {
    const nodes = [aTurnNode('infra', { pool: 'infra' }), aTurnNode('both', { pool: undefined }), aTurnNode('w1')];

    expect(nextOf({ nodes }).begin).toEqual(['w1']);
  });

  it.each([
    ['by name', {}, ['a', 'b', 'c']],
    [
      'by zone, as the MCO',
      { b: { labels: zone('a') }, a: { labels: zone('b') }, c: { labels: zone('c') } },
      ['b', 'a', 'c'],
    ],
    ['by the label of their priority', { c: { labels: { 'poolkeeper.dev/turn-priority': '5' } } }, ['c', 'a', 'b']],
    [
      'a priority that is no number counts as none',
      { c: { labels: { 'poolkeeper.dev/turn-priority': 'x' } } },
      ['a', 'b', 'c'],
    ],
  ])('[S4-23] [N-11] %s', (_, changes: Readonly<Record<string, object>>, order) => {
    const nodes = ['a', 'b', 'c'].map((name) => aTurnNode(name, changes[name]));

    expect(nextOf({ nodes, ...withRun({ atOnce: 3 }) }).begin).toEqual(order);
  });

  it('[S4-23] [N-11] nodes that are named go first, and the node of Argo CD’s controller goes last', () => {
    const named = nextOf({ ...withRun({ order: ['w3'], atOnce: 3 }), controllers: new Set(['w1']) });

    expect(named.begin).toEqual(['w3', 'w2', 'w1']);
  });

  it('[S4-34] the nodes of the first target go first', () => {
    const pools = [aRunPool({ name: 'db' }), aRunPool()];
    const nodes = [aTurnNode('a'), aTurnNode('z', { pool: 'db' })];

    expect(nextOf({ nodes, pools }).begin).toEqual(['z']);
  });

  it('[S4-23] at most so many in one zone', () => {
    const nodes = ['a', 'b', 'c'].map((name) => aTurnNode(name, { labels: zone(name === 'c' ? 'two' : 'one') }));

    expect(nextOf({ nodes, ...withRun({ atOnce: 3, perZone: 1 }) }).begin).toEqual(['a', 'c']);
  });

  it.each([
    ['not ready', { ready: false }, '1 node of its pools unavailable (w1), and at most 1 may be'],
    ['cordoned', { cordoned: true }, '1 node of its pools unavailable (w1), and at most 1 may be'],
    ['not done', { state: 'Working' }, '1 node of its pools unavailable (w1), and at most 1 may be'],
  ])('[S4-38] none begins while another member is %s: the MCO does not count for us', (_, change, why) => {
    expect(nextOf({ nodes: [aTurnNode('w1', change), aTurnNode('w2')] })).toEqual({ begin: [], why });
  });

  it('[S4-38] [S4-39] a cordoned node that is taken counts once: others wait for as long as too many are cordoned', () => {
    const run = withRun({ cordoned: 'take', unavailableAtMost: 2 });
    const cordoned = ['w1', 'w2'].map((name) => aTurnNode(name, { cordoned: true }));

    expect(nextOf({ ...run, nodes: [...cordoned, aTurnNode('w3')] }).begin).toEqual(['w1']);
    expect(nextOf({ ...run, nodes: [aTurnNode('w0'), ...cordoned] }).begin).toEqual(['w1']);
    expect(nextOf({ ...run, nodes: [...cordoned, aTurnNode('w3', { cordoned: true })] }).begin).toEqual([]);
    expect(nextOf({ ...run, nodes: [aTurnNode('w0'), aTurnNode('w1', { cordoned: true })] }).begin).toEqual(['w0']);
  });

  it('[S4-23] [N-11] a node with the hold label is left alone until the label is gone', () => {
    const held = aTurnNode('w1', { labels: { 'poolkeeper.dev/hold': '' } });

    expect(nextOf({ nodes: [held, aTurnNode('w2')] }).begin).toEqual(['w2']);
    expect(nextOf({ nodes: [held] })).toEqual({ begin: [], why: 'w1: it has the label poolkeeper.dev/hold' });
  });

  it('[S4-23] [N-30] a node that has failed an earlier update is left alone, and nobody is said to have let it go now', () => {
    const failed = aTurnNode('w1', { desiredConfig: 'rendered-worker-bad', state: 'Degraded', reason: 'no such unit' });

    expect(nextOf({ nodes: [failed], ...withRun({ unavailableAtMost: 2 }) })).toEqual({
      begin: [],
      why: 'w1: its update to rendered-worker-bad has failed: no such unit',
    });
  });

  it('[S4-23] canary nodes go first, and the others wait until they are done and the soak is over', () => {
    const run = { canaryNodes: ['w2'], soakSeconds: 600 };
    const nodes = [aTurnNode('w1'), anUpdatedNode('w2')];
    const place = { pool: 'worker', target: newConfig };
    const recordOf = (w2: CanaryWatch) => ({ v: 1 as const, pools: {}, turns: {}, log: [], canaries: { w2 } });

    expect(nextOf(withRun(run)).begin).toEqual(['w2']);
    expect(nextOf({ ...withRun(run), nodes, record: recordOf(place) })).toEqual({
      begin: [],
      why: 'canary nodes go first: w2',
    });
    expect(nextOf({ ...withRun(run), nodes, record: recordOf({ ...place, since: now.toISOString() }) })).toEqual({
      begin: [],
      why: 'the canary nodes are watched until 2026-11-22T10:10:00.000Z',
    });
    expect(nextOf({ ...withRun(run), nodes, record: recordOf({ ...place, passed: true }) }).begin).toEqual(['w1']);
  });

  it.each<[string, Turn | undefined]>([
    ['that never had a turn', undefined],
    ['that a person has left out', { ...turn, step: 'skipped', leftOut: true }],
    ['that a rule has skipped', { ...turn, step: 'skipped', skip: 'its Job failed' }],
    ['whose turn was to an earlier config', { ...turn, step: 'done', target: oldConfig }],
  ])('[S4-20] [S4-23] a canary node %s, and that has its config from elsewhere, is watched from then on', (_, had) => {
    const question = withRun({ canaryNodes: ['w2'], soakSeconds: 600 });
    const held = aTurnNode('w2', { labels: { 'poolkeeper.dev/hold': '' } });
    const turns = had === undefined ? {} : { w2: had };
    const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const look = (record: RunRecord, w2: TurnNode, seconds: number) =>
      judgeRun(aRunQuestion({ ...question, nodes: [aTurnNode('w1'), w2], record, now: after(seconds) }));

    const away = look({ v: 1, pools: {}, turns, log: [] }, held, 0);
    const arrived = look(away.record, anUpdatedNode('w2'), 3_600);
    const stillWatched = look(arrived.record, anUpdatedNode('w2'), 4_199);
    const over = look(stillWatched.record, anUpdatedNode('w2'), 4_200);

    for (const { next } of [arrived, stillWatched])
      expect(next).toMatchObject({ begin: [], why: 'the canary nodes are watched until 2026-11-22T11:10:00.000Z' });
    expect(over.next.begin.map(({ name }) => name)).toEqual(['w1']);
  });

  it('[S4-23] a canary node that had the config of its pool before the run is not watched', () => {
    const question = withRun({ canaryNodes: ['w2'], soakSeconds: 600 });

    const { next, record } = judgeRun(aRunQuestion({ ...question, nodes: [aTurnNode('w1'), anUpdatedNode('w2')] }));

    expect(next.begin.map(({ name }) => name)).toEqual(['w1']);
    expect(record.canaries).toMatchObject({ w2: { passed: true } });
  });

  it('[S4-40] a node that came up with the config of its pool takes no turn', () => {
    expect(nextOf({ nodes: [anUpdatedNode('w1')] })).toEqual({ begin: [], why: undefined });
  });
});

describe('a look at a run', () => {
  it('[S4-11] no turn begins before every pool of the run is confirmed paused', () => {
    const pools = [
      aRunPool(),
      aRunPool({ name: 'infra', isPaused: false, closed: 'the MCO has not confirmed its pause yet' }),
    ];

    const { actions, next } = judgeRun(aRunQuestion({ pools }));

    expect(actions).toEqual([]);
    expect(next.why).toBe('pool infra: the MCO has not confirmed its pause yet');
  });

  it('[S4-11] [N-29] a pool that somebody has resumed past the run keeps the nodes of others as long as it has nodes left', () => {
    const plan = aRunPlan({ move: {} }, {}, ['storage', 'worker']);
    const resumed = aRunPool({ name: 'storage', isPaused: false, closed: 'anna has resumed it', isResumed: true });
    const nodes = [anUpdatedNode('s1', { pool: 'storage' }), aTurnNode('w1')];
    const asked = aRunQuestion({ plan, nodes, pools: [resumed, aRunPool()] });
    const done = judgeRun(asked);
    const left = judgeRun({ ...asked, nodes: [...nodes, aTurnNode('s2', { pool: 'storage' })] });
    const notYet = judgeRun({ ...asked, pools: [{ ...resumed, isResumed: undefined }, aRunPool()] });

    const applied = done.record.conditions?.find(({ type }) => type === 'MutexRulesApplied');
    expect([done.record.turns['w1']?.step, applied?.status]).toEqual(['before', 'True']);
    expect([left.record.turns, left.next.why]).toEqual([{}, 'pool storage: anna has resumed it']);
    expect(notYet.record.turns).toEqual({});
  });

  it('[S4-17] a rule that may fail is tried again after its back-off, as another attempt', () => {
    const plan = aRunPlan({ move: { retries: 1, backOffSeconds: 120 } });
    const before = { ...turn, step: 'before' as const, ran: ['poolkeeper/move'], seen: true as const };
    const record = { v: 1 as const, pools: {}, turns: { w1: before }, log: [] };
    const seen = new Map([['w1', { kind: 'failed' as const, why: 'exit code 1' }]]);

    const first = judgeRun(aRunQuestion({ plan, record, seen }));
    const waiting = judgeRun(aRunQuestion({ plan, record: first.record }));
    const again = judgeRun(aRunQuestion({ plan, record: first.record, now: new Date(now.getTime() + 120_000) }));

    expect(first.record.turns['w1']).toMatchObject({ attempt: 2, retryAt: '2026-11-22T10:02:00.000Z' });
    expect(waiting.actions).toEqual([]);
    expect(again.actions).toMatchObject([{ kind: 'create-job', node: 'w1', turn: { attempt: 2 } }]);
  });

  it('[S4-14] [S4-17] a Job that somebody deleted is not run again by itself', () => {
    const job = { jobName: 'move', jobNamespace: 'poolkeeper', timeoutSeconds: 3600 };
    const before = { ...turn, step: 'before' as const, ran: ['poolkeeper/move'], seen: true as const, job };
    const record = { v: 1 as const, pools: {}, turns: { w1: before }, log: [] };

    const { actions, problems } = judgeRun(aRunQuestion({ record }));

    expect(actions).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'job', node: 'w1', why: expect.stringContaining('somebody deleted it') }]);
  });

  it.each<[string, Partial<TurnNode>, Partial<Turn>, Turn['step']]>([
    ['and ready and schedulable is back', {}, {}, 'done'],
    ['and not ready is not', { ready: false }, {}, 'gone'],
    ['and cordoned, as it was not before, is not', { cordoned: true }, {}, 'gone'],
    ['and cordoned as before is', { cordoned: true }, { cordoned: true }, 'done'],
    ['and is about to go elsewhere is not', { desiredConfig: oldConfig }, {}, 'gone'],
    ['by its file, and still works, is not', { state: 'Working' }, {}, 'gone'],
    ['and waits to be uncordoned is not', { lastAppliedDrain: `drain-${newConfig}` }, {}, 'gone'],
  ])('[S4-18] a node that has its config %s', (_, change, before, step) => {
    const record = withTurn(before);

    const judged = judgeRun(aRunQuestion({ record, nodes: [anUpdatedNode('w1', change)] }));

    expect(judged.record.turns['w1']?.step).toBe(step);
  });

  it('[S4-18] [S4-20] a node that is not back in time is told, and goes on when it is back', () => {
    const record = { v: 1 as const, pools: {}, turns: { w1: turn }, log: [] };
    const late = new Date(now.getTime() + 6_000_000);
    const away = aTurnNode('w1', { desiredConfig: newConfig, state: 'Working', ready: false });

    const { problems } = judgeRun(aRunQuestion({ record, nodes: [away], now: late }));
    const back = judgeRun(aRunQuestion({ record, nodes: [anUpdatedNode('w1')], now: late }));

    expect(problems).toMatchObject([
      { kind: 'node', node: 'w1', why: expect.stringContaining('not back after 1 h 40 min') },
    ]);
    expect(back.problems).toEqual([]);
    expect(back.record.turns['w1']?.step).toBe('done');
  });

  it('[S4-24] conditions are true as they stand: after the end none says that pools are paused', () => {
    const nodes = [anUpdatedNode('w1')];
    const status = (judged: ReturnType<typeof judgeRun>, type: string) =>
      judged.record.conditions?.find((each) => each.type === type)?.status;

    const during = judgeRun(aRunQuestion());
    const ended = judgeRun(aRunQuestion({ nodes, pools: [aRunPool({ isPaused: false })] }));

    expect([status(during, 'TargetPoolsPaused'), status(during, 'UpgradeAvailable')]).toEqual(['True', 'True']);
    expect([status(ended, 'TargetPoolsPaused'), status(ended, 'UpgradeAvailable')]).toEqual(['False', 'False']);
  });

  it('[S4-37] with onMovedTarget: stop a pool that was rendered anew blocks the run until somebody lets it go on', () => {
    const plan = aRunPlan({}, { onMovedTarget: 'stop' });
    const record = { v: 1 as const, pools: { worker: { target: 'rendered-worker-cccccccc' } }, turns: {}, log: [] };

    const { problems, actions } = judgeRun(aRunQuestion({ plan, record }));

    expect(problems).toMatchObject([{ kind: 'moved' }]);
    expect(actions).toEqual([]);
  });

  it('[S4-37] [N-29] and says who has paused it, since to go on ends that, too', () => {
    const plan = aRunPlan({}, { onMovedTarget: 'stop' });
    const paused = { who: 'anna', why: 'not tonight', at: '2026-11-22T09:30:00.000Z' };
    const pools = { worker: { target: 'rendered-worker-cccccccc' } };

    const { problems } = judgeRun(aRunQuestion({ plan, record: { v: 1 as const, pools, turns: {}, log: [], paused } }));

    expect(problems).toMatchObject([{ kind: 'moved', paused }]);
  });

  it.each<[string, Partial<RunQuestion>, Readonly<Record<string, string>>]>([
    ['nothing has begun', { closed: 'a gate' }, { UpgradeReady: 'False', JobRun: 'Unknown', NodeUpgrade: 'Unknown' }],
    [
      'Jobs run',
      { record: withTurn({ step: 'before', ran: ['poolkeeper/move'] }), seen: new Map([['w1', { kind: 'running' }]]) },
      { JobRun: 'Unknown', NodeUpgrade: 'Unknown', MutexRulesApplied: 'True' },
    ],
    [
      'its first node is on its way',
      {
        record: withTurn({ step: 'gone' }),
        nodes: [aTurnNode('w1', { desiredConfig: newConfig, state: 'Working' }), aTurnNode('w2')],
      },
      { JobRun: 'True', NodeUpgrade: 'Unknown' },
    ],
    [
      'one node is done',
      { record: withTurn({ step: 'done' }), nodes: [anUpdatedNode('w1'), aTurnNode('w2')], closed: 'a gate' },
      { JobRun: 'True', NodeUpgrade: 'True', UpgradeAvailable: 'True' },
    ],
    [
      'a node was skipped',
      { record: withTurn({ step: 'skipped', skip: 'it failed' }), closed: 'a gate' },
      { JobRun: 'False' },
    ],
    [
      'somebody has resumed its pool',
      { pools: [aRunPool({ isPaused: false, closed: 'somebody has resumed it' })] },
      { TargetPoolsPaused: 'False', MutexRulesApplied: 'False', UpgradeReady: 'False' },
    ],
    [
      'it was aborted',
      { record: { ...withTurn({ step: 'done' }), aborted: { who: 'ops', why: 'no', at: now.toISOString() } } },
      { MutexRulesApplied: 'False', UpgradeReady: 'False' },
    ],
    ['a pool is refused', { pools: [aRunPool({ refused: 'it is layered' })] }, { ConfigValidated: 'False' }],
  ])('[S4-24] conditions are true while %s', (_, change, expected) => {
    const { conditions = [] } = judgeRun(aRunQuestion(change)).record;
    const found = new Map(conditions.map(({ type, status }) => [type, status]));

    expect(Object.fromEntries(Object.keys(expected).map((type) => [type, found.get(type)]))).toEqual(expected);
  });

  it('[S4-24] conditions say which pool is not paused, and why', () => {
    const pools = [aRunPool({ isPaused: false, closed: 'somebody has resumed it' })];
    const { conditions = [] } = judgeRun(aRunQuestion({ pools })).record;

    for (const type of ['TargetPoolsPaused', 'MutexRulesApplied'])
      expect(conditions.find((each) => each.type === type)?.message).toBe('Pool worker: somebody has resumed it.');
  });

  it.each([{ step: 'before' as const }, { step: 'gone' as const }])(
    '[S4-37] with onMovedTarget: stop no node goes to the new config either, whose turn is in step $step, and on go-on it does',
    ({ step }) => {
      const plan = aRunPlan({}, { onMovedTarget: 'stop' });
      const target = 'rendered-worker-cccccccc';
      const record = {
        v: 1 as const,
        pools: { worker: { target } },
        turns: { w1: { ...turn, step, target } },
        log: [],
      };
      const said = { who: 'ops', why: 'seen', at: now.toISOString() };

      const stopped = judgeRun(aRunQuestion({ plan, record, nodes: [aTurnNode('w1')] }));
      const on = withRunRequest(stopped.record, { kind: 'go-on', said });

      expect(stopped.actions).toEqual([]);
      expect(stopped.waits.get('w1')).toContain('its pool was rendered anew');
      expect(judgeRun(aRunQuestion({ plan, record: on, nodes: [aTurnNode('w1')] })).actions).toMatchObject([
        { kind: 'let-go', turn: { target: newConfig } },
      ]);
    },
  );

  it('[S4-20] [S4-23] a canary node that was skipped is told, because all others wait for it', () => {
    const plan = aRunPlan({}, { canaryNodes: ['w2'] });
    const record = { v: 1 as const, pools: {}, turns: { w2: { ...turn, step: 'skipped' as const } }, log: [] };

    const { problems, actions } = judgeRun(aRunQuestion({ plan, record }));

    expect(actions).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'skipped', node: 'w2', why: expect.stringContaining('all others wait') }]);
  });

  it('[S4-7] [S4-24] [N-29] a turn gives way to a pool of a lower wave that has nodes to go, once its Job has ended, and waits', () => {
    const plan = aRunPlan({ move: {} }, {}, ['storage', 'worker']);
    const before = { ...turn, step: 'before' as const, ran: ['poolkeeper/move'], seen: true as const };
    const record = { v: 1 as const, pools: {}, turns: { w1: before }, log: [] };
    const closed = 'gate wave: pool storage of wave 0 is not updated yet';
    const pools = [aRunPool({ name: 'storage' }), aRunPool({ closed, after: ['storage'], waitsForThem: true })];
    const nodes = [aTurnNode('s1', { pool: 'storage' }), aTurnNode('w1')];
    const asked = aRunQuestion({ plan, record, nodes, pools });
    const running = judgeRun({ ...asked, seen: new Map([['w1', { kind: 'running' as const }]]) });
    const ended = judgeRun({ ...asked, seen: new Map([['w1', { kind: 'complete' as const, said: '' }]]) });
    const none = judgeRun({ ...asked, nodes: nodes.slice(1) });
    const [first, second] = [aRunPool({ name: 'storage' }), aRunPool({ closed, after: ['storage'] })];
    const others = judgeRun({ ...asked, pools: [first, second] });

    expect(running.record.turns['w1']?.step).toBe('before');
    expect(ended.record.turns['w1']?.skip).toBe('it gives way: nodes of pool storage go first');
    expect(none.record.turns['w1']?.skip).toBeUndefined();
    expect(others.record.turns['w1']?.skip).toBeUndefined();
    const over = { ...before, step: 'skipped' as const, skip: ended.record.turns['w1']?.skip };
    const later = judgeRun({ ...asked, record: { ...record, turns: { w1: over } } });
    expect(later.next.waiting.map(({ node }) => node.name)).toEqual(['s1', 'w1']);
    expect(later.problems).toEqual([]);
    expect(later.record.conditions?.find(({ type }) => type === 'JobRun')?.status).toBe('Unknown');
  });

  it('[S4-7] [S4-20] [N-29] [N-30] a node that was skipped is told where pools that go after its own wait for it', () => {
    const plan = aRunPlan({ move: {} }, {}, ['storage', 'worker']);
    const left = aTurn({ pool: 'storage', step: 'skipped', skip: 'ops: not today' });
    const record = { v: 1 as const, pools: {}, turns: { s1: left }, log: [] };
    const closed = 'gate wave: pool storage of wave 0 is not updated yet';
    const waits = aRunPool({ closed, after: ['storage'], waitsForThem: true });
    const nodes = [aTurnNode('s1', { pool: 'storage' }), aTurnNode('w1')];
    const asked = aRunQuestion({ plan, record, nodes, pools: [aRunPool({ name: 'storage' }), waits] });
    const { problems } = judgeRun(asked);
    const others = judgeRun({ ...asked, nodes: [...nodes, aTurnNode('s2', { pool: 'storage' })] });
    const bySync = judgeRun({ ...asked, pools: [aRunPool({ name: 'storage' }), aRunPool({ closed: 'a sync runs' })] });

    const why = 's1 was skipped, and pools that go after its own wait for it';
    expect(problems).toMatchObject([{ kind: 'skipped', node: 's1', why }]);
    expect([others.problems, bySync.problems]).toEqual([[], []]);
  });

  const rests = aTurnNode('w1');

  it.each([
    ['with its Jobs done', { step: 'before' }, rests, ['s1']],
    ['that was to go', { step: 'gone', stays: true }, rests, ['s1']],
    ['that is on its way', { step: 'gone' }, { ...rests, desiredConfig: newConfig, state: 'Working' }, []],
  ] as const)(
    '[S4-7] [S4-20] [N-29] [N-30] a node that was skipped is told where the turn of a node %s waits for it',
    (_, open, node, told) => {
      const plan = aRunPlan({}, {}, ['storage', 'apps', 'worker']);
      const turns = { s1: aTurn({ pool: 'storage', step: 'skipped', skip: 'ops: not today' }), w1: aTurn(open) };
      const closed = 'gate wave: pool storage of wave 0 is not updated yet';
      const waits = aRunPool({ closed, after: ['storage'], waitsForThem: true });
      const nodes = [aTurnNode('s1', { pool: 'storage' }), aTurnNode('a1', { pool: 'apps' }), node];
      const pools = [aRunPool({ name: 'storage' }), aRunPool({ name: 'apps' }), waits];

      const { problems } = judgeRun(aRunQuestion({ plan, record: { v: 1, pools: {}, turns, log: [] }, nodes, pools }));

      expect(problems.map(({ node: name }) => name)).toEqual(told);
    },
  );

  it('[S4-38] a node whose Jobs have run waits while too many others are unavailable, whoever went before', () => {
    const before = { ...turn, step: 'before' as const };
    const plan = aRunPlan({}, { atOnce: 2 });
    const record = { v: 1 as const, pools: {}, turns: { w1: before, w2: before }, log: [] };
    const nodes = [aTurnNode('w1'), aTurnNode('w2'), aTurnNode('w3', { ready: false })];

    const { actions, waits } = judgeRun(aRunQuestion({ plan, record, nodes }));
    const room = judgeRun(aRunQuestion({ plan, record, nodes: nodes.slice(0, 2) }));

    expect(actions).toMatchObject([{ kind: 'let-go', node: 'w1' }]);
    expect(waits.get('w2')).toContain('2 nodes of its pools unavailable');
    expect(room.actions).toHaveLength(2);
  });

  describe('a node that is not ready and has no turn', () => {
    const silent = aTurnNode('w3', { ready: false });
    const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
    const toldOf = (change: Partial<RunQuestion>, after = 16) => {
      const { record } = judgeRun(aRunQuestion(change));
      return judgeRun(aRunQuestion({ ...change, record, now: minutes(after) })).problems;
    };
    const told = [{ kind: 'node', node: 'w3', since: now.toISOString() }];
    const done = { nodes: [anUpdatedNode('w1'), silent] };
    const inTurn = withTurn({ step: 'before', ran: ['poolkeeper/move'], succeeded: true });
    const paused = { ...withTurn({ step: 'done' }), paused: { who: 'ops', why: 'tonight', at: now.toISOString() } };

    it.each<[string, Partial<RunQuestion>]>([
      ['takes the room of all others', { nodes: [aTurnNode('w1'), silent] }],
      ['is the last that is left', done],
      ['keeps one in its turn from going', { nodes: [aTurnNode('w1'), silent], record: inTurn }],
    ])('[S4-20] [N-30] and %s is told after a quarter of an hour', (_, change) => {
      expect(toldOf(change, 14)).toEqual([]);
      expect(toldOf(change)).toMatchObject(told);
    });

    it.each<[string, Partial<RunQuestion>]>([
      [
        'leaves room for others',
        { plan: aRunPlan({ move: {} }, { unavailableAtMost: 2 }), nodes: [aTurnNode('w1'), silent] },
      ],
      ['is kept by the label', { nodes: [{ ...silent, labels: { 'poolkeeper.dev/hold': '' } }] }],
      ['is at the target of its pool', { nodes: [anUpdatedNode('w1', { ready: false })] }],
      ['waits for something else', { ...done, pools: [aRunPool({ closed: 'its window is closed' })] }],
      ['waits for a person', { ...done, record: paused }],
    ])('[S4-20] [N-29] and %s is not', (_, change) => {
      expect(toldOf(change)).toEqual([]);
    });

    it('[S4-20] [N-30] is told anew once it was ready, and by a clock that ran ahead in time', () => {
      const ahead = judgeRun(aRunQuestion({ ...done, now: minutes(24 * 60) }));
      const seen = judgeRun(aRunQuestion({ ...done, record: ahead.record }));
      const ready = judgeRun(aRunQuestion({ nodes: [anUpdatedNode('w1'), aTurnNode('w3')], record: seen.record }));

      expect(judgeRun(aRunQuestion({ ...done, record: seen.record, now: minutes(16) })).problems).toMatchObject(told);
      expect(ready.record.notReady).toBeUndefined();
    });
  });

  it('[S4-4] [S4-14] a node that left its pool and comes back has another turn, with Jobs of its own', () => {
    const skipped = { ...turn, step: 'skipped' as const, skip: 'it is in pool infra now' };
    const record = { v: 1 as const, pools: {}, turns: { w1: skipped }, log: [] };

    const left = judgeRun(aRunQuestion({ record, nodes: [aTurnNode('w1', { pool: 'infra' })] }));
    const back = judgeRun(aRunQuestion({ record: left.record, nodes: [aTurnNode('w1')] }));

    expect([left.record.turns, left.problems]).toEqual([{}, []]);
    expect(back.record.turns['w1']?.round).toBe('2-bbbbbbbb');
  });

  it('[S4-41] a pool that the run may not touch blocks it with the reason', () => {
    const { problems, actions } = judgeRun(
      aRunQuestion({ pools: [aRunPool({ refused: 'the cluster has a single node' })] }),
    );

    expect(problems).toMatchObject([{ kind: 'refused', why: 'pool worker: the cluster has a single node' }]);
    expect(actions).toEqual([]);
  });
});
