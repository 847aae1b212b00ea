import type { Registry } from '../api-server/registry.ts';
import {
  clusterOperators,
  clusterVersions,
  controllerConfigs,
  daemonSets,
  deployments,
  infrastructures,
  namespaces,
} from '../api-server/resource-types.ts';
import { mcoNamespace } from '../machine-config/mco-namespace.ts';
import type { Pace } from '../pace.ts';

/** The release that the simulated cluster reports. */
export const release = { openshift: '4.21.0', kubernetes: 'v1.34.4' };

const write = { manager: 'cluster-version-operator', withStatus: true };

interface Installation {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly clusterId: string;
}

/** What every OpenShift cluster has from the start: namespaces, the objects that describe it, the machine config
 *  pods. */
export function installPlatform({ registry, pace, clusterId }: Installation): void {
  for (const name of ['default', 'kube-system', 'openshift-machine-api', mcoNamespace, 'openshift-gitops'])
    registry.create(namespaces, { metadata: { name } }, write);
  const time = pace.timestamp();
  installClusterVersion(registry, clusterId, time);
  for (const name of ['machine-config', 'kube-apiserver', 'etcd']) {
    const status = { conditions: operatorConditions(time) };
    registry.create(clusterOperators, { metadata: { name }, spec: {}, status }, write);
  }
  installInfrastructure(registry);
  registry.create(
    controllerConfigs,
    { metadata: { name: 'machine-config-controller' }, spec: {}, status: controllerStatus(time) },
    write,
  );
  runMachineConfigPods(registry);
}

function operatorConditions(time: string) {
  return [
    { type: 'Available', status: 'True', lastTransitionTime: time },
    { type: 'Progressing', status: 'False', lastTransitionTime: time },
    { type: 'Degraded', status: 'False', lastTransitionTime: time },
    { type: 'Upgradeable', status: 'True', lastTransitionTime: time },
  ];
}

function installClusterVersion(registry: Registry, clusterId: string, time: string): void {
  const installed = {
    state: 'Completed',
    version: release.openshift,
    startedTime: time,
    completionTime: time,
    verified: true,
    image: '',
  };
  registry.create(
    clusterVersions,
    {
      metadata: { name: 'version' },
      spec: { clusterID: clusterId, channel: 'stable-4.21' },
      status: {
        desired: { version: release.openshift },
        history: [installed],
        conditions: operatorConditions(time),
      },
    },
    write,
  );
}

function installInfrastructure(registry: Registry): void {
  registry.create(
    infrastructures,
    {
      metadata: { name: 'cluster' },
      spec: { platformSpec: { type: 'None' } },
      status: {
        apiServerURL: '',
        infrastructureName: 'simulated',
        controlPlaneTopology: 'HighlyAvailable',
        infrastructureTopology: 'HighlyAvailable',
        platformStatus: { type: 'None' },
      },
    },
    write,
  );
}

function controllerStatus(time: string) {
  const condition = (type: string, status: string, message: string) => ({
    type,
    status,
    message,
    reason: '',
    lastTransitionTime: time,
  });
  return {
    observedGeneration: 1,
    conditions: [
      condition('TemplateControllerRunning', 'False', ''),
      condition(
        'TemplateControllerCompleted',
        'True',
        'sync completed towards (1) generation using controller version simulated',
      ),
      condition('TemplateControllerFailing', 'False', ''),
    ],
  };
}

function runMachineConfigPods(registry: Registry): void {
  const app = (name: string) => ({ 'k8s-app': name });
  const everywhere = [{ operator: 'Exists' as const }];
  const workload = (name: string, nodeSelector: Record<string, string>) => ({
    metadata: { name, namespace: mcoNamespace, labels: app(name) },
    spec: {
      replicas: 1,
      selector: { matchLabels: app(name) },
      template: {
        metadata: { labels: app(name) },
        spec: { nodeSelector, tolerations: everywhere, containers: [{ name, image: name }] },
      },
    },
  });
  registry.create(deployments, workload('machine-config-controller', { 'node-role.kubernetes.io/master': '' }), write);
  registry.create(daemonSets, workload('machine-config-daemon', { 'kubernetes.io/os': 'linux' }), write);
}
