import type { PublishedEvent, WebhookDue } from '../../events/index.ts';
import { argocdWebhooks } from '../../functions/adapters/argocd/argocd-webhooks.ts';
import { messageGroup } from '../../functions/adapters/aws/message-group.ts';
import { relayNotes } from '../../functions/adapters/aws/relay-notes.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { RelayQueue } from '../../functions/ports/queues.ts';
import type { PushOutcomes, Races, Timeline } from '../../functions/ports/tables.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import { relay } from '../../functions/relay-pushes/relay.ts';
import type { RelayPorts } from '../../functions/relay-pushes/relay-ports.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { OpenTable } from './embedded-table.ts';
import { type LocalQueue, localQueue } from './local-queue.ts';

export interface RelayingOptions {
  readonly configuration: Configuration;
  readonly table: OpenTable;
  readonly outcomes: PushOutcomes;
  readonly races: Races;
  readonly timeline: Timeline;
  readonly clock: AcceleratedClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly publish: (events: readonly PublishedEvent[]) => Promise<void>;
  readonly onFailure: Parameters<typeof localQueue>[0]['onFailure'];
}

/** Messages in flight at one endpoint of an Argo CD: one that accepts connections and does not answer keeps each of
 *  them for 10 s. */
const inFlightAtMost = 2;

/** relay-pushes on this machine. */
export interface Relaying {
  readonly relays: RelayQueue;
  /** Resolves once current messages have been processed. */
  stop(): Promise<void>;
}

export function startRelaying({ table, clock, publish, onFailure, ...given }: RelayingOptions): Relaying {
  const { clock: now, deadline, newId } = clock.runtime;
  const queueWith = (concurrency: number) =>
    localQueue<WebhookDue>({
      name: 'relay',
      clock,
      groupOf: messageGroup,
      retryAfterSeconds: 10,
      receiveAtMost: 5,
      concurrency,
      handle: (event) => relay(event, ports),
      onFailure,
    });
  const received = queueWith(4);
  const byEndpoint = new Map<string, LocalQueue<WebhookDue>>();
  const queueOf = (endpoint: string) => {
    const queue = byEndpoint.get(endpoint) ?? queueWith(inFlightAtMost);
    byEndpoint.set(endpoint, queue);
    return queue;
  };
  const relays: RelayQueue = {
    async send(event, delaySeconds) {
      const { to } = event.data;
      await (to === undefined ? received : queueOf(`${to.argocd}/${to.endpoint}`)).send(event, delaySeconds);
    },
  };
  const ports: RelayPorts = {
    ...given,
    notes: relayNotes({ client: table.client, table: table.table, clock: now, newId }),
    webhooks: argocdWebhooks({ deadline }),
    relays,
    bus: { publish },
    clock: now,
  };
  return {
    relays,
    stop: async () => {
      // From here on nothing makes another queue.
      await received.stop();
      await Promise.all([...byEndpoint.values()].map((queue) => queue.stop()));
    },
  };
}
