import * as z from 'zod';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import type { ArgoCdSettings } from '../../functions/core/configuration/argocd.ts';
import { defaultPoolSettings } from '../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../functions/core/configuration/policy.ts';

/** The usual namespaces of Argo CD: OpenShift GitOps, and upstream. */
const usualNamespaces = ['openshift-gitops', 'argocd'] as const;

const argoproj = '/apis/argoproj.io/v1alpha1';

const Named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().default('') }) });

/** A configuration for a kubeconfig alone: one cluster, the Argo CD found on it, default settings, alerts to the
 *  outbox. Throws Transient if the cluster cannot be read. */
export async function configurationFor(
  context: string,
  server: string,
  connection: ClusterConnection,
): Promise<Configuration> {
  const name = clusterName(context);
  const namespaces = await argocdNamespaces(connection);
  return {
    clusters: [
      {
        name,
        api: { server, ca: undefined, tokenSecret: '', skipTLSVerify: false },
        policy: defaultPolicy,
        pools: { worker: defaultPoolSettings },
      },
    ],
    argocd: namespaces.length === 0 ? [] : [argocdIn(namespaces, { name, server })],
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

function argocdIn(
  namespaces: readonly string[],
  cluster: { readonly name: string; readonly server: string },
): ArgoCdSettings {
  const home = usualNamespaces.find((each) => namespaces.includes(each)) ?? namespaces[0] ?? 'argocd';
  return {
    name: home,
    cluster: cluster.name,
    namespaces,
    controllerNamespace: home,
    destinations: [
      { server: cluster.server, cluster: cluster.name },
      { server: 'https://kubernetes.default.svc', cluster: cluster.name },
      { name: 'in-cluster', cluster: cluster.name },
    ],
  };
}

/** Namespaces with Applications; if there are no Applications yet, the usual namespaces that exist. */
async function argocdNamespaces({ client }: ClusterConnection): Promise<readonly string[]> {
  if ((await client.get(argoproj, { mayBeUnserved: true })) === undefined) return [];
  const applications = await client.list(`${argoproj}/applications`, { pageSize: 250, form: 'metadata' });
  const used = new Set(applications.map((item) => Named.parse(item).metadata.namespace));
  if (used.size > 0) return [...used].toSorted();
  const found = await Promise.all(usualNamespaces.map((name) => client.get(`/api/v1/namespaces/${name}`)));
  return usualNamespaces.filter((_name, index) => found[index] !== undefined);
}
