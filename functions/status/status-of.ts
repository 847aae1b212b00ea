import type { RolloutQuery } from '../core/node-rollouts/rollout-query.ts';
import { BadInput } from '../core/text/errors.ts';
import type { WebHandler } from '../shell/answer.ts';
import type { WebRequest } from '../shell/exchange.ts';
import { wantedForm } from './negotiate.ts';
import { type Page, renderPage } from './page/page.ts';
import { livePageHeaders } from './page-headers.ts';
import { readStatus, type StatusPorts } from './read-status.ts';
import { readerRoute, safeHeaders } from './reader-route.ts';
import type { Status } from './status.ts';

/** `GET /status`: HTML for people or JSON for programs. If a table cannot be read, its part is left out and named in
 *  `unread`, and the answer is a 503: cannot see is not fine. `?cluster=<name>` selects one cluster, `?refresh=off`
 *  turns off the automatic reload. */
export function statusOf(ports: StatusPorts): WebHandler {
  return readerRoute(ports, async (request) => {
    // Before anything is read: what changes meanwhile is another version.
    const changes = ports.changes?.();
    const status = await readStatus(ports, askedReboots(new URL(request.url).searchParams));
    requireKnown(status);
    return answer(request, status, { notice: ports.notice?.(), changes });
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

function answer(
  request: Pick<WebRequest, 'headers' | 'url'>,
  status: Status,
  besides: Pick<Page, 'notice' | 'changes'>,
): Response {
  const code = status.unread.length === 0 ? 200 : 503;
  if (wantedForm(request.headers.get('accept')) === 'json') {
    return new Response(`${JSON.stringify(status)}\n`, {
      status: code,
      headers: { ...safeHeaders, 'content-type': 'application/json' },
    });
  }
  const refreshing = new URL(request.url).searchParams.get('refresh') !== 'off';
  return new Response(renderPage(status, { refreshing, ...besides }), {
    status: code,
    headers: {
      ...safeHeaders,
      ...livePageHeaders,
    },
  });
}
