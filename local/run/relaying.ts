import type { PublishedEvent, WebhookDue } from '../../events/index.ts';
import { argocdWebhooks } from '../../functions/adapters/argocd/argocd-webhooks.ts';
import { messageGroup } from '../../functions/adapters/aws/message-group.ts';
import { relayNotes } from '../../functions/adapters/aws/relay-notes.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { Transient } from '../../functions/core/text/errors.ts';
import type { RelayQueue } from '../../functions/ports/queues.ts';
import type { Checkpoints, PushOutcomes, Races, Timeline } from '../../functions/ports/tables.ts';
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
  readonly checkpoints: Checkpoints;
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

/** Milliseconds in which pushes that wait are passed on when the process ends: GitHub will not deliver them again.
 *  Kubernetes gives it 30 s in all, of which a POST may take 10. */
const lastMs = 5_000;

/** relay-pushes on this machine. */
export interface Relaying {
  readonly relays: RelayQueue;
  /** Passes on what waits, late if its pools are not confirmed paused. Resolves once nothing is being passed on. */
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

  /** Each once; what is too much for the time is a dead letter. */
  async function passOnAtOnce(waiting: readonly WebhookDue[]): Promise<void> {
    const until = now().getTime() + lastMs;
    const atOnce = { ...ports, configuration: withoutWaiting(given.configuration) };
    const failed = (cause: unknown) => onFailure({ queue: 'relay', cause, isDead: true });
    for (const event of waiting) {
      if (now().getTime() < until) await relay(event, atOnce).catch(failed);
      else failed(new Transient('Poolkeeper ended before it was passed on'));
    }
  }

  return {
    relays,
    stop: async () => {
      for (const event of await received.stop()) await relay(event, ports);
      // From here on nothing makes another queue. One endpoint that does not answer takes no time from the others.
      await Promise.all([...byEndpoint.values()].map(async (queue) => passOnAtOnce(await queue.stop())));
    },
  };
}

/** The same, with the time of every push up. */
function withoutWaiting(configuration: Configuration): Configuration {
  const argocd = configuration.argocd.map((each) =>
    each.relay === undefined ? each : { ...each, relay: { ...each.relay, waitAtMostSeconds: 0 } },
  );
  return { ...configuration, argocd };
}
