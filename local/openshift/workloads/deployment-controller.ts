import { createHash } from 'node:crypto';
import type { Workload } from '../api-server/cluster-objects.ts';
import { isReady } from '../api-server/eviction.ts';
import { controlledBy, controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { deployments, replicaSets } from '../api-server/resource-types.ts';
import { podsOwnedBy } from './pod-making.ts';
import { type ControllerParts, counts, manager, setStatus } from './workload-status.ts';

/** A new template gets a ReplicaSet of its own; the old ones are scaled down once it is ready. */
export function reconcileDeployment(parts: ControllerParts, deployment: Workload): void {
  const { registry } = parts;
  const { namespace } = deployment.metadata;
  const replicas = deployment.spec.replicas ?? 1;
  const hash = templateHash(deployment);
  const owned = registry
    .list(replicaSets, namespace)
    .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
  const current =
    owned.find(({ metadata }) => metadata.labels?.['pod-template-hash'] === hash) ??
    makeReplicaSet(registry, deployment, hash);
  scale(registry, current, replicas);
  const pods = podsOwnedBy(registry, current);
  const available = pods.filter(isReady).length >= replicas;
  if (available)
    for (const old of owned.filter((set) => set.metadata.name !== current.metadata.name)) scale(registry, old, 0);
  setStatus(parts, deployments, deployment, {
    ...counts(pods, replicas),
    updatedReplicas: pods.length,
    conditions: [availableCondition(available), progressingCondition(current.metadata.name)],
  });
}

function templateHash({ spec }: Workload): string {
  return createHash('md5').update(JSON.stringify(spec.template)).digest('hex').slice(0, 10);
}

function makeReplicaSet(registry: Registry, deployment: Workload, hash: string): Workload {
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

function scale(registry: Registry, set: Workload, replicas: number): void {
  if (set.spec.replicas !== replicas)
    registry.modify(replicaSets, keyOf(set), ({ spec }) => Object.assign(spec, { replicas }), { manager });
}

function availableCondition(available: boolean) {
  return {
    type: 'Available',
    status: available ? 'True' : 'False',
    reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: available ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  };
}

function progressingCondition(replicaSet: string) {
  return {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    message: `ReplicaSet "${replicaSet}" has successfully progressed.`,
  };
}
