import type { RequestAsked } from '../../events/index.ts';
import { channelReach } from '../core/alerts/targets.ts';
import { type AskedRequest, askedFreshSeconds } from '../core/requests/asked-request.ts';
import type { LookRequest } from '../core/requests/request.ts';
import {
  approvalAnswer,
  notApprovedAnswer,
  outcomeAnswer,
  statusAnswer,
  whyAnswer,
} from '../core/requests/slack-answers.ts';
import { secondsSince } from '../core/text/instant.ts';
import type { ClusterView } from '../core/timeline/view.ts';
import { type AttendPorts, whisper } from './attend-incident.ts';

/** Answers what was asked by a command: a question by what was last read, of what the channel hears of; a request by
 *  what came of it. What is to reach a cluster is handed to keep-pools first. Throws Transient. */
export async function answerRequest(event: RequestAsked, ports: AttendPorts): Promise<void> {
  const asked = await ports.askedRequests.load(event.data.id);
  if (asked === undefined) {
    ports.logger.warn('command is not stored, and dropped', { id: event.data.id });
    return;
  }
  const asker = { answer: asked.answer, askedAt: event.time };
  if (asked.state === 'done') return whisper(asker, outcomeAnswer(asked), ports);
  const { request } = asked;
  if (request.kind !== 'look' || request.about === 'run')
    return ports.work.send({ ...event, data: { ...event.data, cluster: asked.cluster } });
  // Whoever asked has looked elsewhere by now.
  if (secondsSince(asked.at, ports.clock()) > askedFreshSeconds) return;
  const answer = await answerTo(request, asked, ports);
  if (answer !== undefined) await whisper(asker, answer, ports);
}

async function answerTo(
  { about, name, approved }: LookRequest,
  { cluster, answer: { channel, user } }: Pick<AskedRequest, 'cluster' | 'answer'>,
  { views, incidents, configuration, clock }: AttendPorts,
): Promise<string | undefined> {
  const { hasCluster, hasPool, hasIncident } = channelReach(configuration.alerts, channel);
  const heard = (await views.list()).filter((view) => hasCluster(view.cluster));
  const shown = heard.map((view) => ({
    ...view,
    pools: view.pools.filter(({ name: pool }) => hasPool(view.cluster, pool)),
    unreadablePools: view.unreadablePools?.filter(({ name: pool }) => hasPool(view.cluster, pool)),
    guards: view.guards?.filter(
      ({ pools = [] }) => pools.length === 0 || pools.some((pool) => hasPool(view.cluster, pool)),
    ),
  }));
  // Severities and causes narrow what the channel hears of, and are no reason to call the rest calm.
  const open = (about === 'status' ? await incidents.list() : []).filter(
    ({ state, key }) => state !== 'ok' && hasCluster(key.cluster) && (name === '' || key.cluster === name),
  );
  const clusters = configuration.clusters.map((each) => each.name);
  const known = {
    clusters: clusters.filter(hasCluster),
    views: shown,
    unheard: {
      clusters: clusters.filter((each) => !hasCluster(each)).length,
      pools: poolsIn(heard) - poolsIn(shown),
      incidents: open.filter((incident) => !hasIncident(incident)).length,
    },
    incidents: open.filter(hasIncident),
    statusUrl: configuration.alerts.statusUrl,
    now: clock(),
  };
  switch (about) {
    case 'status':
      return statusAnswer(name, known);
    case 'why':
      return whyAnswer({ cluster, pool: name }, known);
    case 'approval':
      return approved === undefined
        ? approvalAnswer({ cluster, pool: name }, known)
        : notApprovedAnswer({ cluster, pool: name, approved, who: `slack:${user}` }, known);
    case 'run':
      return '';
    default:
      return about satisfies never;
  }
}

function poolsIn(views: readonly ClusterView[]): number {
  return views.reduce((count, { pools, unreadablePools = [] }) => count + pools.length + unreadablePools.length, 0);
}
