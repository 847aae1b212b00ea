import * as z from 'zod';
import { cloudEvent, type WebhookDue } from '../../events/index.ts';
import { isRelayed } from '../core/relay/endpoints.ts';
import type { RelayQueue } from '../ports/queues.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import { metricNames } from '../shell/metric-names.ts';
import { packBody } from '../shell/packed-body.ts';

/** A verified delivery. */
export interface Delivered {
  readonly event: string;
  readonly delivery: string;
  readonly receivedAt: Date;
  /** The body; its UTF-8 bytes are the bytes received. */
  readonly text: string;
  /** What it says. */
  readonly json: string;
  readonly headers: RequestHeaders;
  /** keep-pools handles it too. */
  readonly awaitsPause: boolean;
}

/** Bytes. A message is limited to 1 MiB including everything around the body; two more fields are added on the way.
 *  Source: Amazon SQS quotas. */
const messageAtMostBytes = 1024 * 1024 - 4096;

/** Queues the delivery for the Argo CDs that are relayed to, and returns whether there are any for it. One that is too
 *  large for a message is not relayed: this is logged, and Argo CD's polling covers it. Throws Transient if the queue
 *  does not accept it. */
export async function passOn(
  delivered: Delivered,
  {
    relays,
    logger,
    metrics,
  }: {
    readonly relays?: RelayQueue | undefined;
    readonly logger: Logger;
    readonly metrics: Metrics;
  },
): Promise<boolean> {
  const { event, delivery, text } = delivered;
  if (relays === undefined || !isRelayed(event)) return false;
  const due = webhookDue(delivered, await packBody(Buffer.from(text)));
  if (Buffer.byteLength(JSON.stringify(due)) > messageAtMostBytes) {
    metrics.count(metricNames.relaysTooLarge);
    logger.error('webhook is too large to be relayed, Argo CD polls for it', { delivery, sizeBytes: text.length });
    return false;
  }
  await relays.send(due);
  return true;
}

const OfRepository = z.object({ repository: z.object({ full_name: z.string().min(1) }) });

/** Of whatever is passed on, also of what is otherwise not read. */
function repositoryOf(json: string): { readonly repository?: string } {
  try {
    const { data } = OfRepository.safeParse(JSON.parse(json));
    return data === undefined ? {} : { repository: data.repository.full_name.slice(0, 200) };
  } catch {
    return {};
  }
}

function webhookDue({ event, delivery, receivedAt, json, headers, awaitsPause }: Delivered, body: string): WebhookDue {
  const sha1 = headers.get('x-hub-signature');
  return cloudEvent({
    type: 'poolkeeper.webhook.due.v1',
    id: `webhook/${delivery}/${receivedAt.toISOString()}`,
    source: '/poolkeeper/receive-github',
    subject: `${event} ${delivery}`,
    time: receivedAt,
    correlation: delivery,
    data: {
      delivery,
      receivedAt: receivedAt.toISOString(),
      event,
      ...repositoryOf(json),
      awaitsPause,
      headers: {
        'content-type': headers.get('content-type') ?? 'application/json',
        'x-github-event': event,
        'x-github-delivery': delivery,
        ...(sha1 === null ? {} : { 'x-hub-signature': sha1 }),
        'x-hub-signature-256': headers.get('x-hub-signature-256') ?? '',
      },
      body,
    },
  });
}
