import { describe, expect, it } from 'vitest';
import { judgeGates } from '../../../../functions/core/node-turns/run-gates.ts';
import type { ClosedGate } from '../../../../functions/core/node-turns/run-question.ts';
import { emptyRunRecord, type RunRecord } from '../../../../functions/core/node-turns/run-record.ts';
import { aTurn, now } from './run-builder.ts';

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
  return judgeGates(record, { gates: [{ ...storage, ...change }], isWaitedFor: true, now: later(minutes) });
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
  const first = judge(back, 60);

  expect(judge(first.record, 80).record.aborted).toBeUndefined();
  expect(judge(first.record, 91).record.aborted).toMatchObject({ who: 'its own gate' });
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
    const blind = judge(judge(emptyRunRecord, 0, unseen).record, 45, unseen);
    const seen = judge(blind.record, 46);
    const again = judge(judge(seen.record, 60, unseen).record, 70, unseen);

    expect(seen.record.aborted).toBeUndefined();
    expect(judge(seen.record, 70).record).toMatchObject({ closedGates: { 'gate/storage': later(46).toISOString() } });
    expect(again.record.unseenGates).toEqual({ 'gate/storage': later(60).toISOString() });
    expect(again.problems).toEqual([]);
    expect(judge(again.record, 77).record.aborted?.why).toContain(`closed since ${later(46).toISOString()}`);
    expect(judge(again.record, 71).record.unseenGates).toBeUndefined();
  });

  it('[N-11] [S2-19] keeps nodes back beside one that counts no longer', () => {
    const passed: ClosedGate = { ...storage, id: 'gate/first', onTimeout: 'proceed' };
    const gates = [passed, { ...storage, ...unseen }];
    const first = judgeGates(emptyRunRecord, { gates, isWaitedFor: true, now: later(0) });
    const late = judgeGates(first.record, { gates, isWaitedFor: true, now: later(40) });

    expect(late.closed).toContain('could not be looked at');
  });
});
