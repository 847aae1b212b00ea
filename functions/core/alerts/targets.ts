import type { AlertFilter, AlertSettings, AlertTarget } from '../configuration/configuration.ts';
import { rootsOf } from '../findings/chain.ts';
import type { Trouble } from '../findings/trouble.ts';
import type { Audience } from './audience.ts';

/** Which targets hear of a trouble: their filters say so, and for some how long nobody has taken it. Whoever was
 *  told of an incident hears its end whatever the filter. */
export function audienceOf(alerts: AlertSettings, trouble: Heard, waiting: Waiting = {}): Audience {
  const wanting = alerts.targets.filter(({ filter }) => isWanted(filter, trouble));
  const hear = wanting.filter((target) => hasClimbedTo(target, waiting));
  const escalatedTo = hear.filter(({ escalateAfterSeconds = 0 }) => escalateAfterSeconds > 0).map(({ name }) => name);
  return {
    hear: hear.map(({ name }) => name),
    all: alerts.targets.map(({ name }) => name),
    ...(escalatedTo.length === 0 ? {} : { escalatedTo }),
  };
}

type Heard = Pick<Trouble, 'key' | 'severity' | 'findings'>;

/** How long an incident has been waiting for somebody. */
export interface Waiting {
  /** Undefined: it is not open yet. */
  readonly openForSeconds?: number | undefined;
  readonly attended?: boolean | undefined;
}

function hasClimbedTo({ escalateAfterSeconds = 0 }: AlertTarget, { openForSeconds, attended }: Waiting): boolean {
  if (escalateAfterSeconds === 0) return true;
  return attended !== true && openForSeconds !== undefined && openForSeconds >= escalateAfterSeconds;
}

/** Empty lists let everything through; what concerns a whole cluster concerns each of its pools. */
export function isWanted(filter: AlertFilter, { key, severity, findings }: Heard): boolean {
  const causes = filter.causes ?? [];
  return (
    (filter.clusters.length === 0 || filter.clusters.includes(key.cluster)) &&
    (filter.pools.length === 0 || key.pool === '*' || filter.pools.includes(key.pool)) &&
    (filter.severities.length === 0 || filter.severities.includes(severity)) &&
    (causes.length === 0 || findings.flatMap(rootsOf).some(({ code }) => causes.includes(code)))
  );
}

/** How a target takes news. `chat`: one message, edited in place, with a thread. `letters`: one letter for each thing
 *  worth one.
 *  `calls`: a hook that takes messages and can neither edit nor answer them. The others know the incident by its
 *  key, so that telling them twice is harmless: `pages` hears what is worth waking somebody and its end, `feed`
 *  every piece of news, `mirror` holds the state and forgets it unless it is told again. */
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
