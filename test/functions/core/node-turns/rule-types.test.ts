import { expect, it } from 'vitest';
import { judgeTurn, type WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import type { Turn } from '../../../../functions/core/node-turns/run-record.ts';
import { anUpdatedNode, aRunPlan, aTurnNode, newConfig, now } from './run-builder.ts';

const http = { url: 'https://changes.example.com/nodes', cleanUpUrl: 'https://changes.example.com/done' };
const noJobs = { jobSpec: undefined, cleanUpJobSpec: undefined };

function judge(rule: object, turn: Partial<Turn>, seen: WorkSeen, isBack = false) {
  return judgeTurn({
    plan: aRunPlan({ change: { ...noJobs, ...rule } }),
    name: 'w1',
    turn: {
      pool: 'worker',
      target: newConfig,
      round: '1-b',
      step: 'before',
      since: now.toISOString(),
      ran: [],
      cleaned: [],
      attempt: 1,
      ...turn,
    },
    node: isBack ? anUpdatedNode('w1') : aTurnNode('w1'),
    seen,
    poolTarget: newConfig,
    closed: undefined,
    isAborted: false,
    now,
  });
}

it('[S4-30] a rule of type http comes before the node goes, and again when it is back', () => {
  const rule = { type: 'http', http };
  const ran = ['poolkeeper/change'];

  expect(judge(rule, {}, { kind: 'absent' }).turn.ran).toEqual(ran);
  expect(judge(rule, { ran }, { kind: 'running', note: 'it answered 202' }).waits).toBe(
    'poolkeeper/change runs, but it answered 202',
  );
  expect(judge(rule, { ran }, { kind: 'complete', said: '' }).actions).toMatchObject([{ kind: 'let-go', node: 'w1' }]);
  expect(judge(rule, { ran, step: 'gone' }, { kind: 'absent' }, true).turn).toMatchObject({
    step: 'after',
    cleaned: ran,
  });
  expect(judge(rule, { ran, step: 'after', cleaned: ran }, { kind: 'complete', said: '' }, true).turn.step).toBe(
    'done',
  );
});

it('[S4-30] with one of the two addresses it is told once', () => {
  const before = { type: 'http', http: { url: http.url } };
  const after = { type: 'http', http: { cleanUpUrl: http.cleanUpUrl } };
  const ran = ['poolkeeper/change'];

  expect(judge(before, { ran, step: 'gone' }, { kind: 'absent' }, true).turn.step).toBe('done');
  expect(judge(after, {}, { kind: 'absent' }).actions).toMatchObject([{ kind: 'let-go' }]);
});
