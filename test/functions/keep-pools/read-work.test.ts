import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../functions/core/node-turns/judge-run.ts';
import type { RunPlan } from '../../../functions/core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  type RunRecord,
  type Turn,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { readWork } from '../../../functions/keep-pools/node-turns/read-work.ts';
import { aRunPlan, aRunQuestion, aTurnNode, newConfig, now } from '../core/node-turns/run-builder.ts';
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

/** What a look at a turn finds, and how often `tell` was told by then. */
function telling(planOf: (plan: RunPlan) => RunPlan = (plan) => plan) {
  const http = { url: 'https://tickets.example.com/a' };
  const plan = planOf(aRunPlan({ tell: { type: 'http', jobSpec: undefined, cleanUpJobSpec: undefined, http } }));
  let told = 0;
  const ruleCalls = {
    post: async () => {
      told += 1;
      return { kind: 'answered' as const, status: 200, said: '' };
    },
  };
  const lab = keepLab();
  const { pools, reader, renderings } = lab.world;
  return async (turn: Partial<Turn>) => {
    const record: RunRecord = { ...emptyRunRecord, turns: { w1: { ...begun, ...turn } } };
    const seen = await readWork(plan, record, { pools, reader, renderings }, { ...lab.ports, ruleCalls });
    return [seen.get('w1')?.kind, told];
  };
}

it('[S4-26] [S4-31] what has succeeded is not told again at each look while its node may not go', async () => {
  const read = telling();

  expect(await read({})).toEqual(['complete', 1]);
  expect(await read({ succeeded: true })).toEqual(['complete', 1]);
});

it('[S4-21] [S4-30] of a rule that was taken out nobody is told for the first time', async () => {
  const read = telling(({ rules, ...plan }) => ({
    ...plan,
    rules: [],
    former: rules.map((rule) => ({ ...rule, refused: undefined })),
  }));

  expect(await read({})).toEqual(['absent', 0]);
  expect(await read({ seen: true })).toEqual(['complete', 1]);
});

describe.each(['http', 'lambda'])('a rule of type %s of a turn that ends', (type) => {
  const rules = {
    http: { http: { url: 'https://lb.example.com/drain', cleanUpUrl: 'https://lb.example.com/undrain' } },
    lambda: { lambda: { functionName: 'drain', cleanUpFunctionName: 'undrain' } },
  };
  const drain = { type, jobSpec: undefined, cleanUpJobSpec: undefined, ...rules[type as keyof typeof rules] };

  /** Who is told, in its order, where somebody asks for something after so many looks. The third call is answered. */
  async function told(asked: (record: RunRecord) => RunRecord, looks: number): Promise<readonly string[]> {
    const plan = aRunPlan({ drain });
    const lab = keepLab();
    const { pools, reader, renderings } = lab.world;
    const all: string[] = [];
    const note = (place: string): boolean => {
      all.push(place.replace('https://lb.example.com/', ''));
      return all.length > 2;
    };
    const ports = {
      ...lab.ports,
      ruleCalls: {
        post: async (_: unknown, url: string) => ({
          kind: 'answered' as const,
          status: note(url) ? 200 : 202,
          said: '',
        }),
      },
      ruleFunctions: {
        invoke: async (name: string) => ({
          kind: 'returned' as const,
          text: JSON.stringify({ status: note(name) ? 'succeeded' : 'pending' }),
        }),
      },
    };
    let record: RunRecord = emptyRunRecord;
    for (let look = 0; look < 10; look += 1) {
      if (look === looks) record = asked(record);
      const seen = await readWork(plan, record, { pools, reader, renderings }, ports);
      const at = new Date(now.getTime() + look * 60_000);
      record = judgeRun(aRunQuestion({ plan, record, nodes: [aTurnNode('w1')], seen, now: at })).record;
    }
    expect(record.turns['w1']?.step).toBe('skipped');
    return all;
  }

  const said = { who: 'anna', why: 'wrong night', at: now.toISOString() };
  const ends = [
    ['aborted', { kind: 'abort', said }],
    ['skipped', { kind: 'skip', node: 'w1', said }],
  ] as const;

  it.each(ends)('[S4-20] [S4-21] [S4-30] is not told for the first time once it was %s', async (_, request) => {
    const all = await told((record) => withRunRequest(record, request), 1);

    expect(new Set(all)).toEqual(new Set(['undrain']));
  });

  it.each(ends)(
    '[S4-20] [S4-21] [S4-30] is asked on, and cleaned up after its answer, when it was %s',
    async (_, request) => {
      const all = await told((record) => withRunRequest(record, request), 2);

      expect(all).toEqual(['drain', 'drain', 'drain', 'undrain']);
    },
  );
});

it('[S4-21] [S4-30] an event that was received, which the record does not say, is waited for by its callback and not posted again', async () => {
  const http = { url: 'https://lb.example.com/drain', callbackUrl: 'https://poolkeeper.example.com/' };
  const plan = aRunPlan({ tell: { type: 'http', jobSpec: undefined, cleanUpJobSpec: undefined, http } });
  let posted = 0;
  const ruleCalls = {
    post: async () => {
      posted += 1;
      return { kind: 'answered' as const, status: 200, said: '' };
    },
  };
  const lab = keepLab();
  const { pools, reader, renderings } = lab.world;
  const turns = { w1: begun };
  const read = async (record: RunRecord) =>
    (await readWork(plan, record, { pools, reader, renderings }, { ...lab.ports, ruleCalls })).get('w1')?.kind;
  const aborted = { who: 'anna', why: 'wrong night', at: now.toISOString() };

  expect([await read({ ...emptyRunRecord, turns, aborted }), posted]).toEqual(['absent', 0]);
  // The pass that posts it loses the record to whoever aborts.
  expect([await read({ ...emptyRunRecord, turns }), posted]).toEqual(['running', 1]);
  expect([await read({ ...emptyRunRecord, turns, aborted }), posted]).toEqual(['running', 1]);
});
