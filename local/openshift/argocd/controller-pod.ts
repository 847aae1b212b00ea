import { isReady } from '../api-server/eviction.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes, pods, statefulSets } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

export interface ControllerPodPlan {
  readonly namespace: string;
  /** Value of the label `app.kubernetes.io/name`, by which the pod is found. */
  readonly label: string;
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: { readonly key?: string; readonly operator?: 'Exists' | 'Equal'; readonly effect?: string }[];
}

/** Argo CD's application controller works only while its pod runs on a node that is up. */
export interface ControllerPod {
  readonly name: string;
  isAlive(): boolean;
  /** Resolves at once, or when the pod is running again. */
  alive(): Promise<void>;
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  /** How often the pod is checked while it is down. Milliseconds. */
  readonly lookMs: number;
}

export function installControllerPod({ registry, pace, lookMs }: Parts, plan: ControllerPodPlan): ControllerPod {
  const { namespace, label, nodeSelector, tolerations } = plan;
  const labels = {
    'app.kubernetes.io/name': label,
    'app.kubernetes.io/component': 'application-controller',
    'app.kubernetes.io/part-of': 'argocd',
  };
  const set = 'openshift-gitops-application-controller';
  const spec = {
    containers: [{ name: 'argocd-application-controller', image: 'argocd' }],
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations: [...tolerations] }),
  };
  registry.create(
    statefulSets,
    {
      metadata: { name: set, namespace, labels },
      spec: {
        replicas: 1,
        serviceName: set,
        selector: { matchLabels: { 'app.kubernetes.io/name': label } },
        template: { metadata: { labels }, spec },
      },
    },
    { manager: 'argocd-operator' },
  );
  const name = `${set}-0`;

  function isAlive(): boolean {
    const pod = registry.get(pods, name, namespace);
    if (!pod || pod.metadata.deletionTimestamp || !isReady(pod)) return false;
    const node = registry.get(nodes, pod.spec.nodeName ?? '');
    return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  }

  return {
    name,
    isAlive,
    async alive() {
      while (!isAlive()) await pace.sleep(lookMs);
    },
  };
}

/** A controller that runs on another cluster, as on a hub: no node of this cluster takes it down. */
export function remoteController(): ControllerPod {
  return { name: '', isAlive: () => true, alive: () => Promise.resolve() };
}
