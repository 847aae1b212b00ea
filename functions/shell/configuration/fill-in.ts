import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import type { Configuration } from '../../core/configuration/configuration.ts';

/** The configuration with what its sections cannot say by themselves: certificate authorities from files, and the
 *  destinations that every Argo CD understands. */
export function fillIn(written: Configuration, authorities: ReadonlyMap<string, string>): Configuration {
  return {
    ...written,
    clusters: written.clusters.map((cluster, index) => ({
      ...cluster,
      api: { ...cluster.api, ca: authorities.get(`clusters[${index}].api`) },
    })),
    argocd: written.argocd.map((argocd, index) => ({
      ...argocd,
      destinations: [
        ...argocd.destinations,
        ...impliedDestinations(argocd.cluster, written.clusters)
          .filter(isNewTo(argocd.destinations))
          .map((implied) => ({ ...implied, isImplied: true as const })),
      ],
      ...(argocd.relay && { relay: { ...argocd.relay, ca: authorities.get(`argocd[${index}].relay`) } }),
    })),
  };
}

type DestinationSettings = ArgoCdSettings['destinations'][number];

/** What Argo CD itself calls the cluster it runs in, and what people nearly always call the others: their name and
 *  their API server. Source: argo-cd common.go KubernetesInternalAPIServerAddr and the implicit cluster
 *  `in-cluster`. */
function impliedDestinations(
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
