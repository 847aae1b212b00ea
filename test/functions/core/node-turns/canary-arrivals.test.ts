import { describe, expect, it } from 'vitest';
import { withCanariesSeen } from '../../../../functions/core/node-turns/canary-arrivals.ts';
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
  { at = now, target = newConfig, canaryNodes = ['w2'] as readonly string[] } = {},
): RunRecord {
  const plan = aRunPlan({}, { canaryNodes, soakSeconds: 600 });
  const nodes = node === undefined ? [] : [node];
  return withCanariesSeen(record, { plan, nodes, pools: [aRunPool({ target })], now: at });
}

const away = seen(emptyRunRecord, aTurnNode('w2'));

describe('since when a canary node has the config of its pool', () => {
  it('[S4-23] is noted when it is seen there after it was away, and once', () => {
    const arrived = seen(away, there, { at: later });

    expect(away.canaries).toEqual({ w2: 'away' });
    expect(arrived.canaries).toEqual({ w2: later.toISOString() });
    expect(seen(arrived, there, { at: new Date(later.getTime() + 60_000) })).toEqual(arrived);
  });

  it('[S4-23] is not noted while its update goes on', () => {
    expect(seen(away, anUpdatedNode('w2', { state: 'Working' })).canaries).toEqual({ w2: 'away' });
  });

  it('[S4-23] is noted anew for another config', () => {
    expect(seen(seen(away, there), aTurnNode('w2')).canaries).toEqual({ w2: 'away' });
  });

  it('[S4-23] [N-29] stays known while its pool renders nothing', () => {
    const arrived = seen(away, there);

    expect(seen(arrived, there, { target: '' })).toEqual(arrived);
  });

  it.each([
    ['away', away, later, 'away'],
    ['watched', seen(away, there), new Date(now.getTime() + 599_000), 'away'],
    ['watched to the end', seen(away, there), new Date(now.getTime() + 600_000), now.toISOString()],
  ] as const)('[S4-23] [N-29] of one that is gone while it was %s', (_, record, at, expected) => {
    expect(seen(record, undefined, { at }).canaries).toEqual({ w2: expected });
  });

  it('[S4-23] [N-29] is what is seen first when its run is put back into the configuration', () => {
    const out = seen(withoutConfiguration(away, now), there, { canaryNodes: [] });
    const back = seen(withConfiguration(out), there, { at: later });

    expect(out.canaries).toEqual({ w2: 'away' });
    expect(back.canaries).toEqual({ w2: later.toISOString() });
  });

  it('[S4-23] is not that of a start after an abort, during which the MCO has taken it', () => {
    const said = { who: 'ops', why: 'another change', at: later.toISOString() };
    const aborted = withRunRequest(away, { kind: 'abort', said });

    expect(seen(withRunRequest(aborted, { kind: 'start', said }), there, { at: later }).canaries).toBeUndefined();
    expect(withRunRequest(seen(away, there), { kind: 'start', said }).canaries).toEqual({ w2: now.toISOString() });
  });

  it('[S4-23] [N-29] is not far ahead of now, whatever clock has written it, and stays by one that is a little behind', () => {
    const ahead = seen(away, there, { at: new Date(now.getTime() + 30 * 24 * 3_600_000) });
    const arrived = seen(away, there, { at: later });

    expect(seen(ahead, there, { at: later }).canaries).toEqual({ w2: later.toISOString() });
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

    expect(gone.problems).toMatchObject([{ kind: 'missing', node: 'w2' }]);
    expect(gone.next.begin).toEqual([]);
    expect(after.problems).toEqual([]);
    expect(after.next.begin.map(({ name }) => name)).toEqual(['w1']);
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

    expect(problems).toMatchObject([{ kind: 'missing', node: 'w2', since: expect.any(String) }]);
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

    expect(block).toMatchObject({ kind: 'missing', node: 'w2', action: expect.stringContaining('run go-on upgrade') });
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
