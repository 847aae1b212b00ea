import type { Job, Pod, PodSpec, Workload } from '../api-server/cluster-objects.ts';
import { controlledBy, controllerOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { pods } from '../api-server/resource-types.ts';

const manager = 'kube-controller-manager';

/** The pods that this workload owns, without those being deleted. */
export function podsOwnedBy(registry: Registry, owner: Workload | Job): Pod[] {
  return registry
    .list(pods, owner.metadata.namespace)
    .filter((pod) => controllerOf(pod)?.uid === owner.metadata.uid && pod.metadata.deletionTimestamp === undefined);
}

/** By default, pods stay on a lost node for five minutes. */
const defaultTolerations = ['not-ready', 'unreachable'].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists' as const,
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** Makes a pod from the workload's template. */
export function makePod(
  registry: Registry,
  owner: Workload | Job,
  naming: { readonly name?: string; readonly spec?: Partial<PodSpec>; readonly labels?: Record<string, string> } = {},
): Pod {
  const { template } = owner.spec;
  const { name, namespace } = owner.metadata;
  return registry.create(
    pods,
    {
      metadata: {
        ...(naming.name ? { name: naming.name } : { generateName: `${name}-` }),
        ...(namespace && { namespace }),
        labels: { ...template.metadata?.labels, ...naming.labels },
        ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
        ownerReferences: [controlledBy(owner)],
      },
      spec: {
        ...template.spec,
        tolerations: [...(template.spec.tolerations ?? []), ...defaultTolerations],
        ...naming.spec,
      },
    },
    { manager },
  );
}
