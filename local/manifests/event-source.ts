import { type KubeObject, ourLabels } from './kube-object.ts';

export interface EventSourceOptions {
  readonly namespace: string;
  /** Name of the cluster in poolkeeper.yaml. */
  readonly cluster: string;
  readonly url: string;
}

/** Placeholder for the token of `POST /cluster`: Knative can only carry it in the URI, and we print no secrets. */
const clusterTokenPlaceholder = 'PUT-THE-TOKEN-HERE';

/** Of everything that it consists of. */
export const eventSourceName = 'poolkeeper-pool-events';

/** A Knative ApiServerSource that reports every change of a pool, with a service account that can only read pools.
 *  Optional: without it, a change is seen by the next tick, within a minute. */
export function eventSourceObjects({ namespace, cluster, url }: EventSourceOptions): readonly KubeObject[] {
  const name = eventSourceName;
  const metadata = { name, labels: ourLabels };
  const rbac = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, namespace } },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata,
      rules: [
        {
          apiGroups: ['machineconfiguration.openshift.io'],
          resources: ['machineconfigpools'],
          verbs: ['get', 'list', 'watch'],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'sources.knative.dev/v1',
      kind: 'ApiServerSource',
      metadata: { ...metadata, namespace },
      spec: {
        serviceAccountName: name,
        mode: 'Reference',
        resources: [{ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' }],
        sink: { uri: `${url}/cluster?cluster=${encodeURIComponent(cluster)}&token=${clusterTokenPlaceholder}` },
      },
    },
  ];
}
