import { AlertWork, type PublishedEvent, type PullSeen, WorkEvent } from '../../events/index.ts';
import { dynamoTables } from '../../functions/adapters/aws/dynamo-tables.ts';
import { messageGroup } from '../../functions/adapters/aws/message-group.ts';
import { calendarServers } from '../../functions/adapters/calendars/calendar-servers.ts';
import { evaluateCel } from '../../functions/adapters/cel/evaluate-cel.ts';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { ruleCalls } from '../../functions/adapters/tickets/rule-calls.ts';
import { ticketService } from '../../functions/adapters/tickets/ticket-service.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { keep } from '../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../functions/keep-pools/keep-ports.ts';
import type { RelayQueue } from '../../functions/ports/queues.ts';
import { pushedChanges } from '../../functions/shell/services/pushed-changes.ts';
import { tablesOfRelay } from '../../functions/shell/services/tables-of-relay.ts';
import { translatedPorts } from '../../functions/shell/services/translated-ports.ts';
import { type Changes, countedChanges } from './changes.ts';
import type { ComposeOptions, StoredTables } from './compose-options.ts';
import { keptCommands } from './kept-commands.ts';
import { type LocalQueue, type LocalQueueOptions, localQueue } from './local-queue.ts';
import type { Routes } from './local-server.ts';
import { startPreviewing } from './previewing.ts';
import { startRedelivering } from './redelivering.ts';
import { type Relaying, startRelaying } from './relaying.ts';
import { routesOf } from './routes.ts';
import { sendingLocally } from './send-locally.ts';

/** The functions that run on AWS, wired in one process. */
export interface LocalPoolkeeper {
  readonly routes: Routes;
  /** What keep-pools runs with; the demo and tests read from it. */
  readonly ports: KeepPorts;
  readonly work: LocalQueue<WorkEvent>;
  readonly alerts: LocalQueue<AlertWork>;
  /** Undefined: no Argo CD has a relay. */
  readonly relays: RelayQueue | undefined;
  /** Told to those who have the page open. */
  readonly changes: Changes;
  /** Takes up the commands that a process before this one accepted and did not carry out. Throws Transient. */
  takeUp(): Promise<void>;
  /** Resolves once the queues have finished what they are working on. */
  stop(): Promise<void>;
}

/** What several parts are wired with. */
interface Shared {
  readonly tables: StoredTables;
  readonly ofRelay: ReturnType<typeof tablesOfRelay>;
  readonly publish: (events: readonly PublishedEvent[]) => Promise<void>;
  readonly onFailure: LocalQueueOptions<unknown>['onFailure'];
  readonly changes: Changes;
  /** Throws Misconfigured for a cluster that is not connected. */
  readonly connection: (name: string) => ClusterConnection;
}

export function compose(options: ComposeOptions): LocalPoolkeeper {
  const shared = sharedParts(options);
  const { work, alerts, ports, takeUp } = startPasses(options, shared);
  const relaying = startRelay(options, shared);
  const previews = startPreviews(options, shared, ports);
  const stopRedelivery = startRedelivery(options);
  const relays = relaying?.relays;
  return {
    ports,
    work,
    alerts,
    relays,
    changes: shared.changes,
    routes: routesOf({
      options,
      tables: shared.tables,
      ports,
      work,
      alerts,
      relays,
      previews,
      changes: shared.changes,
    }),
    takeUp,
    async stop() {
      await stopRedelivery?.();
      await previews?.stop();
      await relaying?.stop();
      await work.stop();
      await alerts.stop();
    },
  };
}

function sharedParts({ configuration, connections, table, clock, logger, onPublished }: ComposeOptions): Shared {
  const { clock: now, newId, yieldToEventLoop } = clock.runtime;
  const stored = { client: table.client, table: table.table, clock: now, newId, yieldToEventLoop };
  return {
    tables: dynamoTables(stored),
    ofRelay: tablesOfRelay(configuration, stored),
    publish: async (events) => onPublished?.(events),
    onFailure: ({ queue, cause, isDead }) =>
      logger.warn(isDead ? 'message failed, now a dead letter' : 'message failed, will be retried', {
        queue,
        error: cause,
      }),
    changes: countedChanges(newId()),
    connection(name) {
      const found = connections.get(name);
      if (found === undefined) throw new Misconfigured([`cluster ${name} is not connected`]);
      return found;
    },
  };
}

interface Passes {
  readonly work: LocalQueue<WorkEvent>;
  readonly alerts: LocalQueue<AlertWork>;
  readonly ports: KeepPorts;
  readonly takeUp: () => Promise<void>;
}

/** keep-pools and send-alerts with their queues. */
function startPasses(options: ComposeOptions, shared: Shared): Passes {
  const { configuration, clock, secrets, table, logger, metrics, outbox, smtpUrl } = options;
  const { runtime } = clock;
  const { changes } = shared;
  const stored = { client: table.client, table: table.table, clock: runtime.clock, newId: runtime.newId };
  const keptWork = keptCommands('work', (event) => WorkEvent.safeParse(event).data, stored);
  const keptAlerts = keptCommands('alerts', (event) => AlertWork.safeParse(event).data, stored);
  // Five receives, as on AWS; but ten seconds between two of them, where AWS waits six times the function's timeout.
  const settings = {
    clock,
    groupOf: messageGroup,
    retryAfterSeconds: 10,
    receiveAtMost: 5,
    onFailure: shared.onFailure,
  };
  const work: LocalQueue<WorkEvent> = localQueue({
    ...settings,
    name: 'work',
    concurrency: 4,
    handle: (event) => keep(event, ports).finally(changes.note),
    kept: keptWork,
  });
  const alerts: LocalQueue<AlertWork> = localQueue({
    ...settings,
    name: 'alerts',
    concurrency: 2,
    handle: (event) => send(event).finally(changes.note),
    kept: keptAlerts,
  });
  const { approvals, askedRequests, incidents, jointMessages, paces, timeline, views } = shared.tables;
  const tables = { approvals, askedRequests, incidents, jointMessages, paces, timeline, views };
  const sending = { configuration, secrets, ...tables, alerts, work, runtime, logger, metrics, outbox, smtpUrl };
  const send = sendingLocally(sending);
  const ports = keepPorts(options, shared, { work, alerts });
  return {
    work,
    alerts,
    ports,
    async takeUp() {
      for (const event of await keptWork.left()) await work.send(event);
      for (const event of await keptAlerts.left()) await alerts.send(event);
    },
  };
}

function keepPorts(options: ComposeOptions, shared: Shared, queues: Pick<Passes, 'work' | 'alerts'>): KeepPorts {
  const { configuration, secrets, logger, metrics } = options;
  const { clock, deadline, sleep, backgroundSleep, yieldToEventLoop } = options.clock.runtime;
  const { tables, ofRelay, publish, connection } = shared;
  return translatedPorts({
    configuration,
    cluster: async (name) => connection(name),
    argocd: async (name) => {
      const settings = configuration.argocd.find((each) => each.name === name);
      if (settings === undefined) throw new Misconfigured([`Argo CD instance ${name} is not configured`]);
      return connection(settings.cluster).argocd(settings);
    },
    ...tables,
    evaluateCel,
    tickets: ticketService({ secrets, clock, deadline }),
    ruleCalls: ruleCalls({ secrets, deadline }),
    calendarServers: calendarServers({ secrets, deadline }),
    changes: pushedChanges(configuration.github, { secrets, clock, deadline }),
    ...ofRelay,
    ...queues,
    requests: queues.alerts,
    bus: { publish },
    clock,
    clockSpeed: options.clock.speed,
    sleep: backgroundSleep,
    wait: sleep,
    yieldToEventLoop,
    logger,
    metrics,
  });
}

function startRelay(options: ComposeOptions, shared: Shared): Relaying | undefined {
  const { configuration, table, clock, logger, metrics } = options;
  const { tables, ofRelay, publish, onFailure } = shared;
  const { outcomes } = ofRelay;
  if (outcomes === undefined) return undefined;
  return startRelaying({ configuration, table, ...tables, outcomes, clock, logger, metrics, publish, onFailure });
}

function startPreviews(
  options: ComposeOptions,
  { connection, onFailure }: Shared,
  { argocd }: KeepPorts,
): LocalQueue<PullSeen> | undefined {
  const { configuration, table, secrets, clock, logger, metrics } = options;
  const { github } = configuration;
  if (github?.preview === undefined) return undefined;
  return startPreviewing({
    configuration,
    github,
    settings: github.preview,
    argocd,
    cluster: async (name) => connection(name),
    table,
    secrets,
    clock,
    logger,
    metrics,
    onFailure,
  });
}

/** Undefined: no webhook of GitHub is configured for it. */
function startRedelivery(options: ComposeOptions): (() => Promise<void>) | undefined {
  const { table, secrets, clock, logger, metrics } = options;
  const { github } = options.configuration;
  if (github === undefined || github.hooks.length === 0) return undefined;
  return startRedelivering({ github, table, secrets, clock, logger, metrics });
}
