import type { ArgoCdSettings } from '../configuration/argocd.ts';
import { withoutTrailing } from '../text/trailing.ts';
import { unique } from '../text/unique.ts';
import type { Application } from './application.ts';

/** Argo CD's names for the cluster it runs in. Source: argo-cd common.go. */
const inCluster = { server: 'https://kubernetes.default.svc', name: 'in-cluster' };

/** Name of the configured cluster that an Application is deployed to; undefined if its destination is not configured.
 *  Server URLs are compared without trailing slashes, as in Argo CD. */
export function clusterOf(application: Pick<Application, 'destination'>, argocd: ArgoCdSettings): string | undefined {
  const server = withoutSlash(application.destination.server);
  const { name } = application.destination;
  const mapped = argocd.destinations.find(
    (each) =>
      (server !== '' && each.server !== undefined && withoutSlash(each.server) === server) ||
      (name !== '' && each.name === name),
  );
  if (mapped !== undefined) return mapped.cluster;
  return server === inCluster.server || name === inCluster.name ? argocd.cluster : undefined;
}

/** Names of the configured clusters that an Argo CD instance may deploy to. */
export function clustersServedBy(argocd: ArgoCdSettings): readonly string[] {
  return unique([argocd.cluster, ...argocd.destinations.map((each) => each.cluster)]);
}

function withoutSlash(url: string): string {
  return withoutTrailing(url, '/');
}
