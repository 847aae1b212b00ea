import type { Registry } from '../api-server/registry.ts';
import { daemonSets, deployments, nodes, pods, replicaSets, statefulSets } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { reconcileDaemonSet } from './daemon-set-controller.ts';
import { reconcileDeployment } from './deployment-controller.ts';
import { reconcileOn } from './reconcile-on.ts';
import { reconcileReplicaSet } from './replica-set-controller.ts';
import { reconcileStatefulSet } from './stateful-set-controller.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

/** Keeps as many pods as Deployments, ReplicaSets, StatefulSets and DaemonSets ask for. */
export function startWorkloadControllers({ registry, pace }: Parts): void {
  const record = createEventRecorder({ registry, pace, component: 'replicaset-controller' });
  const parts = { registry, pace, record };
  const types = [deployments, replicaSets, statefulSets, daemonSets, pods, nodes];
  reconcileOn({ registry, pace, types, afterMs: 50, run });

  function run(): void {
    for (const deployment of registry.list(deployments)) reconcileDeployment(parts, deployment);
    for (const replicaSet of registry.list(replicaSets)) reconcileReplicaSet(parts, replicaSet);
    for (const statefulSet of registry.list(statefulSets)) reconcileStatefulSet(parts, statefulSet);
    for (const daemonSet of registry.list(daemonSets)) reconcileDaemonSet(parts, daemonSet);
  }
}
