import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { PublishedEvent } from '../../../events/index.ts';
import { Transient } from '../../core/text/errors.ts';
import type { EventBus } from '../../ports/messages.ts';
import { awsFailure } from './aws-failure.ts';
import { clientSettings } from './client-settings.ts';

/** Entries per call of PutEvents. */
const mostEntries = 10;
/** Attempts for entries that EventBridge rejected; the SDK retries only calls that failed as a whole. */
const mostRounds = 3;

export interface EventBridgeBusOptions {
  readonly client: EventBridgeClient;
  /** Name or ARN. */
  readonly bus: string;
}

/** A client with time limits; created once per cold start. */
export function openEventBridge(config: EventBridgeClientConfig = {}): EventBridgeClient {
  return new EventBridgeClient({ ...clientSettings, ...config });
}

/** Publishes each event as a whole (CloudEvents structured JSON) as `detail`. Throws Transient if an event was
 *  rejected; the retry publishes the others again: consumers drop repeats by `source` and `id`. */
export function eventBridgeBus({ client, bus }: EventBridgeBusOptions): EventBus {
  async function put(entries: readonly PutEventsRequestEntry[], round: number): Promise<void> {
    const answer = await client.send(new PutEventsCommand({ Entries: [...entries] })).catch((cause: unknown) => {
      throw awsFailure('EventBridge PutEvents', cause);
    });
    if ((answer.FailedEntryCount ?? 0) === 0) return;
    const outcomes = answer.Entries ?? [];
    const left = entries.filter((_, index) => outcomes[index]?.ErrorCode !== undefined);
    if (round < mostRounds && left.length > 0) return put(left, round + 1);
    const codes = [...new Set(outcomes.map((outcome) => outcome.ErrorCode).filter(Boolean))].join(', ');
    throw new Transient(`EventBridge PutEvents: ${answer.FailedEntryCount} of ${entries.length} refused: ${codes}`, {
      kind: 'busy',
    });
  }

  return {
    async publish(events) {
      const entries = events.map((event) => entryOf(bus, event));
      for (let start = 0; start < entries.length; start += mostEntries)
        await put(entries.slice(start, start + mostEntries), 1);
    },
  };
}

function entryOf(bus: string, event: PublishedEvent): PutEventsRequestEntry {
  return {
    EventBusName: bus,
    Source: 'poolkeeper',
    DetailType: event.type,
    Detail: JSON.stringify(event),
    Time: new Date(event.time),
    ...(event.subject === undefined ? {} : { Resources: [event.subject] }),
  };
}
