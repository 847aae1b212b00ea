import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { Transient } from '../core/text/errors.ts';
import { given } from '../core/text/given.ts';
import { parseAs, parseJson } from './body.ts';
import { lazy } from './lazy.ts';
import { metricNames } from './metric-names.ts';
import type { Telemetry } from './telemetry.ts';

/** The fields of a CloudEvent in log lines. */
interface Correlated {
  readonly id: string;
  readonly type: string;
  readonly correlation?: string | undefined;
}

/** What the queue itself says of a message: nothing in the message can change it. */
export interface ReceivedMessage {
  /** Who sent it: the id of a user, or of a role and its session. Source: SQS, SenderId. Undefined: the queue does not
   *  say. */
  readonly sender: string | undefined;
  /** ISO instant at which the queue took it; undefined: the queue does not say. */
  readonly sentAt: string | undefined;
}

export interface QueueFunction<Event extends Correlated, Ports> {
  readonly telemetry: Telemetry;
  /** Schema of a message's body. */
  readonly event: z.ZodType<Event>;
  /** Runs at cold start only, with the first batch. */
  readonly build: () => Promise<Ports>;
  /** Runs once per message. Returning: done, throwing: redeliver. */
  readonly handle: (event: Event, ports: Ports, received: ReceivedMessage) => Promise<void>;
  /** Redelivers a failed message after so many seconds instead of after the whole visibility timeout of the queue. */
  readonly retryLater?: (receiptHandle: string, afterSeconds: number) => Promise<void>;
  /** The longest wait that the other side may ask for (Retry-After), in seconds; default: the longest of our own. */
  readonly waitsAtMostSeconds?: number | undefined;
}

/** Seconds until a message that failed transiently is retried, after its 1st, 2nd, ... attempt. The first ones are for
 *  a lost race or a brief failure, within the 5 s in which the MCO has targeted no node yet; all of them together
 *  outlast the restart of an API server (about 2 min). The queue gives up after five attempts. */
const backOffSeconds = [2, 10, 30, 120] as const;

/** A consumer of one queue as a Lambda with partial batch responses: SQS deletes what is not reported here. Messages
 *  are handled one after the other, because they often concern the same cluster.
 *  - Transient: reported, so that SQS redelivers it, soon at first and later after each attempt.
 *  - A body that its schema refuses, or BadInput: our own producer is wrong. Reported too, so that it ends in the
 *  dead-letter queue with its evidence instead of being lost.
 *  - A failed cold start throws: the whole batch is redelivered, and the function's error count increases. */
export function queueFunction<Event extends Correlated, Ports>(
  consumer: QueueFunction<Event, Ports>,
): (batch: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const { telemetry, build } = consumer;
  const ready = lazy(build);

  async function handleAll(batch: SQSEvent): Promise<SQSBatchResponse> {
    const ports = await ready();
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const record of batch.Records) {
      const done = await telemetry.within(fieldsOf(record), () => handleRecord(record, consumer, ports));
      if (!done) batchItemFailures.push({ itemIdentifier: record.messageId });
    }
    return { batchItemFailures };
  }

  return (batch, context) =>
    telemetry.within({ invocation: context.awsRequestId }, async () => {
      try {
        return await handleAll(batch);
      } catch (error) {
        telemetry.logger.error('batch failed', { error });
        throw error;
      } finally {
        telemetry.flush();
      }
    });
}

async function handleRecord<Event extends Correlated, Ports>(
  record: SQSRecord,
  consumer: QueueFunction<Event, Ports>,
  ports: Ports,
): Promise<boolean> {
  const { telemetry, event: shape, handle } = consumer;
  const { logger, metrics } = telemetry;
  try {
    const event = read(shape, record.body, telemetry);
    const { id, type, correlation } = event;
    await telemetry.within({ event: id, type, ...given({ correlation }) }, async () => {
      try {
        await handle(event, ports, receivedMessage(record));
      } catch (error) {
        logger[error instanceof Transient ? 'warn' : 'error']('message failed', { error });
        if (error instanceof Transient) await tryAgainSoon(record, error, consumer);
        throw error;
      }
    });
    metrics.count(metricNames.recordsHandled);
    return true;
  } catch {
    metrics.count(metricNames.recordsFailed);
    return false;
  }
}

function receivedMessage({ attributes }: SQSRecord): ReceivedMessage {
  const { SenderId: sender, SentTimestamp: sent } = attributes;
  return { sender, sentAt: /^\d{1,15}$/.test(sent ?? '') ? new Date(Number(sent)).toISOString() : undefined };
}

/** Best effort: if it fails, the message is redelivered all the same, only later. */
async function tryAgainSoon(
  { receiptHandle, attributes }: SQSRecord,
  { retryAfterSeconds = 0 }: Transient,
  {
    retryLater,
    telemetry,
    waitsAtMostSeconds = backOffSeconds[3],
  }: Pick<QueueFunction<never, never>, 'retryLater' | 'telemetry' | 'waitsAtMostSeconds'>,
): Promise<void> {
  const attempt = Number(attributes.ApproximateReceiveCount);
  // A message may be about others as well, and one that is hidden for longer than its queue keeps it is gone.
  const asked = Math.min(Math.ceil(retryAfterSeconds), waitsAtMostSeconds);
  const afterSeconds = Math.max(backOffSeconds[attempt - 1] ?? backOffSeconds[3], asked);
  try {
    await retryLater?.(receiptHandle, afterSeconds);
  } catch (error) {
    telemetry.logger.warn('message is retried late', { error });
  }
}

function read<Event>(shape: z.ZodType<Event>, body: string, { logger, metrics }: Telemetry): Event {
  try {
    return parseAs(shape, parseJson(body));
  } catch (error) {
    metrics.count(metricNames.recordsMalformed);
    logger.error('message does not belong in its queue', { error });
    throw error;
  }
}

function fieldsOf({ messageId, attributes }: SQSRecord) {
  return { messageId, receiveCount: Number(attributes.ApproximateReceiveCount) };
}
