import type { AlertFilter, AlertSettings, AlertTarget } from '../configuration.ts';
import type { Trouble } from '../trouble.ts';
import type { Audience } from './notes.ts';

/** Which targets hear of a trouble: their filters say so. Whoever was told of an incident hears its end whatever the filter. */
export function audienceOf(alerts: AlertSettings, trouble: Pick<Trouble, 'key' | 'severity'>): Audience {
  const hear = alerts.targets.filter(({ filter }) => isWanted(filter, trouble)).map(({ name }) => name);
  return { hear, all: alerts.targets.map(({ name }) => name) };
}

/** Empty lists let everything through; what concerns a whole cluster concerns each of its pools. */
export function isWanted(filter: AlertFilter, { key, severity }: Pick<Trouble, 'key' | 'severity'>): boolean {
  return (
    (filter.clusters.length === 0 || filter.clusters.includes(key.cluster)) &&
    (filter.pools.length === 0 || key.pool === '*' || filter.pools.includes(key.pool)) &&
    (filter.severities.length === 0 || filter.severities.includes(severity))
  );
}

/** How a target takes news. `chat`: one message, edited in place, with a thread. `letters`: one letter for each thing worth one.
 *  `calls`: a hook that takes messages and can neither edit nor answer them. */
export type Style = 'chat' | 'letters' | 'calls';

export function styleOf(target: Pick<AlertTarget, 'kind'>): Style {
  switch (target.kind) {
    case 'slack':
    case 'outbox':
      return 'chat';
    case 'email':
      return 'letters';
    case 'slack-webhook':
      return 'calls';
    default:
      return target.kind satisfies never;
  }
}
