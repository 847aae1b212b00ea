import { describe, expect, it } from 'vitest';
import { withCanariesSeen } from '../../../../functions/core/node-turns/canary-watch.ts';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import {
  emptyRunRecord,
  type RunRecord,
  type Turn,
  withConfiguration,
  withoutConfiguration,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { runView } from '../../../../functions/core/node-turns/run-view.ts';
import type { TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { anUpdatedNode, aRunPlan, aRunPool, aRunQuestion, aTurn, aTurnNode, newConfig, now } from './run-builder.ts';

const later = new Date(now.getTime() + 3_600_000);
const there = anUpdatedNode('w2');

function seen(
  record: RunRecord,
  node: TurnNode | undefined,
  { at = now, target = newConfig, canaryNodes = ['w2'] as readonly string[], soakSeconds = 600 } = {},
): RunRecord {
  const plan = aRunPlan({}, { canaryNodes, soakSeconds });
  const nodes = node === undefined ? [] : [node];
  return withCanariesSeen(record, { plan, nodes, pools: [aRunPool({ target })], now: at });
}

const place = { pool: 'worker', target: newConfig };
const since = (at: Date) => ({ ...place, since: at.toISOString() });
const ill = (at: Date) => ({ ...place, illSince: at.toISOString() });
const passed = { ...place, passed: true };
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const away = seen(emptyRunRecord, aTurnNode('w2'));

describe('since when a canary node has the config of its pool', () => {
  it('[S4-23] is noted when it is seen there after it was away, and once', () => {
    const arrived = seen(away, there, { at: later });

    expect(away.canaries).toEqual({ w2: place });
    expect(arrived.canaries).toEqual({ w2: since(later) });
    expect(seen(arrived, there, { at: new Date(later.getTime() + 60_000) })).toEqual(arrived);
  });

  it('[S4-23] is not noted while its update goes on', () => {
    expect(seen(away, anUpdatedNode('w2', { state: 'Working' })).canaries).toEqual({ w2: ill(now) });
  });

  it('[S4-23] is noted anew for another config', () => {
    const target = 'rendered-worker-cccccccc';
    const has = anUpdatedNode('w2', { currentConfig: target, desiredConfig: target });
    const first = seen(emptyRunRecord, there);

    expect(seen(seen(away, there), aTurnNode('w2')).canaries).toEqual({ w2: place });
    expect(first.canaries).toEqual({ w2: passed });
    // No look has seen it away.
    for (const record of [first, seen(away, there)])
      expect(seen(record, has, { at: later, target }).canaries).toEqual({ w2: { ...since(later), target } });
  });

  it('[S4-23] [N-29] begins anew when it is well again: not ready, degraded, or another node of its name', () => {
    const made = (createdAt: string) => anUpdatedNode('w2', { createdAt });
    const sick = [anUpdatedNode('w2', { ready: false }), anUpdatedNode('w2', { state: 'Degraded' })];
    const watched = seen(away, there);
    const first = seen(
      seen(emptyRunRecord, aTurnNode('w2', { createdAt: '2026-01-01T00:00:00Z' })),
      made('2026-01-01T00:00:00Z'),
    );

    for (const node of sick) {
      expect(seen(watched, node, { at: inSeconds(60) }).canaries).toEqual({ w2: ill(inSeconds(60)) });
      expect(seen(seen(watched, node), node, { at: inSeconds(3_600) }).canaries).toEqual({ w2: ill(now) });
      expect(seen(seen(watched, node), there, { at: later }).canaries).toEqual({ w2: since(later) });
    }
    expect(seen(first, made('2026-11-22T10:05:00Z'), { at: inSeconds(400) }).canaries).toMatchObject({
      w2: since(inSeconds(400)),
    });
  });

  it('[S4-23] is over with the first look that finds it well after the time for that, and stays over', () => {
    const over = seen(seen(away, there), there, { at: inSeconds(600) });

    expect(seen(seen(away, there), there, { at: inSeconds(599) }).canaries).toEqual({ w2: since(now) });
    expect(over.canaries).toEqual({ w2: { ...since(now), passed: true } });
    expect(seen(over, anUpdatedNode('w2', { ready: false }), { at: later })).toEqual(over);
    expect(seen(over, there, { at: later, soakSeconds: 7_200 }).canaries).toEqual({ w2: since(now) });
  });

  it('[S4-23] [N-29] stays known while its pool renders nothing', () => {
    const arrived = seen(away, there);

    expect(seen(arrived, there, { target: '' })).toEqual(arrived);
  });

  it.each([
    ['away', away, later],
    ['watched', seen(away, there), inSeconds(60)],
    ['watched to the end by the clock, and no look found it well', seen(away, there), inSeconds(3_600)],
    ['not well, whatever the time', seen(seen(away, there), anUpdatedNode('w2', { ready: false })), later],
  ] as const)('[S4-23] [N-29] of one that is gone while it was %s: it is missed', (_, record, at) => {
    const gone = seen(record, undefined, { at });

    expect(gone.canaries).toEqual({ w2: { ...place, goneSince: at.toISOString() } });
    expect(seen(gone, undefined, { at: inSeconds(9_000) })).toEqual(gone);
  });

  it('[S4-23] [N-29] of one that is in another pool, as where it joins anew as a plain worker: it is missed', () => {
    const moved = seen(away, anUpdatedNode('w2', { pool: 'other' }), { at: later });

    const plan = aRunPlan({}, { canaryNodes: ['w2'] }, ['worker', 'infra']);
    const pools = [aRunPool(), aRunPool({ name: 'infra' })];
    const inOther = withCanariesSeen(away, {
      plan,
      nodes: [anUpdatedNode('w2', { pool: 'infra' })],
      pools,
      now: later,
    });

    expect(moved.canaries).toEqual({ w2: { ...place, goneSince: later.toISOString() } });
    expect(inOther).toEqual(moved);
    expect(seen(moved, there, { at: later }).canaries).toEqual({ w2: since(later) });
  });

  it('[S4-23] [N-29] of a pool that is none of the run any more: what it does in another one is watched there', () => {
    const watched = seen(away, there);
    const plan = aRunPlan({}, { canaryNodes: ['w2'] }, ['infra']);
    const pools = [aRunPool({ name: 'infra' })];
    const look = (node: TurnNode) => withCanariesSeen(watched, { plan, nodes: [node], pools, now: later }).canaries;

    expect(look(there)).toEqual(watched.canaries);
    expect(look(anUpdatedNode('w2', { pool: 'infra' }))).toMatchObject({ w2: { pool: 'infra' } });
  });

  it('[S4-23] [N-29] of one that was not well when it was first seen, at a config that it had: it is not', () => {
    expect(seen(emptyRunRecord, anUpdatedNode('w2', { ready: false })).canaries).toEqual({ w2: passed });
  });

  it('[S4-23] [N-29] of one that is gone by a clock that was ahead: since now, so that a go-on counts', () => {
    const ahead = seen(away, undefined, { at: inSeconds(172_800) });

    expect(seen(ahead, undefined, { at: later }).canaries).toEqual({
      w2: { ...place, goneSince: later.toISOString() },
    });
  });

  it('[S4-23] of one that is gone after it was watched to the end, or while its pool is none of the run: it is not', () => {
    const over = seen(seen(away, there), there, { at: inSeconds(600) });
    const plan = aRunPlan({}, { canaryNodes: ['w2'] }, ['infra']);

    expect(seen(over, undefined, { at: later })).toEqual(over);
    expect(withCanariesSeen(away, { plan, nodes: [], pools: [], now })).toEqual(away);
  });

  it('[S4-23] [N-29] is what is seen first when its run is put back into the configuration', () => {
    const out = seen(withoutConfiguration(away, now), there, { canaryNodes: [] });
    const back = seen(
      withConfiguration(out, () => true),
      there,
      { at: later },
    );
    const taken = withConfiguration(out, () => false);

    expect(out.canaries).toEqual({ w2: place });
    expect(back.canaries).toEqual({ w2: since(later) });
    expect(seen(taken, undefined, { at: later }).canaries).toBeUndefined();
  });

  it('[S4-23] is not that of a start after an abort, during which the MCO has taken it', () => {
    const said = { who: 'ops', why: 'another change', at: later.toISOString() };
    const aborted = withRunRequest(away, { kind: 'abort', said });

    expect(seen(withRunRequest(aborted, { kind: 'start', said }), there, { at: later }).canaries).toEqual({
      w2: passed,
    });
    expect(withRunRequest(seen(away, there), { kind: 'start', said }).canaries).toEqual({ w2: since(now) });
  });

  it('[S4-23] [N-29] is not far ahead of now, whatever clock has written it, and stays by one that is a little behind', () => {
    const ahead = seen(away, there, { at: new Date(now.getTime() + 30 * 24 * 3_600_000) });
    const arrived = seen(away, there, { at: later });

    expect(seen(ahead, there, { at: later }).canaries).toEqual({ w2: since(later) });
    expect(seen(arrived, there, { at: new Date(later.getTime() - 60_000) })).toEqual(arrived);
  });
});

describe('a canary node that is gone before it was watched to the end', () => {
  const plan = aRunPlan({}, { canaryNodes: ['w2'], soakSeconds: 600 });
  const ask = (record: RunRecord, at = later) =>
    judgeRun(aRunQuestion({ plan, nodes: [aTurnNode('w1')], record, now: at }));
  const said = { who: 'ops', why: 'its machine was old', at: later.toISOString() };

  it('[S4-23] [N-29] keeps all others until a person has looked', () => {
    const gone = ask(away);
    const after = ask(withRunRequest(gone.record, { kind: 'go-on', said }));

    expect(gone.problems).toMatchObject([{ kind: 'canary', node: 'w2' }]);
    expect(gone.next.begin).toEqual([]);
    expect(after.problems).toEqual([]);
    expect(after.next.begin.map(({ name }) => name)).toEqual(['w1']);
  });

  it('[S4-20] [S4-23] [N-29] keeps all others also after a go-on that was said before it was gone, and one that is there is waited for after each', () => {
    const early = { ...said, at: now.toISOString() };
    const gone = ask(away);
    const late = ask(withRunRequest(gone.record, { kind: 'go-on', said: early }));

    expect(late.problems).toMatchObject([{ kind: 'canary', node: 'w2', since: later.toISOString() }]);
    expect(withRunRequest(away, { kind: 'go-on', said }).canaries).toEqual({ w2: place });
  });

  it.each<[string, Partial<Turn>, number]>([
    ['while its clean-ups run', { step: 'after' }, 0],
    ['while it is watched, as its turn alone says', { step: 'done' }, 0],
    ['while it is watched, as its turn alone says, to the last moment', { step: 'done' }, 599_000],
  ])('[S4-23] [N-29] keeps all others %s', (_, change, after) => {
    const turn = aTurn({ since: now.toISOString(), ...change });
    const there = withCanariesSeen(
      { ...emptyRunRecord, turns: { w2: turn } },
      { plan, nodes: [anUpdatedNode('w2')], pools: [aRunPool()], now },
    );
    const { turns: _turns, ...gone } = there;

    const { problems } = ask({ ...gone, turns: {} }, new Date(now.getTime() + after));

    expect(problems).toMatchObject([{ kind: 'canary', node: 'w2', since: expect.any(String) }]);
  });

  it('[S4-23] [N-29] keeps all others where only its own pool is at its target', () => {
    const both = aRunPlan({}, { canaryNodes: ['w2'], soakSeconds: 600 }, ['infra', 'worker']);
    const question = { plan: both, pools: [aRunPool({ name: 'infra' }), aRunPool()] };
    const infra = (name: string) => aTurnNode(name, { pool: 'infra' });
    const look = (record: RunRecord, nodes: readonly TurnNode[], seconds: number) =>
      judgeRun(aRunQuestion({ ...question, nodes, record, now: inSeconds(seconds) }));

    const watched = look(away, [infra('i1'), there], 60);
    const gone = look(watched.record, [infra('i1')], 120);

    expect(watched.record.pools['worker']?.done).toBe(newConfig);
    expect(gone.problems).toMatchObject([{ kind: 'canary', node: 'w2' }]);
    expect([watched.next.begin, gone.next.begin]).toEqual([[], []]);
  });

  it('[S4-20] [S4-23] [N-29] so does one that is not ready before its turn, also over another config; a go-on before that is told is for something else', () => {
    const third = 'rendered-worker-cccccccc';
    const sick = aTurnNode('w2', { ready: false });
    const look = (record: RunRecord, seconds: number, target = newConfig) =>
      judgeRun(
        aRunQuestion({
          plan: aRunPlan({}, { canaryNodes: ['w2'], soakSeconds: 600, atOnce: 2 }),
          ...{ nodes: [aTurnNode('w1'), sick], record, now: inSeconds(seconds), pools: [aRunPool({ target })] },
        }),
      );
    const goOn = (record: RunRecord, seconds: number) =>
      withRunRequest(record, { kind: 'go-on', said: { ...said, at: inSeconds(seconds).toISOString() } });

    const early = goOn(look(emptyRunRecord, 0).record, 60);
    const long = look(look(early, 120, third).record, 900, third);
    const after = look(goOn(long.record, 960), 960, third);

    expect(long.problems).toMatchObject([{ kind: 'canary', node: 'w2', since: now.toISOString() }]);
    expect(after.problems).toEqual([]);
    expect(after.next.begin.map(({ name }) => name)).toEqual(['w1']);
    expect(look(after.record, 1_020, third).problems).toEqual([]);
  });

  it('[S4-20] [S4-23] [N-29] so does one that is not well for a quarter of an hour: that is told, and go-on lets the others go', () => {
    const sick = anUpdatedNode('w2', { ready: false });
    const two = aRunPlan({}, { canaryNodes: ['w2'], soakSeconds: 600, atOnce: 2 });
    const look = (record: RunRecord, at: Date) =>
      judgeRun(aRunQuestion({ plan: two, nodes: [aTurnNode('w1'), sick], record, now: at }));

    const first = look(away, now);
    const long = look(first.record, inSeconds(900));
    const end = { ...said, at: inSeconds(960).toISOString() };
    const after = look(withRunRequest(long.record, { kind: 'go-on', said: end }), inSeconds(960));

    expect(first.problems).toEqual([]);
    expect(first.next.why).toBe('canary nodes are to be well first: w2');
    expect(long.problems).toMatchObject([{ kind: 'canary', node: 'w2', since: now.toISOString() }]);
    expect(after.problems).toEqual([]);
    expect(after.next.begin.map(({ name }) => name)).toEqual(['w1']);
  });

  it.each<[string, Partial<TurnNode>, Partial<Turn>?]>([
    ['is degraded at its own config', { state: 'Degraded' }],
    ['could not be updated by somebody else', { state: 'Degraded', desiredConfig: newConfig }],
    [
      'is made anew, and whose config daemon does not start',
      { state: '', currentConfig: '', desiredConfig: '', ready: false },
    ],
    ['is not ready while its Jobs run', { ready: false }, { step: 'before', ran: ['poolkeeper/move'] }],
    ['is not ready when it is to go', { ready: false }, { step: 'before' }],
    ['is not ready, and was let go', { ready: false }, { step: 'gone', stays: true }],
  ])('[S4-20] [S4-23] [N-29] so does one that %s: that is told, and go-on lets the others go', (_, change, turn) => {
    const nodes = [aTurnNode('w1'), aTurnNode('w2', change)];
    const rules = turn?.ran === undefined ? {} : { move: {} };
    const look = (record: RunRecord, seconds: number) =>
      judgeRun(
        aRunQuestion({
          plan: aRunPlan(rules, { canaryNodes: ['w2'], soakSeconds: 600, atOnce: 2 }),
          ...{ nodes, record, now: inSeconds(seconds), seen: new Map([['w2', { kind: 'running' }]]) },
        }),
      );
    const first = look({ ...emptyRunRecord, turns: turn === undefined ? {} : { w2: aTurn(turn) } }, 0);
    const long = look(look(first.record, 60).record, 960);
    const goOn = withRunRequest(long.record, { kind: 'go-on', said: { ...said, at: inSeconds(970).toISOString() } });
    const after = look(goOn, 980);

    expect([first.problems, first.next.begin]).toEqual([[], []]);
    expect(long.problems).toContainEqual(expect.objectContaining({ kind: 'canary', node: 'w2' }));
    expect(after.problems).not.toContainEqual(expect.objectContaining({ kind: 'canary' }));
    expect(after.next.begin.map(({ name }) => name)).toEqual(['w1']);
  });

  it('[S4-20] [S4-23] [N-29] stays told where one of its name is made and does not come up', () => {
    const gone = ask(away, now);
    const dead = aTurnNode('w2', { state: '', currentConfig: '', desiredConfig: '', ready: false });
    const made = judgeRun(
      aRunQuestion({ plan, nodes: [aTurnNode('w1'), dead], record: gone.record, now: inSeconds(1_200) }),
    );

    expect(made.problems).toMatchObject([{ kind: 'canary', node: 'w2', since: now.toISOString() }]);
  });

  it('[S4-23] [N-29] is of no matter to a later change, once all nodes are at the target', () => {
    const allThere = judgeRun(aRunQuestion({ plan, nodes: [anUpdatedNode('w1')], record: away, now: later }));

    expect(allThere.problems).toEqual([]);
    expect(allThere.record.canaries ?? {}).toEqual({});
    expect(ask(allThere.record).problems).toEqual([]);
  });

  it('[S4-20] [S4-23] is what stands in the way also where nobody has looked since, with go-on as the command', () => {
    const { record } = ask(away);
    const pools = [{ name: 'worker', nodeSelector: {}, target: { name: newConfig, sources: [] }, paused: true }];

    const { block } = runView({ plan, record, pools, nodes: [aTurnNode('w1')], now: later });

    expect(block).toMatchObject({ kind: 'canary', node: 'w2', action: expect.stringContaining('run go-on upgrade') });
  });

  it('[S4-23] is waited for no longer where one of its name is there with the config, and is watched', () => {
    const back = judgeRun(
      aRunQuestion({ plan, nodes: [aTurnNode('w1'), there], record: ask(away).record, now: later }),
    );

    expect(back.problems).toEqual([]);
    expect(back.next.why).toBe('the canary nodes are watched until 2026-11-22T11:10:00.000Z');
  });

  it('[S4-23] is nothing where no node had that name since the run began, or the run is aborted', () => {
    const aborted = withRunRequest(away, { kind: 'abort', said });

    expect(ask(emptyRunRecord).problems).toEqual([]);
    expect(ask(aborted).problems).toEqual([]);
  });
});
