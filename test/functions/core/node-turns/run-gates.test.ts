import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import { judgeGates } from '../../../../functions/core/node-turns/run-gates.ts';
import type { ClosedGate, RunQuestion } from '../../../../functions/core/node-turns/run-question.ts';
import { emptyRunRecord, type RunRecord } from '../../../../functions/core/node-turns/run-record.ts';
import { anUpdatedNode, aRunPlan, aTurn, aTurnNode, newConfig, now } from './run-builder.ts';

const storage: ClosedGate = {
  id: 'gate/storage',
  why: 'it is not healthy',
  isUnseen: false,
  timeoutSeconds: 1800,
  onTimeout: 'abort',
};
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const turn = aTurn();

function judge(record: RunRecord, minutes: number, change: Partial<ClosedGate> = {}) {
  return judgeGates(record, {
    gates: [{ ...storage, ...change }],
    isAlone: true,
    hasBegun: false,
    now: later(minutes),
  });
}

type Look = (record: RunRecord, minutes: number) => { readonly record: RunRecord };

/** The record after a look at each minute from `first` to `last`. */
function looksAt(before: RunRecord, [first, last]: readonly [number, number], look: Look = judge): RunRecord {
  let record = before;
  for (let minutes = first; minutes <= last; minutes += 1) record = look(record, minutes).record;
  return record;
}

it('[N-11] a gate that is closed because a node of the run is away does not time out, and keeps others back', () => {
  const away: RunRecord = { ...emptyRunRecord, turns: { w1: turn } };
  const first = judge(away, 0);
  const second = judge(first.record, 45);

  expect(second.record.aborted).toBeUndefined();
  expect(second.closed).toContain('it is not healthy');
  expect(second.record).toEqual(away);
});

it('[N-11] its time begins when no node is away any more', () => {
  const back: RunRecord = { ...emptyRunRecord, turns: { w1: { ...turn, step: 'done' } } };
  const late = looksAt(back, [60, 89]);

  expect(late.aborted).toBeUndefined();
  expect(judge(late, 90).record.aborted).toMatchObject({ who: 'its own gate' });
});

describe('a gate that nobody can look at', () => {
  const unseen = { isUnseen: true, why: 'storageclass ceph could not be read: 503' };

  it.each(['abort', 'proceed', 'alert'] as const)(
    '[N-11] [S2-19] neither ends the run nor is passed, whatever its timeout says (%s), and is told when that lasts',
    (onTimeout) => {
      const first = judge(emptyRunRecord, 0, { ...unseen, onTimeout });
      const late = judge(first.record, 61, { ...unseen, onTimeout });
      const says = `could not be looked at since ${later(0).toISOString()}: storageclass ceph could not be read: 503`;

      expect(first.problems).toEqual([]);
      expect(late.record.aborted).toBeUndefined();
      expect(late.closed).toBe(`a gate of the run ${says}`);
      expect(late.problems).toEqual([
        { kind: 'unseen', node: '', since: later(0).toISOString(), why: `gate/storage ${says}` },
      ]);
    },
  );

  it('[N-11] [S2-19] has its time when it is seen to be closed, and keeps what it had of it before', () => {
    const blind = (record: RunRecord, minutes: number) => judge(record, minutes, unseen);
    const seen = judge(looksAt(emptyRunRecord, [0, 45], blind), 46);
    const again = blind(looksAt(looksAt(seen.record, [47, 59]), [60, 69], blind), 70);

    expect(seen.record.aborted).toBeUndefined();
    expect(judge(seen.record, 70).record).toMatchObject({ closedGates: { 'gate/storage': later(46).toISOString() } });
    expect(again.record.unseenGates).toEqual({ 'gate/storage': later(60).toISOString() });
    expect(again.problems).toEqual([]);
    expect(looksAt(again.record, [71, 86]).aborted).toBeUndefined();
    expect(looksAt(again.record, [71, 87]).aborted?.why).toContain('closed for 30 min');
    expect(judge(again.record, 71).record.unseenGates).toBeUndefined();
  });

  it('[N-11] [S2-19] keeps nodes back beside one that counts no longer', () => {
    const passed: ClosedGate = { ...storage, id: 'gate/first', onTimeout: 'proceed' };
    const look = (gates: readonly ClosedGate[]) => (record: RunRecord, minutes: number) =>
      judgeGates(record, { gates, isAlone: true, hasBegun: false, now: later(minutes) });
    const alone = looksAt(emptyRunRecord, [0, 30], look([passed]));
    const late = look([passed, { ...storage, ...unseen }])(alone, 31);

    expect([look([passed])(alone, 31).closed, late.closed]).toEqual([
      undefined,
      expect.stringContaining('could not be looked at'),
    ]);
  });
});

describe('what was told of a gate', () => {
  const unseen = { isUnseen: true, why: '503' };

  it.each(['alert', 'abort', 'proceed'] as const)(
    '[N-11] [N-29] [S2-19] stays told while nobody can look at it: %s',
    (onTimeout) => {
      const look =
        (gate: Partial<ClosedGate>, isAlone = false) =>
        (record: RunRecord, minutes: number) =>
          judgeGates(record, {
            gates: [{ ...storage, onTimeout, ...gate }],
            ...{ isAlone, hasBegun: false, now: later(minutes) },
          });
      const told = looksAt(emptyRunRecord, [0, 45], look({}));
      const late = look(unseen)(looksAt(told, [46, 69], look(unseen)), 70);

      expect([look(unseen)(told, 46), late].map(({ problems }) => problems)).toEqual(
        [1, 2].map(() => [
          {
            ...{ kind: 'unseen', node: '', since: later(0).toISOString() },
            why: `gate/storage could not be looked at since ${later(46).toISOString()}: 503`,
          },
        ]),
      );
      expect(look({})(late.record, 71).problems).toMatchObject([{ kind: 'gate', since: later(0).toISOString() }]);
    },
  );

  it('[decoy] [N-11] [N-29] [S2-19] is nothing where it counted no longer, or was not closed for its time', () => {
    const look = (change: Partial<ClosedGate>, isAlone: boolean) => (record: RunRecord, minutes: number) =>
      judgeGates(record, {
        gates: [{ ...storage, onTimeout: 'proceed', ...change }],
        ...{ isAlone, hasBegun: false, now: later(minutes) },
      });
    const passed = looksAt(emptyRunRecord, [0, 60], look({}, true));
    const early = looksAt(emptyRunRecord, [0, 40], look({}, false));
    const stillBlind = looksAt(early, [41, 50], look(unseen, false));

    expect(look(unseen, false)(passed, 61).problems).toEqual([]);
    expect(look(unseen, false)(stillBlind, 51).problems).toEqual([]);
  });
});

describe('the time of a gate', () => {
  const asked = (record: RunRecord, minutes: number, isAlone: boolean, onTimeout: ClosedGate['onTimeout'] = 'abort') =>
    judgeGates(record, { gates: [{ ...storage, onTimeout }], isAlone, hasBegun: false, now: later(minutes) });

  const alone = (how?: ClosedGate['onTimeout']) => (record: RunRecord, minutes: number) =>
    asked(record, minutes, true, how);

  it('[N-11] [N-22] passes for abort only while nothing else keeps nodes back, which the gate does all the time', () => {
    const first = asked(looksAt(emptyRunRecord, [0, 19], alone()), 20, false);
    const held = asked(first.record, 600, false);
    const again = looksAt(held.record, [600, 609], alone());

    expect(held.record).toEqual(first.record);
    expect(held.closed).toContain('it is not healthy');
    expect(again.aborted).toBeUndefined();
    expect(asked(again, 610, true).record.aborted?.why).toContain('closed for 30 min while nothing else kept');
  });

  it('[N-11] [N-22] that is up aborts nothing while something else keeps nodes back', () => {
    const late = asked(looksAt(emptyRunRecord, [0, 29], alone()), 30, false);

    expect(late.record.aborted).toBeUndefined();
    expect(asked(late.record, 31, true).record.aborted).toMatchObject({ who: 'its own gate' });
  });

  it.each([
    ['alert', ['gate']],
    ['abort', ['gate']],
    ['proceed', ['gate']],
    ['wait', []],
  ] as const)(
    '[N-11] [N-29] is told as long as it lasts though something else keeps nodes back, too: %s',
    (how, told) => {
      const first = asked(emptyRunRecord, 0, true, how);
      const early = asked(first.record, 29, false, how);
      const late = asked(early.record, how === 'alert' ? 30 : 45, false, how);

      expect(early.problems).toEqual([]);
      expect(late.problems.map(({ kind }) => kind)).toEqual([...told]);
      expect([late.record.aborted, late.closed]).toEqual([undefined, first.closed]);
    },
  );

  it.each(['abort', 'proceed'] as const)('[N-11] [N-22] is no longer than 5 min between two looks: %s', (how) => {
    const first = asked(emptyRunRecord, 0, true, how);
    const back = asked(first.record, 960, true, how);
    const late = looksAt(back.record, [961, 984], alone(how));
    const end = asked(late, 985, true, how);

    expect([back.record.aborted, back.closed]).toEqual([undefined, first.closed]);
    expect(back.problems.map(({ kind }) => kind)).toEqual(['gate']);
    expect([late.aborted, end.closed]).toEqual([undefined, how === 'proceed' ? undefined : end.record.aborted?.why]);
  });

  it.each(['alert', 'proceed'] as const)('[N-11] [N-22] that is up stays up while a node has its turn: %s', (how) => {
    const late = asked(looksAt(emptyRunRecord, [0, 30], alone(how)), 31, true, how);
    const beside = asked(late.record, 90, false, how);

    expect([beside.closed, beside.problems.map(({ kind }) => kind)]).toEqual([
      how === 'alert' ? late.closed : undefined,
      how === 'alert' ? ['gate'] : [],
    ]);
  });

  it('[N-11] of a gate that only alerts is written once', () => {
    const first = asked(emptyRunRecord, 0, true, 'alert').record;

    expect(looksAt(first, [1, 40], alone('alert'))).toEqual(first);
  });
});

const approval: ClosedGate = { ...storage, id: 'gate/approval', why: 'nobody has approved', onTimeout: 'alert' };
const heldPool = {
  ...{ name: 'worker', target: newConfig, isPaused: true, closed: undefined },
  heldSince: later(-1).toISOString(),
};

/** A look at a run of one node that has nothing to wait for but its gates. */
function lookAtRun(record: RunRecord, minutes: number, change: Partial<RunQuestion>) {
  return judgeRun({
    ...{ plan: aRunPlan({}), record, nodes: [aTurnNode('w0')], pools: [heldPool], seen: new Map() },
    ...{ controllers: new Set<string>(), now: later(minutes), ...change },
  });
}

describe('the time of a gate that alerts', () => {
  const gates = [approval];
  const look: Look = (record, minutes) => lookAtRun(record, minutes, { gates });
  const isTold = { kind: 'gate', node: '', since: later(0).toISOString(), why: expect.any(String) };

  it.each<[string, Partial<RunQuestion>, string]>([
    ['the cluster is being updated', { closed: 'the cluster is being updated' }, 'the cluster is being updated'],
    ['nobody could read whether it is', { closed: 'that could not be read' }, 'that could not be read'],
  ])('[N-11] [N-29] goes on while %s', (_, change, why) => {
    const early = lookAtRun(looksAt(emptyRunRecord, [0, 28], look), 29, { gates, ...change });
    const late = lookAtRun(early.record, 30, { gates, ...change });

    expect([early.problems, late.problems]).toEqual([[], [isTold]]);
    expect([early.next.why, late.next.why]).toEqual([why, why]);
    expect(lookAtRun(late.record, 31, { gates }).problems).toEqual([isTold]);
  });

  it('[N-11] [N-29] goes on while another run has its pools, and is told when that ends: it waits for nothing before', () => {
    const queued = { gates, queued: 'it waits for run other' };
    const waits = lookAtRun(looksAt(emptyRunRecord, [0, 90], look), 91, queued);

    expect([waits.problems, waits.next.why]).toEqual([[], 'it waits for run other']);
    expect(lookAtRun(waits.record, 92, { gates }).problems).toEqual([isTold]);
  });

  const paused = { who: 'ann', why: 'wait', at: later(29).toISOString() };
  const { paused: _, ...goesOn } = looksAt({ ...looksAt(emptyRunRecord, [0, 28], look), paused }, [29, 60], look);

  it('[N-11] [N-29] is never up while somebody has paused the run, and is not lost by that', () => {
    const late = lookAtRun({ ...goesOn, paused }, 61, { gates });

    expect(late.problems).toEqual([]);
    expect(late.next.why).toBe('ann paused the run: wait');
    expect(lookAtRun(goesOn, 61, { gates }).problems).toEqual([isTold]);
  });

  it('[N-11] [N-29] that was up before somebody paused the run stays so', () => {
    const late = { ...paused, at: later(40).toISOString() };

    expect(lookAtRun({ ...goesOn, paused: late }, 41, { gates }).problems).toEqual([{ ...isTold, paused: late }]);
  });

  it.each<[string, Partial<RunRecord>, Partial<RunQuestion>]>([
    ['the gate is open, or not configured any more', {}, { gates: [] }],
    ['another gate alone is configured', {}, { gates: [{ ...approval, id: 'gate/other' }] }],
    ['the run is aborted', { aborted: paused }, { gates }],
    ['the change is done', {}, { gates, nodes: [anUpdatedNode('w0')] }],
  ])('[N-11] is forgotten where %s', (_, said, change) => {
    const late = lookAtRun({ ...goesOn, ...said }, 61, change);

    expect(late.problems.filter(({ kind }) => kind === 'gate')).toEqual([]);
    expect(late.record.closedGates?.[approval.id]).toBeUndefined();
  });
});

describe('a gate that lets nodes go beside another one', () => {
  const all = (gates: readonly ClosedGate[]) => (record: RunRecord, minutes: number) =>
    lookAtRun(record, minutes, { gates });

  it.each<[string, Partial<ClosedGate>]>([
    ['alerts', {}],
    ['waits', { onTimeout: 'wait' }],
    ['nobody can look at', { isUnseen: true, why: '503' }],
    ['nobody can look at, and which aborts', { isUnseen: true, why: '503', onTimeout: 'abort' }],
  ])('[N-11] [N-22] has its time after that: one that %s', (_, change) => {
    const other = { ...approval, ...change };
    const of = (onTimeout: ClosedGate['onTimeout']) => {
      const gate = { ...storage, onTimeout };
      const beside = looksAt(emptyRunRecord, [0, 119], all([gate, other]));
      return [beside, looksAt(beside, [120, 149], all([gate])), looksAt(beside, [120, 150], all([gate]))];
    };

    expect(of('abort').map(({ aborted }) => aborted?.who)).toEqual([undefined, undefined, 'its own gate']);
    expect(of('proceed').map(({ turns }) => Object.keys(turns))).toEqual([[], [], ['w0']]);
  });

  it.each<[string, ClosedGate]>([
    ['aborts, too', { ...approval, onTimeout: 'abort', timeoutSeconds: 3_600 }],
    ['proceeds', { ...approval, onTimeout: 'proceed', timeoutSeconds: 3_600 }],
  ])('[N-11] [N-22] aborts once both have had their time, which is counted side by side: one that %s', (_, other) => {
    const look = all([storage, other]);

    expect(looksAt(emptyRunRecord, [0, 59], look).aborted).toBeUndefined();
    expect(looksAt(emptyRunRecord, [0, 60], look).aborted?.why).toBe(
      'gate/storage has been closed for 1 h while nothing else but gate/approval kept nodes back: it is not healthy',
    );
  });

  it.each(['alert', 'wait'] as const)(
    '[N-11] [N-29] is not told while one keeps nodes back for longer, which has time until it alerts: %s',
    (onTimeout) => {
      const gates = [
        { ...approval, onTimeout, timeoutSeconds: 4 * 3600 },
        { ...storage, onTimeout: 'proceed' as const },
      ];
      const look = (minutes: number) =>
        lookAtRun(looksAt(emptyRunRecord, [0, minutes - 1], all(gates)), minutes, { gates });

      expect(look(120).problems).toEqual([]);
      expect(look(241).problems.map(({ why }) => why)).toEqual(
        onTimeout === 'alert' ? [`${approval.id} is closed: ${approval.why}`] : [],
      );
    },
  );

  it('[N-11] [N-22] lets a node go once both have had their time', () => {
    const look = all([
      { ...storage, onTimeout: 'proceed' },
      { ...approval, onTimeout: 'proceed', timeoutSeconds: 3_600 },
    ]);

    expect(looksAt(emptyRunRecord, [0, 59], look).turns).toEqual({});
    expect(Object.keys(looksAt(emptyRunRecord, [0, 60], look).turns)).toEqual(['w0']);
  });

  it('[N-11] [N-22] has no time beside one that aborts no more because a node has had its turn', () => {
    const look = all([
      { ...storage, onTimeout: 'proceed' },
      { ...approval, onTimeout: 'abort' },
    ]);

    expect(looksAt({ ...emptyRunRecord, begun: true }, [0, 120], look)).toMatchObject({
      ...{ turns: {}, aloneGatesMs: { 'gate/storage': 0 } },
    });
  });
});

describe('abort of a gate', () => {
  const plan = aRunPlan({});
  const gates = [storage];
  const nodes = [aTurnNode('w0'), aTurnNode('w1')];
  const pool = { name: 'worker', target: newConfig, isPaused: true, closed: undefined };
  const look = (record: RunRecord, minutes: number, change: Partial<RunQuestion> = {}) =>
    judgeRun({
      ...{ plan, record, nodes, pools: [{ ...pool, heldSince: later(-1).toISOString() }], seen: new Map() },
      ...{ controllers: new Set(), now: later(minutes), ...change },
    });
  const isUp = (record: RunRecord, change: Partial<RunQuestion> = {}) =>
    look(
      looksAt(record, [100, 130], (each, minutes) => look(each, minutes, { gates, ...change })),
      131,
      { gates, ...change },
    );

  it('[N-11] [N-22] counts before the first node, and is an alert from then on until all pools are done', () => {
    const begun = look(emptyRunRecord, 0).record;
    const done = look(begun, 200, { nodes: [anUpdatedNode('w0'), anUpdatedNode('w1')] }).record;
    const end = look({ ...done, turns: {} }, 201, { nodes: [anUpdatedNode('w0'), anUpdatedNode('w1')] }).record;
    const late = isUp({ ...begun, turns: {} });

    expect(isUp(emptyRunRecord).record.aborted).toMatchObject({ who: 'its own gate' });
    expect([late.record.aborted, late.problems.map(({ kind }) => kind)]).toEqual([undefined, ['gate']]);
    expect(late.next.why).toContain('it is not healthy');
    expect([begun.begun, late.record.begun, end.begun]).toEqual([true, true, undefined]);
  });

  it('[N-11] [N-22] is an alert too by a record of before, if a node has had its turn since the run took its pools', () => {
    const turns = (since: Date) => ({ w0: aTurn({ step: 'done', since: since.toISOString() }) });
    const left = [anUpdatedNode('w0'), aTurnNode('w1')];
    const of = (since: Date) => isUp({ ...emptyRunRecord, turns: turns(since) }, { nodes: left }).record.aborted?.who;

    expect([of(later(5)), of(later(-5))]).toEqual([undefined, 'its own gate']);
  });

  it.each<[string, Partial<RunQuestion>]>([
    [
      'all nodes are held by their label',
      { nodes: nodes.map((node) => ({ ...node, labels: { [plan.run.holdLabel]: '' } })) },
    ],
    ['all are cordoned', { nodes: nodes.map((node) => ({ ...node, cordoned: true })) }],
    ['a window or the budget of their pool is closed', { pools: [{ ...pool, closed: 'outside of its window' }] }],
    ['another run has its pools', { queued: 'it waits for run other' }],
    ['the run is blocked', { problems: [{ kind: 'refused', node: '', since: now.toISOString(), why: 'refused' }] }],
  ])('[N-11] [N-22] does not count while %s', (_, change) => {
    expect(isUp(emptyRunRecord, change).record.aborted).toBeUndefined();
  });
});
