import type { PullSeen, WorkEvent } from '../../events/index.ts';
import { replayNotes } from '../../functions/adapters/aws/replay-notes.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { waitsForCallbacks } from '../../functions/core/node-turns/run-plan.ts';
import { fleetLock } from '../../functions/fleet-lock/fleet-lock.ts';
import { handshake } from '../../functions/handshake/handshake.ts';
import { protect } from '../../functions/handshake/protect.ts';
import type { KeepPorts } from '../../functions/keep-pools/keep-ports.ts';
import type { AttentionQueue, RelayQueue, RequestQueue } from '../../functions/ports/queues.ts';
import { receiveArgocd } from '../../functions/receive-argocd/receive-argocd.ts';
import { receiveCallback } from '../../functions/receive-callback/receive-callback.ts';
import { receiveCluster } from '../../functions/receive-cluster/receive-cluster.ts';
import { receiveGithub } from '../../functions/receive-github/receive-github.ts';
import { receiveSlack } from '../../functions/receive-slack/receive-slack.ts';
import type { WebHandler } from '../../functions/shell/answer.ts';
import { metricsOf } from '../../functions/status/metrics-of.ts';
import { causes } from '../../functions/status/open-pages.ts';
import { statusOf } from '../../functions/status/status-of.ts';
import { attentionRoute } from './attention-route.ts';
import type { Changes } from './changes.ts';
import { clockNotice } from './clock-notice.ts';
import type { ComposeOptions, StoredTables } from './compose-options.ts';
import { turns, withLimits } from './limits.ts';
import type { LocalQueue } from './local-queue.ts';
import type { Routes } from './local-server.ts';
import { outboxRoute } from './outbox-route.ts';
import { statusChanges, statusChangesPath } from './status-changes.ts';

interface RouteParts {
  readonly options: ComposeOptions;
  readonly tables: StoredTables;
  readonly ports: KeepPorts;
  readonly work: LocalQueue<WorkEvent>;
  readonly alerts: AttentionQueue & RequestQueue;
  /** Undefined: no Argo CD has a relay. */
  readonly relays: RelayQueue | undefined;
  /** Undefined: pull requests get no preview. */
  readonly previews: LocalQueue<PullSeen> | undefined;
  readonly changes: Changes;
}

/** Passes at once that handshakes run. They share the process with those of the queue, in which pushes wait. */
const handshakePassesAtOnce = 8;

/** The routes of the HTTP API, as infra/routes.ts has them, and `/attention` for the command line. */
export function routesOf(parts: RouteParts): Routes {
  const { options, tables, ports, work, alerts, relays, previews, changes } = parts;
  const { configuration, secrets, statusToken: token, logger, metrics } = options;
  const { clock, newId, sleep } = options.clock.runtime;
  const telemetry = { logger, metrics };
  const receiver = { secrets, work, relays, clock, newId, ...telemetry };
  const passes = turns(handshakePassesAtOnce);
  const routes: Routes = {
    '* /github': receiveGithub({ ...receiver, secret: 'github', previews }),
    '* /argocd': receiveArgocd({ ...receiver, secret: 'argocd' }),
    '* /cluster': receiveCluster({ ...receiver, secret: 'cluster' }),
    '* /handshake': noting(
      changes,
      handshake({
        secrets,
        secret: 'handshake',
        clock,
        sleep,
        newId,
        ...telemetry,
        protect: (ref) => passes.run(() => protect(ref, ports)),
      }),
    ),
    '* /attention': attentionRoute({ attention: alerts, newId, ...telemetry }),
    ...slackRoute(parts),
    ...fleetLockRoute(parts),
    ...callbackRoute(parts),
    '* /status': statusOf({
      ...tables,
      configuration,
      clock,
      newId,
      token,
      notice: () => clockNotice(options.clock),
      changes: () => ({ path: statusChangesPath, version: changes.version() }),
      logger,
    }),
    [`* /${statusChangesPath}`]: statusChanges({ changes, sleep: systemRuntime.backgroundSleep, newId, token, logger }),
    '* /metrics': metricsOf({ ...tables, configuration, clock, newId, token, logger }),
    '* /causes': async () => causes(),
    '* /outbox': outboxRoute(options.outbox),
    '* /outbox/{proxy+}': outboxRoute(options.outbox),
    '* /healthz': async () => Response.json({ ok: true, now: clock().toISOString() }),
  };
  return withLimits(routes, { newId, logger, metrics });
}

/** For a handler that writes what the page shows, and queues nothing. */
function noting(changes: Changes, handler: WebHandler): WebHandler {
  return (request) => handler(request).finally(changes.note);
}

/** None where messages have no buttons. */
function slackRoute({ options, tables, alerts, changes }: RouteParts): Routes {
  const { configuration, secrets, table, logger, metrics } = options;
  const { clock, newId } = options.clock.runtime;
  const { slackButtons } = configuration.alerts;
  if (slackButtons === undefined) return {};
  return {
    '* /slack': noting(
      changes,
      receiveSlack({
        configuration,
        secrets,
        secret: slackButtons.signingSecret,
        attention: alerts,
        requests: alerts,
        askedRequests: tables.askedRequests,
        replays: replayNotes({ client: table.client, table: table.table, clock, newId }),
        approvals: tables.approvals,
        incidents: tables.incidents,
        sequenceRequests: tables.sequenceRequests,
        timeline: tables.timeline,
        clock,
        newId,
        logger,
        metrics,
      }),
    ),
  };
}

/** None where no machine asks by FleetLock. */
function fleetLockRoute({ options, tables, changes }: RouteParts): Routes {
  const { configuration, secrets, logger, metrics } = options;
  const { clock, newId } = options.clock.runtime;
  if (configuration.fleetLock === undefined) return {};
  const { fleetLocks: locks, timeline } = tables;
  return {
    '* /fleet-lock/{proxy+}': noting(
      changes,
      fleetLock({
        fleetLock: configuration.fleetLock,
        locks,
        timeline,
        secrets,
        clock,
        newId,
        logger,
        metrics,
      }),
    ),
  };
}

/** None where no rule waits for a callback. */
function callbackRoute({ options, tables, changes }: RouteParts): Routes {
  const { configuration, logger, metrics } = options;
  const { clock, newId } = options.clock.runtime;
  if (!waitsForCallbacks(configuration.nodeTurns)) return {};
  return {
    '* /callbacks/{proxy+}': noting(
      changes,
      receiveCallback({ callbacks: tables.ruleCallbacks, clock, newId, logger, metrics }),
    ),
  };
}
