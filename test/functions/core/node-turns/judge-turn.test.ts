import { describe, expect, it } from 'vitest';
import { judgeTurn, type TurnQuestion, type WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import type { Turn } from '../../../../functions/core/node-turns/run-record.ts';
import { anUpdatedNode, aRunPlan, aTurnNode, newConfig, now } from './run-builder.ts';

const begun: Turn = {
  pool: 'worker',
  target: newConfig,
  round: '1-bbbbbbbb',
  step: 'before',
  since: now.toISOString(),
  ran: ['poolkeeper/move'],
  cleaned: [],
  attempt: 1,
};

const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

function judge(turn: Partial<Turn>, seen: WorkSeen, change: Partial<TurnQuestion> = {}) {
  return judgeTurn({
    plan: aRunPlan({ move: { timeoutSeconds: 600 } }),
    name: 'w1',
    turn: { ...begun, ...turn },
    node: aTurnNode('w1'),
    seen,
    poolTarget: newConfig,
    closed: undefined,
    isAborted: false,
    now,
    ...change,
  });
}

const skip = 'ops: it is looked at tomorrow';

describe('a turn whose Job is there', () => {
  it('[S4-13] [S4-17] the time of a Job begins when it is first seen: one that was made late is not called late', () => {
    const first = judge({}, { kind: 'running' }, { now: later(60) });
    const soon = judge(first.turn, { kind: 'running' }, { now: later(70) });
    const late = judge(first.turn, { kind: 'running' }, { now: later(76) });

    expect(first.turn).toMatchObject({ seen: true, since: later(60).toISOString() });
    expect([first.problems, soon.problems]).toEqual([[], []]);
    expect(late.problems).toMatchObject([{ kind: 'job', why: expect.stringContaining('not ended in time') }]);
  });

  it.each([
    ['somebody skips the node', { skip }, {}],
    ['the run is aborted', {}, { isAborted: true }],
    ['the node leaves the cluster', {}, { node: undefined }],
  ])('[S4-4] [S4-13] [S4-21] %s: the clean-up waits for the Job that runs', (_, turn, change) => {
    const running = judge({ ...turn, seen: true }, { kind: 'running' }, change);
    const over = judge({ ...turn, seen: true }, { kind: 'failed', why: 'exit code 1' }, change);

    expect([running.turn.step, running.actions]).toEqual(['before', []]);
    expect(running.waits).toBe('its turn ends when the Job that runs has ended');
    expect(over.turn.step).toBe('after');
    expect(over.actions).toMatchObject([{ kind: 'create-job', part: 'after' }]);
  });

  it('[S4-13] [S4-20] a clean-up that somebody skips while its Job runs is waited for: nothing begins beside it', () => {
    const passed = { step: 'after' as const, cleaned: ['poolkeeper/move'], seen: true as const, pass: true as const };
    const node = anUpdatedNode('w1');
    const running = judge(passed, { kind: 'running' }, { node });
    const over = judge(passed, { kind: 'failed', why: 'exit code 1' }, { node });

    expect([running.turn.step, running.problems]).toEqual(['after', []]);
    expect(running.waits).toBe(
      'its turn goes on without the clean-up when the Job that runs has ended, or at 2026-11-22T10:15:00.000Z',
    );
    expect(over.turn.step).toBe('done');
  });

  it('[S4-20] [N-29] a clean-up that somebody skips and whose Job hangs is waited for no longer than it may run', () => {
    const passed = { step: 'after' as const, cleaned: ['poolkeeper/move'], seen: true as const, pass: true as const };
    const node = anUpdatedNode('w1');
    const hangs = { kind: 'running' as const, note: 'it is suspended' };
    const stepAfter = (minutes: number) => judge(passed, hangs, { node, now: later(minutes) }).turn.step;

    expect([stepAfter(14), stepAfter(16)]).toEqual(['after', 'done']);
  });

  it.each([
    ['is on its way', aTurnNode('w1', { desiredConfig: newConfig, state: 'Working' }), 'gone'],
    ['is there already', anUpdatedNode('w1'), 'after'],
  ])(
    '[S4-28] a node that %s is followed although its pool is closed: nothing is left to hold back',
    (_, node, step) => {
      const { turn } = judge({}, { kind: 'complete', said: '' }, { node, closed: 'a sync of hub/nodes runs' });

      expect(turn.step).toBe(step);
    },
  );
});

describe('a node that is not ready when it is to go', () => {
  const silent = aTurnNode('w1', { ready: false });
  const complete: WorkSeen = { kind: 'complete', said: '' };

  it.each<[string, Partial<Turn>, string | undefined]>([
    ['when its Jobs are done', { seen: true }, undefined],
    ['when its Jobs are done, whatever else holds it back', { seen: true }, 'w2 is unavailable'],
    ['and that has not gone though it was let go', { step: 'gone' }, undefined],
  ])('[S4-20] [N-29] %s: it is told after a quarter of an hour, until it is ready', (_, turn, closed) => {
    const look = (before: Partial<Turn>, minutes: number, node = silent) =>
      judge(before, complete, { node, closed, now: later(minutes) });
    const first = look(turn, 0);
    const early = look(first.turn, 14);
    const long = look(early.turn, 16);
    const ready = look(long.turn, 17, aTurnNode('w1'));
    const again = look(ready.turn, 18);

    expect([first.problems, early.problems, ready.problems]).toEqual([[], [], []]);
    expect(long.problems).toEqual([
      { kind: 'node', node: 'w1', since: now.toISOString(), why: 'it may not go: the node is not ready' },
    ]);
    expect(again.problems).toEqual([]);
  });

  it('[S4-20] is not told of one that somebody keeps by the label', () => {
    const kept = aTurnNode('w1', { ready: false, labels: { [aRunPlan().run.holdLabel]: '' } });
    const first = judge({ seen: true }, complete, { node: kept });

    expect(judge(first.turn, complete, { node: kept, now: later(60) }).problems).toEqual([]);
  });

  it('[S4-20] [N-30] by a clock which ran a day ahead: it is told a quarter of an hour after it was seen', () => {
    const first = judge({ seen: true, notReadySince: later(24 * 60).toISOString() }, complete, { node: silent });

    expect(judge(first.turn, complete, { node: silent, now: later(16) }).problems).toMatchObject([{ kind: 'node' }]);
  });
});

it('[S4-18] [S4-20] a Job that has succeeded is logged once, however long its node may not go', () => {
  const closed = 'a sync of hub/nodes runs';
  const first = judge({ seen: true }, { kind: 'complete', said: 'moved' }, { closed });
  const second = judge(first.turn, { kind: 'complete', said: 'moved' }, { closed });
  const third = judge(second.turn, { kind: 'complete', said: 'moved' });

  expect(first.log.map(({ what }) => what)).toEqual([expect.stringContaining('succeeded')]);
  expect(second.log).toEqual([]);
  expect(third.turn.step).toBe('gone');
  expect(third.log.map(({ what }) => what)).toEqual([`let go to ${newConfig}`]);
});

it('[S4-20] [S4-21] a turn of a pool that is no target any more ends with its clean-ups, and its node is not taken', () => {
  const plan = { ...aRunPlan(), pools: ['infra'] };
  const { turn, actions } = judge({ seen: true }, { kind: 'complete', said: '' }, { plan, poolTarget: undefined });

  expect(turn).toMatchObject({ step: 'after', skip: 'pool worker is no target of the run any more' });
  expect(actions).toMatchObject([{ kind: 'create-job', part: 'after' }]);
});

it('[S4-20] a node that was let go, and that nothing takes, is told once its time is over', () => {
  const gone = { step: 'gone' as const, ran: ['poolkeeper/move'] };
  const seen: WorkSeen = { kind: 'absent' };

  expect(judge(gone, seen, { now: later(1) }).problems).toEqual([]);
  expect(judge(gone, seen, { now: later(600) })).toMatchObject({
    actions: [{ kind: 'let-go' }],
    problems: [{ kind: 'node', why: expect.stringContaining('nothing takes it') }],
  });
});

describe('a node whose Jobs have run, hours after its turn began', () => {
  const done: WorkSeen = { kind: 'complete', said: '' };
  const held = aTurnNode('w1', { labels: { 'poolkeeper.dev/hold': '' } });
  const cordoned = aTurnNode('w1', { cordoned: true });
  const planned = (rule: object, run: object) => aRunPlan({ move: rule }, { unavailableAtMost: 2, ...run });

  it.each([
    ['the label that holds it', held, 'it has the label poolkeeper.dev/hold'],
    ['a cordon', cordoned, 'somebody cordoned it'],
    ['not become ready', aTurnNode('w1', { ready: false }), 'the node is not ready'],
  ])('[S4-23] [S4-39] [N-11] is not let go while it has %s, also if its patch was lost', (_, node, why) => {
    const before = judge({}, done, { node });
    const gone = judge({ step: 'gone' }, { kind: 'absent' }, { node });

    expect([before.turn.step, before.actions, before.waits]).toEqual(['before', [], `it may not go now: ${why}`]);
    expect([gone.actions, gone.waits]).toEqual([[], `it may not go now: ${why}`]);
    expect(judge({}, done).actions).toMatchObject([{ kind: 'let-go' }]);
  });

  it('[S4-39] a rule that cordons its node says so, and by choice a cordon of its turn is put back', () => {
    const own = judge({}, done, { node: cordoned, plan: planned({ cordonsNode: true }, {}) });
    const taken = judge({}, done, { node: cordoned, plan: planned({}, { cordoned: 'take' }) });

    expect([own.actions.length, own.turn.cordoned]).toEqual([1, undefined]);
    expect([taken.actions.length, taken.turn.cordoned]).toEqual([1, true]);
  });

  it.each([
    ['another pool', 'infra', 'it is in pool infra now'],
    ['no pool', undefined, 'it is in pool worker no longer'],
  ])('[S4-4] that is in %s now is cleaned up, and not taken to the config of the pool that it had', (_, pool, why) => {
    const node = aTurnNode('w1', { pool });
    const before = judge({}, done, { node });
    const gone = judge({ step: 'gone' }, { kind: 'absent' }, { node });
    const running = judge({ seen: true }, { kind: 'running' }, { node });

    for (const { turn, actions } of [before, gone]) {
      expect(turn).toMatchObject({ step: 'after', skip: why });
      expect(actions).toMatchObject([{ kind: 'create-job', part: 'after' }]);
    }
    expect(running.turn.step).toBe('before');
  });
});

describe('a turn that waits for something that does not come', () => {
  const blind: WorkSeen = { kind: 'unseen', why: 'it did not answer' };

  it('[S4-20] a Job that cannot be looked at for long is told, and no longer when it was seen', () => {
    const first = judge({}, blind);
    const long = judge(first.turn, blind, { now: later(20) });
    const seen = judge(long.turn, { kind: 'running' }, { now: later(21) });

    expect(first.problems).toEqual([]);
    expect(long.problems).toMatchObject([{ kind: 'unseen', node: 'w1', since: now.toISOString() }]);
    expect(seen.turn.unseenSince).toBeUndefined();
  });

  it('[S4-20] [S4-21] an abort waits for a clean-up that cannot be begun no longer than it may run; nobody else ends it', () => {
    const turn: Partial<Turn> = { step: 'after', cleaned: ['poolkeeper/move'] };
    const asked = (minutes: number, isAborted: boolean) =>
      judge(turn, { kind: 'absent' }, { node: anUpdatedNode('w1'), isAborted, now: later(minutes) });

    expect(asked(14, true)).toMatchObject({ turn: { step: 'after' }, actions: [{ kind: 'create-job' }] });
    expect(asked(16, false)).toMatchObject({ turn: { step: 'after' }, actions: [{ kind: 'create-job' }] });
    // Its time begins with the abort: it is tried once at least.
    const late = { node: anUpdatedNode('w1'), isAborted: true, abortedAt: later(16).toISOString(), now: later(16) };
    expect(judge(turn, { kind: 'absent' }, late)).toMatchObject({ actions: [{ kind: 'create-job' }] });
    expect(judge(turn, { kind: 'absent' }, { ...late, now: later(32) })).toMatchObject({ turn: { step: 'done' } });
    expect(asked(16, true)).toMatchObject({
      turn: { step: 'done' },
      actions: [],
      log: [
        { what: 'the clean-up of poolkeeper/move could not be begun in time; the turn goes on' },
        { what: 'its turn is over' },
      ],
    });
  });

  it('[S4-13] [S4-21] the time of a clean-up that is tried again after a long pause begins when it is begun', () => {
    const retryAt = later(60).toISOString();
    const waited: Partial<Turn> = { step: 'after', cleaned: ['poolkeeper/move'], attempt: 2, retryAt };
    const change = { node: anUpdatedNode('w1'), isAborted: true, now: later(61) };

    const { turn, actions } = judge(waited, { kind: 'absent' }, change);

    expect(turn).toMatchObject({ step: 'after', since: later(61).toISOString(), attempt: 2 });
    expect(actions).toMatchObject([{ kind: 'create-job' }]);
  });

  const noJobs = { jobSpec: undefined, cleanUpJobSpec: undefined, timeoutSeconds: 600 };

  it('[S4-20] [S4-21] an abort does not wait for a rule of type gate, which is only asked', () => {
    const plan = aRunPlan({ move: { ...noJobs, type: 'gate', gate: { preset: 'bound' } } });

    expect(judge({ seen: true }, { kind: 'running' }, { plan, isAborted: true }).turn.step).toBe('skipped');
  });

  describe.each([
    ['http', { http: { url: 'https://changes.example.com', cleanUpUrl: 'https://changes.example.com/done' } }],
    ['lambda', { lambda: { functionName: 'note', cleanUpFunctionName: 'note' } }],
  ])('of type %s', (type, told) => {
    const plan = aRunPlan({ move: { ...noJobs, type, ...told } });
    const step = (turn: Partial<Turn>, seen: WorkSeen, minutes = 1, isAborted = true) =>
      judge(turn, seen, { plan, isAborted, now: later(minutes) }).turn.step;

    it('[S4-20] [S4-21] [S4-30] has its time to answer before it is cleaned up after, and no more', () => {
      const running: WorkSeen = { kind: 'running' };

      expect(step({ seen: true }, running)).toBe('before');
      expect(step({ seen: true, skip }, running, 1, false)).toBe('before');
      expect(step({ seen: true }, blind)).toBe('before');
      expect(step({ seen: true }, running, 16)).toBe('after');
      expect(step({ seen: true }, blind, 16)).toBe('after');
      expect(step({ seen: true }, { kind: 'complete', said: '' })).toBe('after');
      // Told in this very look, in which its node was found in another pool.
      const moved = judge({}, running, { plan, node: aTurnNode('w1', { pool: 'infra' }), now: later(1) });
      expect(moved.turn).toMatchObject({ step: 'before', seen: true, since: later(1).toISOString() });
    });

    it('[S4-20] [S4-21] [S4-30] is not waited for where it has failed, waits for its next try, or was never told', () => {
      expect(step({ seen: true, failed: 'it answered 403' }, { kind: 'running' })).toBe('after');
      expect(step({ attempt: 2, retryAt: later(5).toISOString() }, { kind: 'running' })).toBe('after');
      expect(step({}, { kind: 'absent' })).toBe('after');
      expect(step({}, blind)).toBe('after');
    });
  });

  it('[S4-39] a node that cannot be cordoned again is told, and keeps no abort from its end', () => {
    const node = anUpdatedNode('w1');
    const late = { node, now: later(10) };

    expect(judge({ step: 'cordon', cordoned: true }, { kind: 'absent' }, { node }).problems).toEqual([]);
    expect(judge({ step: 'cordon', cordoned: true }, { kind: 'absent' }, late).problems).toMatchObject([
      { kind: 'node', why: 'it could not be cordoned again' },
    ]);
    expect(judge({ step: 'cordon', cordoned: true }, { kind: 'absent' }, { ...late, isAborted: true }).turn.step).toBe(
      'after',
    );
  });

  it('[S4-12] a node that somebody else let go begins no further rule: it is followed, and cleaned up after those it had', () => {
    const plan = aRunPlan({ move: {}, tell: {} });
    const node = aTurnNode('w1', { desiredConfig: newConfig, state: 'Working' });

    const { turn, actions } = judge({}, { kind: 'complete', said: '' }, { plan, node });

    expect(turn).toMatchObject({ step: 'gone', ran: ['poolkeeper/move'], target: newConfig });
    expect(actions).toEqual([]);
  });
});

describe('a cordon of people', () => {
  const plan = aRunPlan({ move: {} }, { cordoned: 'take', unavailableAtMost: 2 });
  const cordoned = aTurnNode('w1', { cordoned: true });
  const back = (turn: Turn) => judge(turn, { kind: 'absent' }, { plan, node: anUpdatedNode('w1'), now: later(20) });

  it.each([
    ['that has ended while the Jobs ran is not put back', { cordoned: true as const }, aTurnNode('w1'), 'after'],
    ['that has stood all the time is put back', { cordoned: true as const }, cordoned, 'cordon'],
    ['that came while the Jobs ran is put back', {}, cordoned, 'cordon'],
  ])('[S4-39] %s', (_, turn, node, step) => {
    const went = judge({ ...turn, seen: true }, { kind: 'complete', said: '' }, { plan, node });

    expect([went.turn.step, back(went.turn).turn.step]).toEqual(['gone', step]);
  });

  it('[S4-39] that came after it was to go, and before it went, is put back', () => {
    const held = judge({ step: 'gone' }, { kind: 'absent' }, { plan, closed: 'a sync runs' });
    const went = judge(held.turn, { kind: 'absent' }, { plan, node: cordoned, now: later(10) });

    expect(went.actions).toMatchObject([{ kind: 'let-go', turn: { cordoned: true } }]);
    expect(back(went.turn).actions).toEqual([{ kind: 'cordon-again', node: 'w1' }]);
  });
});

describe('the time that a node may take', () => {
  const away = aTurnNode('w1', { desiredConfig: newConfig, state: 'Working', ready: false, cordoned: true });
  const absent: WorkSeen = { kind: 'absent' };

  it('[S4-20] [S4-23] begins when it goes, and not when its last Job began, which may be hours ago', () => {
    const went = judge({ seen: true }, { kind: 'complete', said: '' }, { now: later(300) });
    const soon = judge(went.turn, absent, { node: away, now: later(302) });
    const late = judge(went.turn, absent, { node: away, now: later(402) });

    expect([soon.problems, late.problems]).toMatchObject([
      [],
      [{ why: expect.stringContaining('not back after 1 h') }],
    ]);
  });

  it.each([
    ['by our own write', judge],
    ['before we knew of it', undefined],
  ])('[S4-20] [S4-21] [N-30] does not run while it is held back: it goes %s, late for nothing', (_, letGo) => {
    const held = judge({ step: 'gone' }, absent, { closed: 'a sync runs', now: later(1) });
    const still = judge(held.turn, absent, { closed: 'a sync runs', now: later(200) });
    const goes = letGo?.(still.turn, absent, { now: later(201) }) ?? still;
    const onItsWay = judge(goes.turn, absent, { node: away, now: later(202) });
    const aborted = judge(onItsWay.turn, absent, { node: away, now: later(203), isAborted: true });

    expect([still.turn, goes.problems, onItsWay.problems]).toEqual([held.turn, [], []]);
    expect([aborted.turn.step, aborted.actions]).toEqual(['gone', []]);
  });
});

describe('a node whose Jobs are done, and that a window keeps', () => {
  const closed = 'gate window: no allow window is open';
  const outside = { closed, isOutsideWindow: true };
  const complete: WorkSeen = { kind: 'complete', said: '' };
  const gate = { resourceType: 'sc', resourceName: 'go' };
  const noJobs = { jobSpec: undefined, cleanUpJobSpec: undefined };

  it.each<[string, Partial<Turn>, WorkSeen]>([
    ['before it was let go', { seen: true, since: later(-50).toISOString() }, complete],
    ['as it was let go', { step: 'gone' }, { kind: 'absent' }],
  ])('[S4-20] [N-29] is told after an hour: %s', (_, turn, seen) => {
    const first = judge(turn, seen, outside);
    const held = judge(first.turn, seen, { ...outside, now: later(59) });
    const told = judge(held.turn, seen, { ...outside, now: later(61) });

    expect([first.problems, held.problems]).toEqual([[], []]);
    expect(told.problems).toEqual([
      { kind: 'gate', node: 'w1', since: now.toISOString(), why: `its Jobs are done, and it may not go: ${closed}` },
    ]);
  });

  it.each<[string, Partial<Turn>, Partial<TurnQuestion>]>([
    ['no rule was begun', { ran: [] }, outside],
    ['its rule only waits', {}, { ...outside, plan: aRunPlan({ move: { type: 'gate', gate, ...noJobs } }) }],
    ['its rule has a clean-up alone', {}, { ...outside, plan: aRunPlan({ move: { jobSpec: undefined } }) }],
    ['a person, a sync or another gate keeps it', {}, { closed: 'anna holds it' }],
  ])('[S4-20] [N-30] is not told where %s', (_, turn, change) => {
    const held = judge({ step: 'gone', ...turn }, { kind: 'absent' }, { closed, now: later(600), ...change });

    expect(held.problems).toEqual([]);
  });

  it('[S4-20] [N-29] [N-30] is told until its window is known to be open: under a sync nobody can tell', () => {
    const gone = { kind: 'absent' as const };
    const told = judge({ step: 'gone' }, gone, { ...outside, now: later(61) });
    const synced = judge(told.turn, gone, { closed: 'a sync of hub/nodes runs', now: later(62) });
    const open = judge(synced.turn, gone, { closed: 'gate quiet: x', isOutsideWindow: false, now: later(63) });
    const after = judge(open.turn, gone, { closed: 'a sync of hub/nodes runs', now: later(64) });

    expect([told, synced, open, after].map(({ problems }) => problems.length)).toEqual([1, 1, 0, 0]);
  });

  it('[S4-20] [N-30] what was known of its window ends when it goes', () => {
    const told = judge({ seen: true }, complete, { ...outside, now: later(61) });
    const goes = judge(told.turn, complete, { isOutsideWindow: false, now: later(62) });

    expect([told.turn.outsideWindow, goes.turn.step, goes.turn.outsideWindow]).toEqual([true, 'gone', undefined]);
  });
});

describe('a turn that was written by a clock which ran a day ahead', () => {
  const ahead = later(24 * 60).toISOString();
  const away = aTurnNode('w1', { desiredConfig: newConfig, state: 'Working' });

  it('[S4-20] [N-30] is late by the time since it was seen', () => {
    const first = judge({ step: 'gone', since: ahead }, { kind: 'absent' }, { node: away });
    const late = judge(first.turn, { kind: 'absent' }, { node: away, now: later(101) });

    expect([first.turn.since, first.problems]).toEqual([now.toISOString(), []]);
    expect(late.problems).toMatchObject([{ kind: 'node', why: expect.stringContaining('not back') }]);
  });

  it('[S4-20] [N-30] is told as not looked at after a quarter of an hour', () => {
    const seen: WorkSeen = { kind: 'unseen', why: 'it does not answer' };
    const first = judge({ unseenSince: ahead }, seen);

    expect(judge(first.turn, seen, { now: later(16) }).problems).toMatchObject([{ kind: 'unseen' }]);
  });

  it('[S4-13] [S4-20] tries again after its pause, counted from now', () => {
    const first = judge({ attempt: 2, retryAt: ahead }, { kind: 'absent' });
    const again = judge(first.turn, { kind: 'absent' }, { now: later(2) });

    expect([first.turn.retryAt, first.actions]).toEqual([later(1).toISOString(), []]);
    expect(again.actions).toMatchObject([{ kind: 'create-job' }]);
  });
});
