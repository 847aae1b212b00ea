import { afterEach, describe, expect, it } from 'vitest';
import type { CallAnswer, RuleEvent } from '../../../functions/core/node-turns/rule-call.ts';
import { receiveCallback } from '../../../functions/receive-callback/receive-callback.ts';
import { fakeIds, fakeMetrics } from '../../fakes/index.ts';
import { answerOf, post } from '../receiving.ts';
import { type RunLab, runLab } from './run-lab.ts';

let run: RunLab | undefined;

afterEach(async () => {
  await run?.stop();
  run = undefined;
});

/** A run over one node with a rule that is answered by a callback, and whoever is told. */
async function aRun({
  rule = {},
  answers = [],
  echoes = false,
}: {
  readonly rule?: object;
  readonly answers?: readonly number[];
  readonly echoes?: boolean;
} = {}) {
  const events: RuleEvent[] = [];
  const ruleCalls = {
    post: async (_: unknown, __: string, event: RuleEvent): Promise<CallAnswer> => {
      events.push(event);
      return {
        kind: 'answered',
        status: answers[events.length - 1] ?? 200,
        said: echoes ? JSON.stringify(event.data) : '',
      };
    },
  };
  const lab = await runLab({
    nodes: ['worker-0'],
    ruleCalls,
    rules: {
      change: {
        type: 'http',
        jobSpec: undefined,
        cleanUpJobSpec: undefined,
        http: { url: 'https://changes.example.com/nodes', callbackUrl: 'https://poolkeeper.example.com/' },
        timeoutSeconds: 600,
        ...rule,
      },
    },
  });
  run = lab;
  await lab.tick();
  await lab.change();
  await lab.until(() => events.length > 0);
  const handle = receiveCallback({
    callbacks: lab.lab.world.tables.ruleCallbacks,
    clock: () => lab.clock.now(),
    newId: fakeIds(),
    logger: lab.lab.ports.logger,
    metrics: fakeMetrics(),
  });
  /** By whoever got the event, as the event says. */
  const answer = async (event: RuleEvent | undefined, body: object) => {
    const { callbackUrl, callbackToken } = event?.data ?? {};
    const { pathname } = new URL(String(callbackUrl));
    const request = post(pathname, JSON.stringify(body), { authorization: `Bearer ${callbackToken}` });
    return (await answerOf(await handle(request))).status;
  };
  const ticks = async (count: number) => {
    for (let looks = 0; looks < count; looks += 1) {
      await lab.clock.advance(30_000);
      await lab.tick();
    }
  };
  return { lab, events, answer, ticks };
}

const failed = { status: 'failed', message: 'the change was refused' };

describe('[S4-30] a rule that is answered by a callback', () => {
  it('tells once, waits for the answer with what it was told, and goes on', async () => {
    const { lab, events, answer, ticks } = await aRun();

    await ticks(5);
    const waited = { told: events.length, seen: [...lab.seen] };
    const status = await answer(events[0], { status: 'succeeded', message: 'CHG-4711 is approved' });
    await lab.until(() => !lab.isPaused());

    expect(events[0]?.data).toMatchObject({
      callbackUrl: `https://poolkeeper.example.com/callbacks/${events[0]?.id}`,
      callbackToken: expect.stringMatching(/.{6,}/),
    });
    expect([waited, status]).toEqual([{ told: 1, seen: [] }, 200]);
    expect(lab.updated()).toEqual(['worker-0']);
    const { log } = await lab.record();
    expect(log.map(({ what }) => what)).toContain('poolkeeper/change succeeded: CHG-4711 is approved');
  });

  it('is told again, with the same id and token, until somebody has received it', async () => {
    const { lab, events, ticks } = await aRun({ answers: [503, 429] });

    await ticks(6);

    expect(events).toHaveLength(3);
    expect(new Set(events.map(({ id, data }) => `${id} ${data['callbackToken']}`)).size).toBe(1);
    expect(lab.seen).toEqual([]);
  });

  it('that failed blocks the run with what was said; a further try has a token of its own', async () => {
    const { lab, events, answer } = await aRun();
    await answer(events[0], failed);
    await lab.until(() => lab.lab.troubles().includes('run-blocked'));
    const blocked = (await lab.record()).turns['worker-0']?.failed;

    await lab.ask({ kind: 'retry', node: 'worker-0', said: lab.said('it is approved now') });
    await lab.until(() => events.length === 2);
    // The answer to the first try, told again.
    const old = await answer(events[0], { status: 'succeeded' });
    const forged = await answer(
      { ...(events[1] as RuleEvent), data: { ...events[1]?.data, callbackToken: 'guessed' } },
      { status: 'succeeded' },
    );
    await lab.tick();
    const stood = [...lab.seen];
    await answer(events[1], { status: 'succeeded' });
    await lab.until(() => !lab.isPaused());

    expect(blocked).toBe('poolkeeper/change failed: its callback says: the change was refused');
    expect(events[1]?.data['callbackToken']).not.toBe(events[0]?.data['callbackToken']);
    expect([old, forged, stood]).toEqual([200, 401, []]);
  });

  it('is neither told nor asked again once it has failed', async () => {
    const { lab, events, ticks } = await aRun({ answers: [403, 403, 403, 403] });
    await lab.until(() => lab.lab.troubles().includes('run-blocked'));

    await ticks(4);

    expect(events).toHaveLength(1);
  });

  it('that works when its run is aborted has until its time is over before what cleans up after it is told', async () => {
    const http = {
      url: 'https://changes.example.com/nodes',
      cleanUpUrl: 'https://changes.example.com/done',
      callbackUrl: 'https://poolkeeper.example.com/',
    };
    const { lab, events, answer, ticks } = await aRun({ rule: { http } });

    await lab.ask({ kind: 'abort', said: lab.said('not tonight') });
    await ticks(3);
    const before = events.length;
    await answer(events[0], { status: 'succeeded' });
    await ticks(2);

    expect([before, events.length]).toEqual([1, 2]);
    expect(events[1]?.type).toBe('poolkeeper.turn.after.v1');
  });

  it('whose receiver answers with what it was sent shows its token to nobody', async () => {
    const { lab, events, ticks } = await aRun({ echoes: true, answers: [500, 500, 500, 500] });
    await ticks(1);

    const { callbackToken } = events[0]?.data ?? {};
    const shown = JSON.stringify([await lab.record(), await lab.cards()]);
    expect(shown).toMatch(/callbackToken[^,]{0,9}\[(?:redacted|removed)\]/);
    expect(shown).not.toContain(callbackToken);
  });

  it('has failed when its time is over, and an answer after that changes nothing', async () => {
    const { lab, events, answer } = await aRun();
    await lab.until(() => lab.lab.troubles().includes('run-blocked'), 30);
    const blocked = (await lab.record()).turns['worker-0']?.failed;
    await lab.clock.advance(60_000);

    const status = await answer(events[0], { status: 'succeeded' });
    await lab.tick();

    expect(blocked).toMatch(/^poolkeeper\/change failed: it has not ended in time: its callback has not come since /);
    expect(status).toBe(410);
    expect((await lab.record()).turns['worker-0']?.failed).toBe(blocked);
    expect(lab.seen).toEqual([]);
  });

  it('is not told again where its callback cannot be read', async () => {
    const { lab, events, ticks } = await aRun();
    const heal = lab.lab.world.faults.failAll(['ruleCallbacks.load']);
    await ticks(3);
    heal();
    await ticks(1);

    expect(events).toHaveLength(1);
    expect((await lab.record()).turns['worker-0']?.failed).toBeUndefined();
  });
});
