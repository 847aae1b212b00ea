import type { Node, Pod } from '../../../local/openshift/api-server/cluster-objects.ts';
import type { NewObject } from '../../../local/openshift/api-server/kubernetes-object.ts';
import { createRegistry, type Registry } from '../../../local/openshift/api-server/registry.ts';
import {
  machineConfigNodes,
  machineConfigPools,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
} from '../../../local/openshift/api-server/resource-types.ts';
import { realClock } from '../../../local/openshift/clock.ts';
import { annotations } from '../../../local/openshift/machine-config/node-annotations.ts';
import { createPace } from '../../../local/openshift/pace.ts';
import { createRandom } from '../../../local/openshift/random.ts';
import { createClusterBuilder } from '../../../local/openshift/world/cluster-builder.ts';
import { installPlatform } from '../../../local/openshift/world/platform.ts';

/** The largest cluster that Poolkeeper is made for: 20 pools of 100 nodes, 500 namespaces of 100 pods and a budget
 *  each. */
export const sizes = { pools: 20, nodesPerPool: 100, namespaces: 500, podsPerNamespace: 100 } as const;
export const nodeCount = sizes.pools * sizes.nodesPerPool;
export const podCount = sizes.namespaces * sizes.podsPerNamespace;

/** Nodes that get stuck, five a pool: as many as one pass explains. Odd ones are named by no MachineConfigNode. */
export const stuckNodes = 50;
const stuckPerPool = 5;
/** A node runs no more by default. */
const podsOnFullNode = 250;

export const poolName = (index: number) => `pool-${index}`;
export const stuckName = (index: number) => `${poolName(Math.floor(index / stuckPerPool))}-${index % stuckPerPool}`;
const appNamespace = (index: number) => `app-${index}`;
/** Whether a MachineConfigNode tells what stops the drain. Of the others nothing names a pod, and their replacements
 *  may run anywhere. */
const isNamed = (index: number) => index % 2 === 0;
const at = '2026-01-01T00:00:00Z';
const by = { manager: 'kubelet', withStatus: true };

/** Objects as large as real ones, without the controllers that would look at 50,000 of them at each change. */
export function makeWorld(): Registry {
  const pace = createPace(realClock(), 1);
  const random = createRandom(1);
  const registry = createRegistry({ pace, random });
  installPlatform({ registry, pace, clusterId: random.uid() });
  const builder = createClusterBuilder({ registry, pace, random });
  builder.addPool({ name: 'worker' });
  for (let pool = 0; pool < sizes.pools; pool += 1) {
    builder.addPool({ name: poolName(pool) });
    const names = Array.from({ length: sizes.nodesPerPool }, (_, index) => `${poolName(pool)}-${index}`);
    builder.addNodes({ pool: poolName(pool), names });
    for (const name of names)
      registry.modify(nodes, { name, namespace: '' }, asLargeAsReal, { ...by, subresource: 'status' });
  }
  for (let index = 0; index < sizes.namespaces; index += 1) fillNamespace(registry, index);
  return withPods(registry);
}

/** The registry completes an object in a millisecond, 50,000 of them in a minute: it makes one of each sort, and the
 *  others are taken after it. They are only read here. */
function withPods(registry: Registry): Registry {
  const models = [false, true].map((isHomeless) => registry.create(pods, podModel(isHomeless), by));
  const byNamespace = new Map<string, Pod[]>();
  for (let index = 0; index < sizes.namespaces; index += 1) {
    const namespace = appNamespace(index);
    const owner = registry.get(replicaSets, 'web-5d8f', namespace)?.metadata.uid ?? '';
    const own = Array.from({ length: sizes.podsPerNamespace }, (_, pod) => podAfter(models, { index, pod, owner }));
    byNamespace.set(
      namespace,
      own.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    );
  }
  const all = [...byNamespace.keys()].toSorted().flatMap((namespace) => byNamespace.get(namespace) ?? []);
  return {
    ...registry,
    get: (type, name, namespace) =>
      type.plural === pods.plural
        ? (byNamespace.get(namespace ?? '')?.find(({ metadata }) => metadata.name === name) as never)
        : registry.get(type, name, namespace),
    list: (type, namespace) =>
      type.plural === pods.plural
        ? ((namespace ? (byNamespace.get(namespace) ?? []) : all) as never)
        : registry.list(type, namespace),
  };
}

/** A kubelet names the images it holds, 50 by default, each by tag and digest: most of a node's size. */
function asLargeAsReal(node: Node): void {
  const images = Array.from({ length: 50 }, (_, index) => ({
    names: [
      `registry.example.com/openshift/release@sha256:${String(index).padStart(64, '0')}`,
      `registry.example.com/openshift/release:4.21.0-component-${index}`,
    ],
    sizeBytes: 500_000_000 + index,
  }));
  Object.assign(node, { status: { ...node.status, images } });
}

function fillNamespace(registry: Registry, index: number): void {
  const namespace = appNamespace(index);
  registry.create(namespaces, { metadata: { name: namespace } }, by);
  registry.create(
    replicaSets,
    {
      metadata: { name: 'web-5d8f', namespace },
      spec: {
        replicas: sizes.podsPerNamespace,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web' }] } },
      },
      status: { replicas: sizes.podsPerNamespace },
    },
    by,
  );
  const isStuck = index < stuckNodes;
  const counts = { expectedPods: sizes.podsPerNamespace, desiredHealthy: sizes.podsPerNamespace - 1 };
  const currentHealthy = counts.expectedPods - (isStuck ? 1 : 0);
  registry.create(
    podDisruptionBudgets,
    {
      metadata: { name: 'web', namespace },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
      status: {
        ...counts,
        currentHealthy,
        disruptionsAllowed: currentHealthy - counts.desiredHealthy,
        observedGeneration: 1,
        conditions: [],
      },
    },
    by,
  );
}

/** What the pods have in common: about as large as a real one, with a sidecar, settings, volumes and what the
 *  network says. */
function podModel(isHomeless: boolean): NewObject<Pod> {
  return {
    metadata: {
      name: isHomeless ? 'homeless' : 'running',
      namespace: appNamespace(0),
      labels: { app: 'web', 'pod-template-hash': '5d8f' },
      annotations: { 'k8s.v1.cni.cncf.io/network-status': 'x'.repeat(600) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f', uid: '', controller: true }],
    },
    spec: {
      containers: ['web', 'proxy'].map((name) => ({
        name,
        image: `registry.example.com/app/${name}@sha256:${'0'.repeat(64)}`,
        env: Array.from({ length: 25 }, (_, variable) => ({ name: `SETTING_${variable}`, value: 'some value' })),
        resources: { requests: { cpu: '100m', memory: '128Mi' } },
      })),
      volumes: Array.from({ length: 6 }, (_, volume) => ({
        name: `volume-${volume}`,
        configMap: { name: `config-${volume}` },
      })),
      tolerations: [],
    },
    status: isHomeless ? homeless : running,
  };
}

interface PodPlace {
  readonly index: number;
  readonly pod: number;
  readonly owner: string;
}

/** Of the first namespaces pod 0 is the one that no node takes, and pod 1 runs on the node that gets stuck. */
function podAfter([ready, waiting]: readonly Pod[], { index, pod, owner }: PodPlace): Pod {
  const isStuck = index < stuckNodes;
  const model = isStuck && pod === 0 ? waiting : ready;
  if (model === undefined) throw new Error('there is no model of a pod');
  const nodeName = isStuck && pod === 1 ? stuckName(index) : nodeOf(index * sizes.podsPerNamespace + pod);
  const nodeSelector = { 'kubernetes.io/hostname': stuckName(index) };
  return {
    ...model,
    metadata: {
      ...model.metadata,
      name: `web-5d8f-${pod}`,
      namespace: appNamespace(index),
      uid: `${index}-${pod}`,
      ownerReferences: (model.metadata.ownerReferences ?? []).map((each) => ({ ...each, uid: owner })),
    },
    spec: {
      ...model.spec,
      ...(isStuck && isNamed(index) ? { nodeSelector } : {}),
      ...(model === waiting ? {} : { nodeName }),
    },
  };
}

/** The first nodes take 250 pods each, the rest go round. */
function nodeOf(number: number): string {
  const crowd = stuckNodes * podsOnFullNode;
  if (number >= podCount - crowd) return stuckName(Math.floor((number - (podCount - crowd)) / podsOnFullNode));
  const index = number % nodeCount;
  return `${poolName(index % sizes.pools)}-${Math.floor(index / sizes.pools)}`;
}

const running: NonNullable<Pod['status']> = {
  phase: 'Running',
  startTime: at,
  podIP: '10.0.0.1',
  conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: at,
  })),
  containerStatuses: ['web', 'proxy'].map((name) => ({
    name,
    ready: true,
    restartCount: 0,
    image: `registry.example.com/app/${name}`,
    imageID: `registry.example.com/app/${name}@sha256:${'0'.repeat(64)}`,
    containerID: `cri-o://${'0'.repeat(64)}`,
    state: { running: { startedAt: at } },
  })),
};

const homeless: NonNullable<Pod['status']> = {
  phase: 'Pending',
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: `0/${nodeCount} nodes are available: 1 node(s) were unschedulable, ${nodeCount - 1} Insufficient cpu. preemption: 0/${nodeCount} nodes are available: ${nodeCount} Preemption is not helpful for scheduling.`,
      lastTransitionTime: at,
    },
  ],
};

/** The first `count` of the nodes are being drained, and one pod of each may not go. */
export function stick(registry: Registry, count: number): void {
  const controller = { manager: 'machine-config-controller', withStatus: true };
  for (let index = 0; index < count; index += 1) {
    const [name, pool] = [stuckName(index), poolName(Math.floor(index / stuckPerPool))];
    const target = `rendered-${pool}-new`;
    registry.modify(
      machineConfigPools,
      { name: pool, namespace: '' },
      ({ spec }) => Object.assign(spec, { configuration: { ...spec.configuration, name: target } }),
      controller,
    );
    registry.modify(
      nodes,
      { name, namespace: '' },
      (node) => {
        node.spec.unschedulable = true;
        Object.assign(node.metadata.annotations ?? {}, {
          [annotations.desiredConfig]: target,
          [annotations.state]: 'Working',
          [annotations.desiredDrain]: `drain-${target}`,
        });
      },
      controller,
    );
    if (isNamed(index)) tellOfDrain(registry, { name, pool, target, namespace: appNamespace(index) });
  }
}

function tellOfDrain(
  registry: Registry,
  {
    name,
    pool,
    target,
    namespace,
  }: { readonly name: string; readonly pool: string; readonly target: string; readonly namespace: string },
): void {
  const error = `error when evicting pods/"web-5d8f-1" -n "${namespace}": global timeout reached: 1m30s`;
  registry.create(
    machineConfigNodes,
    {
      metadata: { name },
      spec: { node: { name }, pool: { name: pool }, configVersion: { desired: target } },
      status: {
        configVersion: { desired: target },
        conditions: [
          {
            type: 'Drained',
            status: 'Unknown',
            reason: 'UpdateExecutedDrained',
            message: `Error: Node Drain has not succeeded. Error is: ${error} The drain will not be complete until desired drainer drain-${target} matches current drainer `,
            lastTransitionTime: at,
          },
        ],
      },
    },
    { manager: 'machine-config-controller', withStatus: true },
  );
}
