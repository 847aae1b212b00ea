import type { ClusterSettings, PoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { counted, listed } from '../../../functions/core/text/phrases.ts';
import { windowText } from '../../../functions/core/windows/window-text.ts';

/** What a configuration is understood as, for a person who wrote it. */
export function configurationText(configuration: Configuration, file: string): string {
  const { clusters, argocd, alerts, github, sequences = {} } = configuration;
  const lines = [
    `${file} is valid.`,
    ...clusters.flatMap(clusterLines),
    ...argocd.flatMap(({ name, cluster, namespaces, destinations, relay }) => [
      `Argo CD ${name}`,
      `  runs in cluster ${cluster}; Applications are read in ${listed(namespaces)}`,
      ...destinations.map((each) => `  destination ${each.server ?? each.name ?? ''} is cluster ${each.cluster}`),
      ...(relay === undefined ? [] : [`  pushes are relayed to ${relay.url}`]),
    ]),
    ...(argocd.length === 0 ? ['Argo CD: none. No sync is seen; pools are watched and held by hand.'] : []),
    ...targetLines(alerts),
    github === undefined
      ? 'GitHub: webhooks only. Changed files are not read, so what an Application manages decides.'
      : 'GitHub: changed files are read by its API.',
    ...Object.entries(sequences).map(
      ([name, { clusters: on, steps }]) =>
        `Sequence ${name}: ${counted(Object.keys(steps).length, 'step')} on ${listed(on)}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function clusterLines({ name, api, pools, windows = [], budget }: ClusterSettings): readonly string[] {
  const named = Object.entries(pools);
  return [
    `Cluster ${name}`,
    `  ${api.server}, token from ${api.tokenSecret}`,
    ...named.map(([pool, settings]) => `  pool ${pool}: ${poolText(settings)}`),
    `  ${named.length === 0 ? 'every pool' : 'every other pool'}: paused for pushes and syncs (react); master and what upgrades wait for: only watched`,
    ...windows.map((window) => `  window ${windowText(window)}`),
    ...(budget === undefined ? [] : [`  budget ${JSON.stringify(budget)}`]),
  ];
}

function poolText({ protection, wave, manageRequired, approve, ticket }: PoolSettings): string {
  return [
    protection,
    ...(wave === 0 ? [] : [`wave ${wave}`]),
    ...(manageRequired ? ['also though upgrades wait for it'] : []),
    ...(approve === undefined ? [] : [`${counted(approve.needed, 'approval')} of ${listed(approve.by)}`]),
    ...(ticket === undefined ? [] : ['a ticket']),
  ].join(', ');
}

function targetLines({ targets }: Configuration['alerts']): readonly string[] {
  if (targets.length === 0) return ['Alerts: on the status page only. No target is configured.'];
  return targets.map(({ name, kind }) => `Alerts to ${kind} ${name}`);
}
