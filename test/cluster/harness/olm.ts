import type { ControlPlane } from './control-plane.ts';
import type { Draft } from './kube.ts';
import { until } from './until.ts';

const group = 'operators.coreos.com';
/** Milliseconds: a second on a quiet machine. */
const servedWithinMs = 60_000;

interface Discovery {
  readonly resources: readonly { readonly name: string }[];
}

/** Paths of OLM's objects in a namespace. */
export function olmIn(namespace: string) {
  const base = `/apis/${group}/v1alpha1/namespaces/${namespace}`;
  return { subscriptions: `${base}/subscriptions`, versions: `${base}/clusterserviceversions` } as const;
}

/** Has the API server serve OLM's kinds, as much of them as it needs to store them: OLM itself does not run here.
 *  Argo CD finds kinds by the discovery document, which may list one later than its objects can be read. */
export async function ensureOlm({ ensure, kube }: Pick<ControlPlane, 'ensure' | 'kube'>): Promise<void> {
  await ensure(...olmKinds);
  const plurals = olmKinds.map(({ spec }) => String(spec.names.plural));
  await until(
    async () => {
      const discovery = (await kube.get(`/apis/${group}/v1alpha1`)) as unknown as Discovery;
      const listed = new Set(discovery.resources.map(({ name }) => name));
      await Promise.all(plurals.map((plural) => kube.list(`/apis/${group}/v1alpha1/${plural}`)));
      return plurals.every((plural) => listed.has(plural));
    },
    servedWithinMs,
    'the kinds of OLM to be served',
  );
}

const olmKinds: readonly Draft[] = [
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
