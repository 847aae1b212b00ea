import { describe, expect, it, vi } from 'vitest';
import { Tick, WorkEvent } from '../../../events/index.ts';
import { BadInput, Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { queueFunction } from '../../../functions/shell/queue.ts';
import { fakeTelemetry, lambdaContext, queueEvent } from '../receiving.ts';

function aTick(cluster: string): Tick {
  return Tick.parse({
    specversion: '1.0',
    type: 'poolkeeper.tick.v1',
    id: `tick-${cluster}`,
    source: '/poolkeeper/clock',
    subject: cluster,
    time: '2026-03-02T10:00:00Z',
    correlation: `correlation-${cluster}`,
    data: { cluster, why: 'clock' },
  });
}

/** Runs a batch through a consumer whose handling of each cluster the test decides. */
async function consume(bodies: readonly string[], outcome: (cluster: string) => void = () => {}) {
  const telemetry = fakeTelemetry();
  const handled: string[] = [];
  const handler = queueFunction({
    telemetry,
    event: WorkEvent,
    build: async () => ({}),
    async handle(event) {
      const cluster = event.type === 'poolkeeper.tick.v1' ? event.data.cluster : '';
      handled.push(cluster);
      telemetry.logger.info('handling');
      outcome(cluster);
    },
  });
  const response = await handler(queueEvent(bodies), lambdaContext());
  return { failed: response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), handled, telemetry };
}

interface Failing {
  readonly error: Error;
  readonly attempt: number;
  readonly retryLater: (receiptHandle: string, afterSeconds: number) => Promise<void>;
}

/** Runs one message that fails, at this attempt; answers what is reported. */
async function failing({ error, attempt, retryLater }: Failing) {
  const handler = queueFunction({
    telemetry: fakeTelemetry(),
    event: WorkEvent,
    build: async () => ({}),
    handle: () => Promise.reject(error),
    retryLater,
  });
  const batch = queueEvent([body('a')]);
  for (const { attributes } of batch.Records) attributes.ApproximateReceiveCount = String(attempt);
  return (await handler(batch, lambdaContext())).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const body = (cluster: string) => JSON.stringify(aTick(cluster));

describe('a batch of messages', () => {
  it('reports exactly the bad ones, so that the good ones are not delivered again', async () => {
    const bodies = [body('good'), '{"not json', body('bad'), JSON.stringify({ type: 'unknown' }), body('last')];

    const { failed, handled, telemetry } = await consume(bodies, (cluster) => {
      if (cluster === 'bad') throw new Transient('unreachable', { kind: 'unreachable' });
    });

    expect(failed).toEqual(['message-1', 'message-2', 'message-3']);
    expect(handled).toEqual(['good', 'bad', 'last']);
    expect(telemetry.metrics.counts).toEqual({ RecordsHandled: 2, RecordsFailed: 3, RecordsMalformed: 2 });
  });

  it('reports nothing when all went well', async () => {
    const { failed } = await consume([body('a'), body('b')]);

    expect(failed).toEqual([]);
  });

  it.each([
    ['Transient', new Transient('busy'), 'warn'],
    ['BadInput of our own producer, for the dead-letter queue', new BadInput('unknown cluster'), 'error'],
    ['a defect', new TypeError('undefined.foo'), 'error'],
  ])('reports %s', async (_kind, error, level) => {
    const { failed, telemetry } = await consume([body('a')], () => {
      throw error;
    });

    expect(failed).toEqual(['message-0']);
    expect(telemetry.logger.lines).toContainEqual({
      level,
      message: 'message failed',
      fields: expect.objectContaining({ error }),
    });
  });

  it.each([
    ['soon after its first attempt', 1, new Transient('unreachable'), 2],
    ['later after its second', 2, new Transient('unreachable'), 10],
    ['at last after two minutes', 5, new Transient('unreachable'), 120],
    ['not before the other side wants to hear of us', 1, new Transient('429', { retryAfterSeconds: 44.2 }), 45],
    [
      'in two minutes, however long one of several asks for',
      1,
      new Transient('503', { retryAfterSeconds: 86_400 }),
      120,
    ],
  ])('lets a message that failed for the world come again %s', async (_when, attempt, error, seconds) => {
    const retryLater = vi.fn(async () => {});

    const failed = await failing({ error, attempt, retryLater });

    expect(failed).toEqual(['message-0']);
    expect(retryLater.mock.calls).toEqual([['receipt-0', seconds]]);
  });

  it('leaves a message that failed for our sake to the whole visibility timeout', async () => {
    const retryLater = vi.fn(async () => {});

    const failed = await failing({ error: new TypeError('undefined.foo'), attempt: 1, retryLater });

    expect(failed).toEqual(['message-0']);
    expect(retryLater).not.toHaveBeenCalled();
  });

  it('reports the message also when it cannot be made to come again soon', async () => {
    const retryLater = () => Promise.reject(new Transient('SQS ChangeMessageVisibility: AccessDenied'));

    expect(await failing({ error: new Transient('busy'), attempt: 1, retryLater })).toEqual(['message-0']);
  });

  it('never logs the body of a message that it cannot read', async () => {
    const { telemetry } = await consume(['{"password":"hunter2"', JSON.stringify({ type: 'x', password: 'hunter2' })]);

    expect(JSON.stringify(telemetry.logger.lines)).not.toContain('hunter2');
  });

  it('[C-12] logs event, type and correlation with each line of a message, and no longer with the next', async () => {
    const { telemetry } = await consume([body('a'), 'broken', body('b')], (cluster) => {
      if (cluster === 'a') throw new Error('a broke');
    });

    const lines = telemetry.logger.lines.map(({ message, fields }) => [message, fields['messageId'], fields['event']]);
    expect(lines).toEqual([
      ['handling', 'message-0', 'tick-a'],
      ['message failed', 'message-0', 'tick-a'],
      ['message does not belong in its queue', 'message-1', undefined],
      ['handling', 'message-2', 'tick-b'],
    ]);
    expect(telemetry.logger.lines[0]?.fields).toMatchObject({
      invocation: 'invocation-1',
      receiveCount: 1,
      type: 'poolkeeper.tick.v1',
      correlation: 'correlation-a',
    });
    expect(telemetry.keys()).toEqual({});
  });

  it('is built once; a failed build throws the whole batch back and is tried again', async () => {
    const telemetry = fakeTelemetry();
    const build = vi.fn(async () => ({})).mockRejectedValueOnce(new Misconfigured(['no TABLE_NAME']));
    const handler = queueFunction({ telemetry, event: WorkEvent, build, handle: async () => {} });

    const first = handler(queueEvent([body('a')]), lambdaContext());
    await expect(first).rejects.toThrow('no TABLE_NAME');
    await handler(queueEvent([body('a')]), lambdaContext());
    await handler(queueEvent([body('a')]), lambdaContext());

    expect(build).toHaveBeenCalledTimes(2);
    expect(telemetry.flushes).toBe(3);
    expect(telemetry.logger.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'batch failed' }));
  });
});

describe('what the queue says of a message', () => {
  it.each([
    ['its sender and time', {}, { sender: 'sender', sentAt: '2026-03-02T10:00:00.000Z' }],
    ['nothing it does not know', { SentTimestamp: '' }, { sender: 'sender', sentAt: undefined }],
  ])('[N-17] reaches the handler: %s', async (_, change, expected) => {
    const received: unknown[] = [];
    const handler = queueFunction({
      telemetry: fakeTelemetry(),
      event: WorkEvent,
      build: async () => ({}),
      handle: async (_event, _ports, message) => void received.push(message),
    });
    const batch = queueEvent([body('a')]);
    for (const { attributes } of batch.Records) Object.assign(attributes, change);

    await handler(batch, lambdaContext());

    expect(received).toEqual([expected]);
  });
});
