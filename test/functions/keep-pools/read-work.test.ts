import { expect, it } from 'vitest';
import type { RunRecord, Turn } from '../../../functions/core/node-turns/run-record.ts';
import { emptyRunRecord } from '../../../functions/core/node-turns/run-record.ts';
import { readWork } from '../../../functions/keep-pools/node-turns/read-work.ts';
import { aRunPlan, newConfig, now } from '../core/node-turns/run-builder.ts';
import { keepLab } from './keep-lab.ts';

const begun: Turn = {
  pool: 'worker',
  target: newConfig,
  round: '1-bbbbbbbb',
  step: 'before',
  since: now.toISOString(),
  ran: ['poolkeeper/tell'],
  cleaned: [],
  attempt: 1,
};

it('[S4-26] [S4-31] what has succeeded is not told again at each look while its node may not go', async () => {
  const plan = aRunPlan({
    tell: {
      type: 'http',
      jobSpec: undefined,
      cleanUpJobSpec: undefined,
      http: { url: 'https://tickets.example.com/a' },
    },
  });
  let told = 0;
  const ruleCalls = {
    post: async () => {
      told += 1;
      return { kind: 'answered' as const, status: 200, said: '' };
    },
  };
  const lab = keepLab();
  const { pools, reader, renderings } = lab.world;
  const read = async (turn: Partial<Turn>) => {
    const record: RunRecord = { ...emptyRunRecord, turns: { w1: { ...begun, ...turn } } };
    return (await readWork(plan, record, { pools, reader, renderings }, { ...lab.ports, ruleCalls })).get('w1')?.kind;
  };

  expect([await read({}), told]).toEqual(['complete', 1]);
  expect([await read({ succeeded: true }), told]).toEqual(['complete', 1]);
});
