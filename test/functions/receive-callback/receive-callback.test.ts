import { describe, expect, test } from 'vitest';
import { newCallback } from '../../../functions/core/node-turns/rule-callback.ts';
import { receiveCallback } from '../../../functions/receive-callback/receive-callback.ts';
import { createFaults, fakeClock, fakeIds, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';
import { answerOf, post } from '../receiving.ts';

const id = '0123456789abcdef';
const token = 'a-token-that-nobody-guesses';

function callbackLab() {
  const clock = fakeClock('2026-03-02T10:00:00.000Z');
  const faults = createFaults();
  const { ruleCallbacks } = fakeTables(faults);
  const logger = fakeLogger();
  const metrics = fakeMetrics();
  const ports = { callbacks: ruleCallbacks, clock: clock.now, newId: fakeIds(), logger, metrics };
  const handle = receiveCallback(ports);
  return {
    clock,
    faults,
    logger,
    callbacks: ruleCallbacks,
    opens: () => ruleCallbacks.save(newCallback(id, token, 3_600, clock.now())),
    stored: () => ruleCallbacks.load(id),
    send: async (body: unknown, { of = id, by = token }: { readonly of?: string; readonly by?: string } = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers: Record<string, string> = by === '' ? {} : { authorization: `Bearer ${by}` };
      return answerOf(await handle(post(`/callbacks/${of}`, text, headers)));
    },
    handle,
  };
}

const done = { status: 'succeeded', message: 'CHG-4711 is approved' };

describe('[S4-30] a callback', () => {
  test('by whoever has the token of the event is recorded, once: what comes later changes nothing', async () => {
    const lab = callbackLab();
    await lab.opens();

    const first = await lab.send(done);
    const repeated = [await lab.send(done), await lab.send({ status: 'failed' })];

    expect(first).toMatchObject({ status: 200, body: { recorded: true } });
    expect(repeated).toMatchObject([
      { status: 200, body: { recorded: false } },
      { status: 200, body: { recorded: false } },
    ]);
    expect((await lab.stored())?.answer).toEqual({ ...done, at: '2026-03-02T10:00:00.000Z' });
  });

  test.each([
    ['another token', { by: 'another' }],
    ['no token', { by: '' }],
    ['the token of another event', { of: 'fedcba9876543210' }],
    ['an id that is none', { of: '..%2fincident' }],
    ['no id', { of: '' }],
  ])('with %s is refused, always in the same words', async (_, change) => {
    const lab = callbackLab();
    await lab.opens();

    const { status, body } = await lab.send(done, change);

    expect([status, body]).toMatchObject([401, { reason: 'the token is missing or wrong, or there is no such event' }]);
    expect((await lab.stored())?.answer).toBeUndefined();
  });

  test('after the time of its attempt changes nothing', async () => {
    const lab = callbackLab();
    await lab.opens();
    lab.clock.advance(3_600 + 301);

    expect((await lab.send(done)).status).toBe(410);
    expect((await lab.stored())?.answer).toBeUndefined();
  });

  test.each([
    ['what is no JSON', 'succeeded'],
    ['no status', { message: 'done' }],
    ['another status', { status: 'pending' }],
    ['another key', { ...done, node: 'w1' }],
    ['a message that is too long', { ...done, message: 'x'.repeat(4_001) }],
  ])('with %s is refused', async (_, body) => {
    const lab = callbackLab();
    await lab.opens();

    expect((await lab.send(body)).status).toBe(400);
    expect((await lab.stored())?.answer).toBeUndefined();
  });

  test('is read up to 8 KiB, and before its token is looked up', async () => {
    const lab = callbackLab();

    expect((await lab.send('x'.repeat(8 * 1024 + 1))).status).toBe(413);
    expect(lab.faults.calls).toEqual([]);
  });

  test('keeps no credentials of its message, and no log has its token', async () => {
    const lab = callbackLab();
    await lab.opens();

    await lab.send({ status: 'failed', message: 'password=hunter2\nsecond line' });

    const message = (await lab.stored())?.answer?.message;
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain('\n');
    expect(JSON.stringify(lab.logger.lines)).not.toContain(token);
  });

  test('is recorded though a pass notes at the same moment that the event was received', async () => {
    const lab = callbackLab();
    await lab.opens();
    const { save } = lab.callbacks;
    let raced = false;
    lab.callbacks.save = async (callback) => {
      if (!raced && callback.answer !== undefined) {
        raced = true;
        const { answer: _, ...received } = callback;
        await save({ ...received, received: '2026-03-02T10:00:00.000Z' });
      }
      return save(callback);
    };

    expect((await lab.send(done)).status).toBe(200);
    expect(await lab.stored()).toMatchObject({ received: '2026-03-02T10:00:00.000Z', answer: done });
  });

  test('that cannot be stored is asked for again', async () => {
    const lab = callbackLab();
    await lab.opens();
    lab.faults.failNth('ruleCallbacks.save', 2);

    expect((await lab.send(done)).status).toBe(503);
    expect((await lab.send(done)).status).toBe(200);
  });
});
