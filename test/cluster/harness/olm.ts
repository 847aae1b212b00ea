import type { Draft } from './kube.ts';

const group = 'operators.coreos.com';

/** Paths of OLM's objects in a namespace. */
export function olmIn(namespace: string) {
  const base = `/apis/${group}/v1alpha1/namespaces/${namespace}`;
  return { subscriptions: `${base}/subscriptions`, versions: `${base}/clusterserviceversions` } as const;
}

/** As much of OLM's kinds as the API server needs to store them: OLM itself does not run here. */
export const olmKinds: readonly Draft[] = [
  olmKind('subscriptions', 'Subscription', 'sub', 'subs'),
  olmKind('clusterserviceversions', 'ClusterServiceVersion', 'csv', 'csvs'),
  olmKind('installplans', 'InstallPlan', 'ip'),
];

function olmKind(plural: string, kind: string, ...shortNames: readonly string[]): Draft {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
