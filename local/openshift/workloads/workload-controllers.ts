import { createHash } from 'node:crypto';
import type { Pod, Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { sameJson } from '../api-server/json.ts';
import { controlledBy, controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import {
  daemonSets,
  deployments,
  nodes,
  pods,
  type ResourceType,
  replicaSets,
  statefulSets,
} from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { makePod, podsOwnedBy } from './pod-making.ts';
import { reconcileOn } from './reconcile-on.ts';

const manager = 'kube-controller-manager';

/** Keeps as many pods as Deployments, ReplicaSets, StatefulSets and DaemonSets ask for. */
export function startWorkloadControllers({
  registry,
  pace,
}: {
  readonly registry: Registry;
  readonly pace: Pace;
}): void {
  const record = createEventRecorder({ registry, pace, component: 'replicaset-controller' });
  const types = [deployments, replicaSets, statefulSets, daemonSets, pods, nodes];
  reconcileOn({ registry, pace, types, afterMs: 50, run });

  function run(): void {
    for (const deployment of registry.list(deployments)) reconcileDeployment(deployment);
    for (const replicaSet of registry.list(replicaSets)) reconcileReplicaSet(replicaSet);
    for (const statefulSet of registry.list(statefulSets)) reconcileStatefulSet(statefulSet);
    for (const daemonSet of registry.list(daemonSets)) reconcileDaemonSet(daemonSet);
  }

  /** A new template gets a ReplicaSet of its own; the old ones shrink once it is ready. */
  function reconcileDeployment(deployment: Workload): void {
    const { name, namespace } = deployment.metadata;
    const replicas = deployment.spec.replicas ?? 1;
    const hash = templateHash(deployment);
    const owned = registry
      .list(replicaSets, namespace)
      .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
    const current =
      owned.find(({ metadata }) => metadata.labels?.['pod-template-hash'] === hash) ?? makeReplicaSet(deployment, hash);
    scale(current, replicas);
    const ready = podsOwnedBy(registry, current).filter(isReady).length;
    if (ready >= replicas)
      for (const old of owned.filter((set) => set.metadata.name !== current.metadata.name)) scale(old, 0);
    setStatus(deployments, deployment, {
      ...counts(podsOwnedBy(registry, current), replicas),
      updatedReplicas: podsOwnedBy(registry, current).length,
      conditions: [
        {
          type: 'Available',
          status: ready >= replicas ? 'True' : 'False',
          reason: ready >= replicas ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
          message:
            ready >= replicas
              ? 'Deployment has minimum availability.'
              : 'Deployment does not have minimum availability.',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${name}-${hash}" has successfully progressed.`,
        },
      ],
    });
  }

  function makeReplicaSet(deployment: Workload, hash: string): Workload {
    const { name, namespace } = deployment.metadata;
    const { template, selector, replicas = 1 } = deployment.spec;
    const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
    return registry.create(
      replicaSets,
      {
        metadata: {
          name: `${name}-${hash}`,
          ...(namespace && { namespace }),
          labels,
          ownerReferences: [controlledBy(deployment)],
        },
        spec: {
          replicas,
          selector: { ...selector, matchLabels: { ...selector.matchLabels, 'pod-template-hash': hash } },
          template: { ...template, metadata: { ...template.metadata, labels } },
        },
      },
      { manager },
    );
  }

  function scale(set: Workload, replicas: number): void {
    if (set.spec.replicas !== replicas)
      registry.modify(replicaSets, keyOf(set), ({ spec }) => Object.assign(spec, { replicas }), { manager });
  }

  function reconcileReplicaSet(set: Workload): void {
    const wanted = set.spec.replicas ?? 1;
    const owned = podsOwnedBy(registry, set);
    for (let missing = wanted - owned.length; missing > 0; missing -= 1) {
      const pod = makePod(registry, set);
      record({ object: set, reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
    }
    for (const pod of unreadyFirst(owned).slice(0, Math.max(0, owned.length - wanted)))
      registry.delete(pods, keyOf(pod), { manager });
    setStatus(replicaSets, set, counts(podsOwnedBy(registry, set), wanted));
  }

  /** Names are kept: a pod that goes is made again under its own, once the old one is gone for good. */
  function reconcileStatefulSet(set: Workload): void {
    const { name, namespace } = set.metadata;
    const wanted = set.spec.replicas ?? 1;
    for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
      const podName = `${name}-${ordinal}`;
      const labels = { 'statefulset.kubernetes.io/pod-name': podName };
      if (!registry.get(pods, podName, namespace)) makePod(registry, set, { name: podName, labels });
    }
    setStatus(statefulSets, set, counts(podsOwnedBy(registry, set), wanted));
  }

  /** One pod a node, cordoned or not. */
  function reconcileDaemonSet(set: Workload): void {
    const owned = podsOwnedBy(registry, set);
    const selector = Object.entries(set.spec.template.spec.nodeSelector ?? {});
    const chosen = registry
      .list(nodes)
      .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value));
    const covered = new Set(owned.map(({ spec }) => spec.nodeName));
    for (const { metadata } of chosen) {
      if (!covered.has(metadata.name))
        makePod(registry, set, { spec: { nodeName: metadata.name, tolerations: [{ operator: 'Exists' }] } });
    }
    const ready = owned.filter(isReady).length;
    const status = {
      desiredNumberScheduled: chosen.length,
      currentNumberScheduled: owned.length,
      numberReady: ready,
      numberAvailable: ready,
    };
    setStatus(daemonSets, set, { ...status, numberUnavailable: chosen.length - ready });
  }

  function setStatus(type: ResourceType<Workload>, workload: Workload, status: Record<string, unknown>): void {
    const { conditions, ...rest } = status;
    const next = {
      ...rest,
      observedGeneration: workload.metadata.generation ?? 0,
      ...(Array.isArray(conditions) && {
        conditions: conditions.map((condition) => dated(condition, workload, pace.timestamp())),
      }),
    };
    if (sameJson(workload.status ?? {}, next)) return;
    registry.modify(type, keyOf(workload), (draft) => Object.assign(draft, { status: next }), {
      manager,
      subresource: 'status',
    });
  }
}

function dated(condition: { type: string; status: string }, { status }: Workload, time: string): unknown {
  const before = status?.conditions?.find(({ type }) => type === condition.type);
  return { ...condition, lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : time };
}

function counts(owned: readonly Pod[], wanted: number): Record<string, number> {
  const ready = owned.filter(isReady).length;
  return {
    replicas: owned.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
  };
}

function unreadyFirst(owned: readonly Pod[]): Pod[] {
  return [...owned].sort((left, right) => Number(isReady(left)) - Number(isReady(right)));
}

function templateHash({ spec }: Workload): string {
  return createHash('md5').update(JSON.stringify(spec.template)).digest('hex').slice(0, 10);
}
