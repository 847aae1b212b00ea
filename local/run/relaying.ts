import type { PublishedEvent, WebhookDue } from '../../events/index.ts';
import { argocdWebhooks } from '../../functions/adapters/argocd/argocd-webhooks.ts';
import { messageGroup } from '../../functions/adapters/aws/message-group.ts';
import { relayNotes } from '../../functions/adapters/aws/relay-notes.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
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

/** relay-pushes on this machine. */
export interface Relaying {
  readonly relays: LocalQueue<WebhookDue>;
  /** Resolves once current messages have been processed. */
  stop(): Promise<void>;
}

export function startRelaying({ table, clock, publish, onFailure, ...given }: RelayingOptions): Relaying {
  const { clock: now, deadline, newId } = clock.runtime;
  const relays: LocalQueue<WebhookDue> = localQueue<WebhookDue>({
    name: 'relay',
    clock,
    groupOf: messageGroup,
    retryAfterSeconds: 10,
    receiveAtMost: 5,
    concurrency: 4,
    handle: (event) => relay(event, ports),
    onFailure,
  });
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
    stop: () => relays.stop(),
  };
}
