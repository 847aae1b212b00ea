import { describe, expect, it } from 'vitest';
import { judgeCall, ruleEvent } from '../../../../functions/core/node-turns/rule-call.ts';
import type { TurnJobId } from '../../../../functions/core/node-turns/turn-job.ts';

const id: TurnJobId = { run: 'upgrade', round: '1-b', node: 'w1', rule: 'ops/change', part: 'before', attempt: 1 };
const context = { cluster: 'prod', pool: 'worker', targetConfig: 'rendered-worker-b' };

describe('a rule of type http', () => {
  it('[S4-30] [S4-14] tells what a Job is told, with the same id however often it is posted', () => {
    const event = ruleEvent(id, context);

    expect(event).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      source: '/poolkeeper/prod/runs/upgrade',
      type: 'poolkeeper.turn.before.v1',
      datacontenttype: 'application/json',
      data: {
        cluster: 'prod',
        run: 'upgrade',
        round: '1-b',
        node: 'w1',
        rule: 'ops/change',
        pool: 'worker',
        targetConfig: 'rendered-worker-b',
        attempt: 1,
      },
    });
    expect(ruleEvent({ ...id }, context).id).toBe(event.id);
    const others = [{ attempt: 2 }, { part: 'after' as const }, { node: 'w2' }].map(
      (more) => ruleEvent({ ...id, ...more }, context).id,
    );
    expect(new Set([event.id, ...others]).size).toBe(4);
  });

  it.each([
    [200, 'complete'],
    [204, 'complete'],
    [202, 'running'],
    [429, 'running'],
    [503, 'running'],
    [302, 'failed'],
    [403, 'failed'],
  ])('[S4-30] [S4-17] answered by %i it is %s', (status, kind) => {
    expect(judgeCall({ kind: 'answered', status, said: '' }).kind).toBe(kind);
  });

  it('[S4-30] [S4-29] keeps what was said, without credentials, and waits for who is silent', () => {
    const said = 'change CHG1 is closed, token=abcdef123456';

    expect(judgeCall({ kind: 'answered', status: 409, said })).toEqual({
      kind: 'failed',
      why: 'it answered 409: change CHG1 is closed, token=[removed]',
    });
    expect(judgeCall({ kind: 'silent', why: 'no answer in time' })).toEqual({
      kind: 'running',
      note: 'no answer in time',
    });
    expect(judgeCall({ kind: 'refused', why: 'its address is internal' }).kind).toBe('refused');
  });
});
