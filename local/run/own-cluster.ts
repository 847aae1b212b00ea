import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import type { ArgoCdSettings } from '../../functions/core/configuration/argocd.ts';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { type FoundArgoCd, findArgoCd } from './find-argocd.ts';

/** A configuration for a kubeconfig alone: one cluster, the Argo CD found on it, default settings, alerts to the
 *  outbox. Throws Transient if the cluster cannot be read. */
export async function configurationFor(
  context: string,
  server: string,
  connection: ClusterConnection,
): Promise<Configuration> {
  const name = clusterName(context);
  const found = await findArgoCd(connection.client);
  return {
    clusters: [
      {
        name,
        api: { server, ca: undefined, tokenSecret: '', skipTLSVerify: false },
        policy: defaultPolicy,
        pools: { worker: defaultPoolSettings },
      },
    ],
    argocd: found === undefined || found.namespaces.length === 0 ? [] : [argocdIn(found, { name, server })],
    alerts: {
      targets: [{ kind: 'outbox', name: 'outbox', filter: { clusters: [], pools: [], severities: [], causes: [] } }],
      statusUrl: undefined,
    },
  };
}

/** A readable name for a context such as `prod/api-example-com:6443/admin`, as `oc login` makes them. */
export function clusterName(context: string): string {
  const host = /\/([^/:]+)(?::\d+)?\//.exec(context)?.[1] ?? context;
  return (
    host
      .replace(/[^A-Za-z0-9.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 63) || 'cluster'
  );
}

/** Where it is not clear which is its own, the likeliest has to do: a file says it otherwise. */
function argocdIn(
  { home: known, namespaces, candidates }: FoundArgoCd,
  cluster: { readonly name: string; readonly server: string },
): ArgoCdSettings {
  const home = known ?? candidates[0] ?? namespaces[0] ?? 'argocd';
  return {
    name: home,
    cluster: cluster.name,
    namespaces: unique([home, ...namespaces]).toSorted(),
    controllerNamespace: home,
    destinations: [
      { server: cluster.server, cluster: cluster.name },
      { server: 'https://kubernetes.default.svc', cluster: cluster.name },
      { name: 'in-cluster', cluster: cluster.name },
    ],
  };
}
