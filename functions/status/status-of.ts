import type { Configuration } from '../core/configuration/configuration.ts';
import type { RolloutQuery } from '../core/node-rollouts/rollout-query.ts';
import { BadInput, Transient } from '../core/text/errors.ts';
import type { Incidents, NodeRollouts, SequenceViews, Timeline, Views } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock, NewId } from '../ports/time.ts';
import { requestIdOf, respond, type WebHandler } from '../shell/answer.ts';
import type { PlainAnswer, WebRequest } from '../shell/exchange.ts';
import type { LiveSecret } from '../shell/live-secret.ts';
import { buildStatus, timelineShown } from './build-status.ts';
import { wantedForm } from './negotiate.ts';
import { renderPage } from './page/page.ts';
import { pageHeaders } from './page-headers.ts';
import { requireReader } from './require-reader.ts';
import type { Status } from './status.ts';

export interface StatusPorts {
  readonly views: Pick<Views, 'list'>;
  readonly incidents: Pick<Incidents, 'list'>;
  readonly timeline: Pick<Timeline, 'latest'>;
  readonly nodeRollouts: Pick<NodeRollouts, 'ended'>;
  /** Undefined: no sequence is shown. */
  readonly sequenceViews?: Pick<SequenceViews, 'list'> | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Without it, the clusters are those with a stored view. */
  readonly configuration?: Pick<Configuration, 'clusters' | 'sequences'> | undefined;
  /** Token that readers must send. Without it everyone may read: loopback only. */
  readonly token?: LiveSecret | undefined;
  readonly logger?: Pick<Logger, 'warn' | 'error'> | undefined;
}

/** `GET /status`: HTML for people or JSON for programs. Reads only the tables, so a cluster that does not answer slows
 *  nothing down. If a table cannot be read, its part is left out and named in `unread`, and the answer is a 503: cannot
 *  see is not fine. `?cluster=<name>` selects one cluster, `?refresh=off` turns off the automatic reload. */
export function statusOf(ports: StatusPorts): WebHandler {
  return async (request) => {
    const requestId = requestIdOf(request.headers, ports.newId);
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new BadInput('use GET', { status: 405 });
      if (ports.token !== undefined) await requireReader(request.headers, ports.token);
      const asked = new URL(request.url).searchParams;
      const status = await readStatus(ports, askedReboots(asked));
      requireKnown(status);
      const response = answer(request, status);
      return request.method === 'HEAD' ? new Response(null, response) : response;
    } catch (error) {
      return refuse(error, requestId, ports);
    }
  };
}

async function readStatus(ports: StatusPorts, reboots: RolloutQuery): Promise<Status> {
  const { views, incidents, timeline, nodeRollouts, sequenceViews, configuration, clock, logger } = ports;
  const read = async <T>(what: string, from: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await from();
    } catch (error) {
      logger?.error('a part of the status could not be read', { reason: what, error });
      return undefined;
    }
  };
  const [seen, wrong, happened, ended, sequences] = await Promise.all([
    read('clusters', () => views.list()),
    read('incidents', () => incidents.list()),
    read('timeline', () => timeline.latest(timelineShown)),
    read('reboots', () => nodeRollouts.ended(reboots)),
    read('sequences', async () => (await sequenceViews?.list()) ?? []),
  ]);
  const only = reboots.cluster;
  return buildStatus({
    views: seen,
    incidents: wrong,
    timeline: happened,
    reboots: ended,
    sequences,
    configuration,
    only,
    now: clock(),
  });
}

/** Node updates in one answer; an answer has room for several thousand. */
const rebootsShown = { usual: 30, most: 1_000 };

function askedReboots(asked: URLSearchParams): RolloutQuery {
  const text = (name: string) => asked.get(name) || undefined;
  const wanted = Number(asked.get('reboots') ?? rebootsShown.usual);
  if (!Number.isInteger(wanted) || wanted < 0) throw new BadInput('reboots= must be a number');
  return {
    cluster: asked.get('cluster') ?? undefined,
    pool: text('pool'),
    node: text('node'),
    commit: text('commit'),
    limit: Math.min(wanted, rebootsShown.most),
  };
}

/** Throws BadInput 404 if `?cluster=` names an unknown cluster. */
function requireKnown({ only, clusters, unread }: Status): void {
  if (only === undefined || clusters.length > 0 || unread.includes('clusters')) return;
  throw new BadInput('there is no cluster with this name', { status: 404 });
}

/** On every answer, including refusals. */
const safeHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept, authorization',
};

function answer(request: Pick<WebRequest, 'headers' | 'url'>, status: Status): Response {
  const code = status.unread.length === 0 ? 200 : 503;
  if (wantedForm(request.headers.get('accept')) === 'json') {
    return new Response(`${JSON.stringify(status)}\n`, {
      status: code,
      headers: { ...safeHeaders, 'content-type': 'application/json' },
    });
  }
  const refreshing = new URL(request.url).searchParams.get('refresh') !== 'off';
  return new Response(renderPage(status, { refreshing }), {
    status: code,
    headers: {
      ...safeHeaders,
      ...pageHeaders,
    },
  });
}

function refuse(error: unknown, requestId: string, { logger }: StatusPorts): PlainAnswer {
  if (error instanceof BadInput) {
    const { status, message: reason } = error;
    logger?.warn('request refused', { requestId, status, reason });
    return respond({ status, reason, headers: { ...safeHeaders, ...hintsOf(status) } }, requestId);
  }
  const status = error instanceof Transient ? 503 : 500;
  logger?.error('request failed', { requestId, status, error });
  const reason = status === 503 ? 'temporarily unavailable, try again' : 'internal error';
  return respond({ status, reason, headers: safeHeaders }, requestId);
}

function hintsOf(status: number): Readonly<Record<string, string>> {
  if (status === 405) return { allow: 'GET, HEAD' };
  if (status === 401)
    return { 'www-authenticate': 'Basic realm="Poolkeeper", charset="UTF-8", Bearer realm="Poolkeeper"' };
  return {};
}
