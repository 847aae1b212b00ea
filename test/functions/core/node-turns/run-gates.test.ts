import { expect, it } from 'vitest';
import { judgeGates } from '../../../../functions/core/node-turns/run-gates.ts';
import { emptyRunRecord, type RunRecord } from '../../../../functions/core/node-turns/run-record.ts';
import { aTurn, now } from './run-builder.ts';

const storage = { id: 'gate/storage', why: 'it is not healthy', timeoutSeconds: 1800, onTimeout: 'abort' as const };
const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const turn = aTurn();

function judge(record: RunRecord, minutes: number) {
  return judgeGates(record, { gates: [storage], isWaitedFor: true, now: later(minutes) });
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
