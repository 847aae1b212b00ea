import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { PublishedEvent } from '../../../events/index.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { EventBus } from '../../ports/messages.ts';
import { inPieces } from '../in-pieces.ts';
import { awsFailure } from './aws-failure.ts';
import { clientSettings } from './client-settings.ts';

/** Entries per call of PutEvents, and their bytes together: a call with more is refused whole, each time anew. Source:
 *  Amazon EventBridge, "Calculating PutEvents event entry size": less than 256 KB in total. */
const mostEntries = 10;
const mostBytes = 250_000;
/** Attempts for entries that EventBridge rejected; the SDK retries only calls that failed as a whole. */
const mostRounds = 3;
/** Calls at a time where there are many: whoever may start hundreds of syncs that hold twenty pools each has thousands
 *  of events published in a pass, which has 60 s, and a call takes some 20 ms. A few go one after the other, so that
 *  subscribers usually get them in their order, of which EventBridge assures nobody. */
const callsAtOnce = 5;
const manyCalls = 10;

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
    const codes = unique(outcomes.map((outcome) => outcome.ErrorCode).filter(Boolean)).join(', ');
    throw new Transient(`EventBridge PutEvents: ${answer.FailedEntryCount} of ${entries.length} refused: ${codes}`, {
      kind: 'busy',
    });
  }

  return {
    async publish(events) {
      const calls = callsOf(events.map((event) => entryOf(bus, event)));
      const atOnce = calls.length > manyCalls ? callsAtOnce : 1;
      await inPieces(calls, atOnce, (entries) => put(entries, 1));
    },
  };
}

/** The entries in their order, as many in each call as it takes. */
function callsOf(entries: readonly PutEventsRequestEntry[]): readonly (readonly PutEventsRequestEntry[])[] {
  const calls: PutEventsRequestEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const last = calls.at(-1);
    const size = bytesOf(entry);
    const hasRoom = last !== undefined && last.length < mostEntries && bytes + size <= mostBytes;
    if (hasRoom) last.push(entry);
    else calls.push([entry]);
    bytes = hasRoom ? bytes + size : size;
  }
  return calls;
}

/** As EventBridge counts them; the time is 14. Same source. */
function bytesOf({ Source = '', DetailType = '', Detail = '', Resources = [] }: PutEventsRequestEntry): number {
  return [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + Buffer.byteLength(text), 14);
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
