import type { NodeUpdated, PublishedEvent, PushRelayed } from '../../../events/index.ts';
import { changeWords } from '../openshift/change-name.ts';
import type { TimelineEntry } from './view.ts';

/** The timeline entry of an event. */
export function timelineEntry(event: PublishedEvent): TimelineEntry {
  return {
    id: event.id,
    at: event.time,
    cluster: event.data.cluster,
    pool: 'pool' in event.data ? event.data.pool : '',
    type: event.type,
    text: textOf(event),
    correlation: event.correlation ?? '',
  };
}

function textOf(event: PublishedEvent): string {
  switch (event.type) {
    case 'poolkeeper.pool.held.v1':
      return `held: ${event.data.hold.why}`;
    case 'poolkeeper.pool.released.v1':
      return `hold ended: ${event.data.why}`;
    case 'poolkeeper.pool.paused.v1':
      return `paused: ${event.data.why}`;
    case 'poolkeeper.pool.confirmed.v1':
      return `pause confirmed${missed(event.data.missedNodes)}`;
    case 'poolkeeper.pool.resumed.v1':
      return `resumed: ${event.data.why}`;
    case 'poolkeeper.pool.overridden.v1':
      return `${event.data.by} resumed a pool that Poolkeeper had paused; what held it then does not pause it again`;
    case 'poolkeeper.pool.foreign.v1':
      return `${event.data.by} paused this pool; Poolkeeper leaves the pause alone`;
    case 'poolkeeper.emergency.opened.v1':
      return `emergency until ${event.data.until}, opened by ${event.data.who}: ${event.data.why}`;
    case 'poolkeeper.emergency.ended.v1':
      return `emergency of ${event.data.who} has ended: ${event.data.why}`;
    case 'poolkeeper.pool.rendered.v1':
      return `re-rendered as ${event.data.to}: ${event.data.why} (${event.data.content})`;
    case 'poolkeeper.race.decided.v1':
      return `the pause was ${event.data.verdict}${missed(event.data.missedNodes)}`;
    case 'poolkeeper.decision.nothing.v1':
      return `no action for ${event.data.about}: ${event.data.why}`;
    case 'poolkeeper.sync.restarted.v1':
      return `sync of ${event.data.namespace}/${event.data.name} retried: ${event.data.pools.join(', ')} had not been paused`;
    case 'poolkeeper.push.relayed.v1':
      return relayed(event.data);
    case 'poolkeeper.node.updated.v1':
      return updated(event.data);
    case 'poolkeeper.node.joined.v1':
      return `${event.data.node} joined the paused pool with ${event.data.config}`;
    case 'poolkeeper.incident.opened.v1':
      return `PK-${event.data.number} opened: ${event.data.headline}`;
    case 'poolkeeper.incident.updated.v1':
      return `PK-${event.data.number}: ${event.data.news ?? `changed: ${event.data.headline}`}`;
    case 'poolkeeper.incident.resolved.v1':
      return `PK-${event.data.number} resolved: ${event.data.headline}`;
    default:
      return event satisfies never;
  }
}

function updated({ node, to, course, rebooted, causes }: NodeUpdated['data']): string {
  const how = rebooted === undefined ? 'updated' : rebooted ? 'rebooted' : 'updated without a reboot';
  const why = causes.length === 0 ? 'unknown' : causes.join('; ');
  return `${node} ${how} into ${changeWords(to)}: ${course}. Cause: ${why}`;
}

function relayed({ argocd, endpoint, outcome, waitedSeconds, why }: PushRelayed['data']): string {
  const whom = endpoint === 'applications' ? `Argo CD ${argocd}` : `ApplicationSets of Argo CD ${argocd}`;
  const waited = `${Math.round(waitedSeconds)} s`;
  switch (outcome) {
    case 'in order':
      return `push relayed to ${whom} after ${waited}: ${why}`;
    case 'late':
      return `push relayed to ${whom} without protection, after ${waited}: ${why}`;
    case 'refused':
      return `${whom} refused the push: ${why}`;
    default:
      return outcome satisfies never;
  }
}

function missed(nodes: readonly string[]): string {
  return nodes.length === 0 ? '' : `, too late for ${nodes.join(', ')}`;
}
