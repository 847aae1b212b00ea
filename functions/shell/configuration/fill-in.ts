import {
  type AlertTarget,
  type ArgoCdSettings,
  type ClusterSettings,
  type Configuration,
  defaultAcknowledgeForSeconds,
  defaultRelay,
  type RelaySettings,
  type SlackButtons,
} from '../../core/configuration/configuration.ts';
import { defaultPolicy } from '../../core/configuration/policy.ts';
import { changePolicy } from './change-policy.ts';
import type { ConfigurationFile } from './configuration-file.ts';

/** The configuration as the functions want it: every default filled in, the common policy merged into each
 *  cluster's. */
export function fillIn(file: ConfigurationFile, authorities: ReadonlyMap<string, string>): Configuration {
  const common = changePolicy(defaultPolicy, file.policy);
  const clusters = file.clusters.map(
    ({ name, api, policy, pools }, index): ClusterSettings => ({
      name,
      api: {
        server: withoutFinalSlash(api.server),
        ca: authorities.get(`clusters[${index}].api`),
        tokenSecret: api.tokenSecret,
        skipTLSVerify: api.skipTLSVerify,
      },
      policy: changePolicy(common, policy ?? {}),
      pools,
    }),
  );
  return {
    clusters,
    argocd: file.argocd.map((argocd, index) => ({
      ...argocdSettings(argocd, clusters),
      ...(argocd.relay && { relay: relaySettings(argocd.relay, authorities.get(`argocd[${index}].relay`)) }),
    })),
    alerts: {
      statusUrl: file.alerts.statusUrl === undefined ? undefined : withoutFinalSlash(file.alerts.statusUrl),
      targets: file.alerts.targets.map(targetOf),
      ...(file.alerts.slackButtons && { slackButtons: buttonsOf(file.alerts.slackButtons) }),
    },
    ...(file.github === undefined ? {} : { github: { ...file.github, api: withoutFinalSlash(file.github.api) } }),
  };
}

function targetOf({ escalateAfter, ...target }: ConfigurationFile['alerts']['targets'][number]): AlertTarget {
  return escalateAfter === undefined ? target : { ...target, escalateAfterSeconds: escalateAfter };
}

function buttonsOf({
  acknowledgeFor,
  ...buttons
}: NonNullable<ConfigurationFile['alerts']['slackButtons']>): SlackButtons {
  return { ...buttons, acknowledgeForSeconds: acknowledgeFor ?? defaultAcknowledgeForSeconds };
}

function argocdSettings(
  written: ConfigurationFile['argocd'][number],
  clusters: readonly ClusterSettings[],
): ArgoCdSettings {
  const { name, cluster, namespaces } = written;
  const destinations = written.destinations.map((each) =>
    each.server === undefined ? each : { ...each, server: withoutFinalSlash(each.server) },
  );
  return {
    name,
    cluster,
    namespaces,
    controllerNamespace: written.controllerNamespace ?? namespaces[0] ?? 'openshift-gitops',
    destinations: [...destinations, ...impliedDestinations(cluster, clusters).filter(isNewTo(destinations))],
  };
}

function relaySettings(
  { url, applicationSetUrl, waitAtMost, sendAgainAfter }: NonNullable<ConfigurationFile['argocd'][number]['relay']>,
  ca: string | undefined,
): RelaySettings {
  return {
    url,
    ...(applicationSetUrl === undefined ? {} : { applicationSetUrl }),
    ca,
    waitAtMostSeconds: waitAtMost ?? defaultRelay.waitAtMostSeconds,
    sendAgainAfterSeconds: sendAgainAfter ?? defaultRelay.sendAgainAfterSeconds,
  };
}

type DestinationSettings = ArgoCdSettings['destinations'][number];

/** What Argo CD itself calls the cluster it runs in, and what people nearly always call the others: their name and
 *  their API server. Source: argo-cd common.go KubernetesInternalAPIServerAddr and the implicit cluster
 *  `in-cluster`. */
export function impliedDestinations(
  home: string,
  clusters: readonly Pick<ClusterSettings, 'name' | 'api'>[],
): readonly DestinationSettings[] {
  return [
    { server: 'https://kubernetes.default.svc', cluster: home },
    { name: 'in-cluster', cluster: home },
    ...clusters.flatMap(({ name, api }) => [
      { server: api.server, cluster: name },
      { name, cluster: name },
    ]),
  ];
}

function isNewTo(written: readonly DestinationSettings[]) {
  return (implied: DestinationSettings): boolean =>
    !written.some(({ server, name }) => server === implied.server && name === implied.name);
}

/** Argo CD compares servers without it too. */
function withoutFinalSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
