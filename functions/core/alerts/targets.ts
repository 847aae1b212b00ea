import type { AlertFilter, AlertSettings, AlertTarget } from '../configuration/alerts.ts';
import { rootsOf } from '../findings/chain.ts';
import type { Trouble } from '../findings/trouble.ts';
import type { Audience } from './audience.ts';
import type { Incident } from './incident.ts';

/** The targets that are alerted of a trouble: by their filters, and for some by how long it has been unacknowledged. A
 *  target that was alerted gets the resolution whatever its filter says. An emergency is told to all of them at
 *  once. */
export function audienceOf(alerts: AlertSettings, trouble: Heard, waiting: Waiting = {}): Audience {
  const toAll = isForAll(trouble);
  const wanting = alerts.targets.filter(({ filter }) => toAll || isWanted(filter, trouble));
  const hear = wanting.filter((target) => toAll || hasClimbedTo(target, waiting));
  const escalatedTo = hear.filter(({ escalateAfterSeconds = 0 }) => escalateAfterSeconds > 0).map(({ name }) => name);
  return {
    hear: hear.map(({ name }) => name),
    all: alerts.targets.map(({ name }) => name),
    ...(escalatedTo.length === 0 ? {} : { escalatedTo }),
  };
}

function isForAll({ key }: Heard): boolean {
  return key.kind === 'emergency';
}

type Heard = Pick<Trouble, 'key' | 'severity' | 'findings'>;

/** For how long an incident has been waiting for someone to respond. */
export interface Waiting {
  /** Undefined: not open yet. */
  readonly openForSeconds?: number | undefined;
  readonly attended?: boolean | undefined;
}

function hasClimbedTo({ escalateAfterSeconds = 0 }: AlertTarget, { openForSeconds, attended }: Waiting): boolean {
  if (escalateAfterSeconds === 0) return true;
  return attended !== true && openForSeconds !== undefined && openForSeconds >= escalateAfterSeconds;
}

/** Empty lists accept everything; a trouble of a whole cluster concerns each of its pools. */
function isWanted(filter: AlertFilter, { key, severity, findings }: Heard): boolean {
  const causes = filter.causes ?? [];
  return (
    (filter.clusters.length === 0 || filter.clusters.includes(key.cluster)) &&
    (filter.pools.length === 0 || key.pool === '*' || filter.pools.includes(key.pool)) &&
    (filter.severities.length === 0 || filter.severities.includes(severity)) &&
    (causes.length === 0 || findings.flatMap(rootsOf).some(({ code }) => causes.includes(code)))
  );
}

/** What people in a Slack channel may look at and ask for: what some target that posts there hears of. */
export interface ChannelReach {
  readonly hasCluster: (cluster: string) => boolean;
  /** `*`: each pool of the cluster, those that appear later included. */
  readonly hasPool: (cluster: string, pool: string) => boolean;
  /** Also what the channel was told of before it changed: it gets the rest. */
  readonly hasIncident: (incident: Pick<Incident, 'trouble' | 'deliveries'>) => boolean;
}

/** The same filters as for sending. A place has no severity and no cause: these narrow incidents only. */
export function channelReach({ targets }: Pick<AlertSettings, 'targets'>, channel: string): ChannelReach {
  const posting = targets.filter((target) => target.kind === 'slack' && target.channel === channel);
  const ofCluster = (cluster: string) =>
    posting.filter(({ filter: { clusters } }) => clusters.length === 0 || clusters.includes(cluster));
  return {
    hasCluster: (cluster) => ofCluster(cluster).length > 0,
    hasPool: (cluster, pool) =>
      ofCluster(cluster).some(({ filter: { pools } }) => pools.length === 0 || pools.includes(pool)),
    hasIncident: ({ trouble, deliveries }) =>
      posting.some(
        ({ name, filter }) =>
          deliveries[name]?.announced === true ||
          (trouble !== undefined && (isForAll(trouble) || isWanted(filter, trouble))),
      ),
  };
}

/** How a target takes updates. `chat`: one message, edited in place, with a thread. `letters`: one mail for each thing
 *  worth one. `calls`: a hook that takes messages but cannot edit or reply. The others identify the incident by its
 *  key, so that repeating is harmless: `pages` gets what is worth waking someone up, and its end; `feed` gets every
 *  notification; `mirror` keeps the state and forgets it unless it is resent. */
export type Style = 'chat' | 'letters' | 'calls' | 'pages' | 'feed' | 'mirror';

export function styleOf(target: Pick<AlertTarget, 'kind'>): Style {
  switch (target.kind) {
    case 'slack':
    case 'outbox':
      return 'chat';
    case 'email':
      return 'letters';
    case 'slack-webhook':
      return 'calls';
    case 'pagerduty':
      return 'pages';
    case 'webhook':
      return 'feed';
    case 'alertmanager':
      return 'mirror';
    default:
      return target.kind satisfies never;
  }
}
