import type { AlertWork, PublishedEvent, WebhookDue, WorkEvent } from '../../events/index.ts';
import { dynamoTables } from '../../functions/adapters/aws/dynamo-tables.ts';
import { pushOutcomes } from '../../functions/adapters/aws/push-outcomes.ts';
import { replayNotes } from '../../functions/adapters/aws/replay-notes.ts';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { handshake } from '../../functions/handshake/handshake.ts';
import { protect } from '../../functions/handshake/protect.ts';
import { keep } from '../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../functions/keep-pools/keep-ports.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import { receiveArgocd } from '../../functions/receive-argocd/receive-argocd.ts';
import { receiveCluster } from '../../functions/receive-cluster/receive-cluster.ts';
import { receiveGithub } from '../../functions/receive-github/receive-github.ts';
import { receiveSlack } from '../../functions/receive-slack/receive-slack.ts';
import { pushedChanges } from '../../functions/shell/services/pushed-changes.ts';
import { causes } from '../../functions/status/open-pages.ts';
import { statusOf } from '../../functions/status/status-of.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import { attentionEntrance } from './attention-entrance.ts';
import type { EmbeddedTable } from './embedded-table.ts';
import { type LocalQueue, localQueue } from './local-queue.ts';
import type { Routes } from './local-server.ts';
import { startPreviewing } from './previewing.ts';
import { startRedelivering } from './redelivering.ts';
import { startRelaying } from './relaying.ts';
import { sendingLocally } from './send-locally.ts';

export interface ComposeOptions {
  readonly configuration: Configuration;
  /** By name of the cluster. */
  readonly connections: ReadonlyMap<string, ClusterConnection>;
  readonly secrets: Secrets;
  readonly table: EmbeddedTable;
  readonly clock: AcceleratedClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where rendered messages of outbox targets go. */
  readonly outbox: string;
  /** Server for mail targets by SMTP, with user and password in it. */
  readonly smtpUrl?: string | undefined;
  /** Hears everything that is told. */
  readonly onTold?: (events: readonly PublishedEvent[]) => void;
}

/** The same functions as on AWS, wired in one process. */
export interface LocalPoolkeeper {
  readonly routes: Routes;
  /** What keep-pools runs with; the story and tests read from it. */
  readonly ports: KeepPorts;
  readonly work: LocalQueue<WorkEvent>;
  readonly alerts: LocalQueue<AlertWork>;
  /** Undefined: no Argo CD has its pushes from here. */
  readonly relays: LocalQueue<WebhookDue> | undefined;
  /** Ends the queues after what they are working on. */
  stop(): Promise<void>;
}

export function compose(options: ComposeOptions): LocalPoolkeeper {
  const { configuration, clock, secrets, logger, metrics } = options;
  const { clock: now, deadline, newId } = clock.runtime;
  const stored = { client: options.table.client, table: options.table.table, clock: now, newId };
  const tables = dynamoTables(stored);
  const outcomes = configuration.argocd.some((each) => each.relay !== undefined) ? pushOutcomes(stored) : undefined;
  const onFailure = ({
    queue,
    cause,
    isDead,
  }: {
    readonly queue: string;
    readonly cause: unknown;
    readonly isDead: boolean;
  }) => logger.warn(isDead ? 'message given up' : 'message failed and comes again', { queue, error: cause });

  // The AWS queues' figures: six times the function's timeout between tries, five receives.
  const queueSettings = { clock, retryAfterSeconds: 10, receiveAtMost: 5, onFailure };
  const work: LocalQueue<WorkEvent> = localQueue({
    ...queueSettings,
    name: 'work',
    concurrency: 4,
    handle: (event) => keep(event, ports),
  });
  const alerts: LocalQueue<AlertWork> = localQueue({
    ...queueSettings,
    name: 'alerts',
    concurrency: 2,
    handle: (event) => send(event),
  });
  const { incidents } = tables;
  const { outbox, smtpUrl } = options;
  const send = sendingLocally({
    configuration,
    secrets,
    incidents,
    alerts,
    work,
    runtime: clock.runtime,
    logger,
    metrics,
    outbox,
    smtpUrl,
  });

  const publish = async (events: readonly PublishedEvent[]): Promise<void> => {
    options.onTold?.(events);
  };
  const { table } = options;
  const relaying =
    outcomes &&
    startRelaying({ configuration, table, ...tables, outcomes, clock, logger, metrics, publish, onFailure });

  const connection = (name: string): ClusterConnection => {
    const found = options.connections.get(name);
    if (found === undefined) throw new Misconfigured([`cluster ${name} is not connected`]);
    return found;
  };
  const ports: KeepPorts = {
    configuration,
    cluster: async (name) => connection(name),
    argocd: async (name) => {
      const settings = configuration.argocd.find((each) => each.name === name);
      if (settings === undefined) throw new Misconfigured([`Argo CD instance ${name} is not configured`]);
      return connection(settings.cluster).argocd(settings);
    },
    ...tables,
    changes: pushedChanges(configuration.github, { secrets, clock: now, deadline }),
    outcomes,
    work,
    alerts,
    bus: { publish },
    clock: now,
    sleep: clock.runtime.backgroundSleep,
    yieldToEventLoop: clock.runtime.yieldToEventLoop,
    logger,
    metrics,
  };

  const { github } = configuration;
  const previews =
    github?.preview &&
    startPreviewing({
      configuration,
      github,
      settings: github.preview,
      argocd: ports.argocd,
      cluster: async (name) => connection(name),
      table: options.table,
      secrets,
      clock,
      logger,
      metrics,
      onFailure,
    });
  const stopRedelivering =
    github === undefined || github.hooks.length === 0
      ? undefined
      : startRedelivering({ github, table: options.table, secrets, clock, logger, metrics });

  const receiver = { secrets, work, relays: relaying?.relays, clock: now, newId, logger, metrics };
  const handshakePorts = {
    secrets,
    secret: 'handshake',
    clock: now,
    sleep: clock.runtime.sleep,
    newId,
    logger,
    metrics,
    protect: (ref: Parameters<typeof protect>[0]) => protect(ref, ports),
  };
  return {
    ports,
    work,
    alerts,
    relays: relaying?.relays,
    routes: {
      '* /github': receiveGithub({ ...receiver, secret: 'github', previews }),
      '* /argocd': receiveArgocd({ ...receiver, secret: 'argocd' }),
      '* /cluster': receiveCluster({ ...receiver, secret: 'cluster' }),
      '* /handshake': handshake(handshakePorts),
      '* /attention': attentionEntrance({ attention: alerts, newId, logger, metrics }),
      ...(configuration.alerts.slackButtons && {
        '* /slack': receiveSlack({
          configuration,
          secrets,
          secret: configuration.alerts.slackButtons.signingSecret,
          attention: alerts,
          replays: replayNotes(stored),
          clock: now,
          newId,
          logger,
          metrics,
        }),
      }),
      '* /status': statusOf({ ...tables, configuration, clock: now, newId, logger }),
      '* /causes': async () => causes(),
      '* /healthz': async () => Response.json({ ok: true, now: now().toISOString() }),
    },
    async stop() {
      await stopRedelivering?.();
      await previews?.stop();
      await relaying?.stop();
      await work.stop();
      await alerts.stop();
    },
  };
}
