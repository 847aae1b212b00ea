import { expect, test } from 'vitest';
import { recordToTakeOver } from '../../../../functions/core/node-turns/record-to-take-over.ts';
import { emptyRunRecord } from '../../../../functions/core/node-turns/run-record.ts';
import { aTurn } from './run-builder.ts';

const turn = aTurn({ round: '1-aaaaaaaa', step: 'done' });

test('[S4-14] [S4-31] a record at rest that moves keeps the number of every round, also of turns that stand', () => {
  const turns = { 'worker-0': { ...turn, round: '3-aaaaaaaa' }, 'worker-1': turn };
  const record = { ...emptyRunRecord, turns, rounds: { 'worker-1': 4, 'worker-9': 2 } };

  expect(recordToTakeOver(record, false)).toEqual({
    ...emptyRunRecord,
    rounds: { 'worker-0': 3, 'worker-1': 4, 'worker-9': 2 },
  });
});
