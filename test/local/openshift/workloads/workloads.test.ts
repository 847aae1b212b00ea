import { expect, test } from 'vitest';
import { keyOf } from '../../../../local/openshift/api-server/kubernetes-object.ts';
import {
  daemonSets,
  deployments,
  events,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  statefulSets,
} from '../../../../local/openshift/api-server/resource-types.ts';
import { quietWorkers, type VirtualCluster, virtualCluster } from '../virtual-cluster.ts';

const shop = (cluster: VirtualCluster) => cluster.registry.list(pods, 'shop');
const person = { manager: 'kubectl' };

async function settledDeployment(plan: {
  replicas: number;
  requests?: Record<string, string>;
  nodeSelector?: Record<string, string>;
}): Promise<VirtualCluster> {
  const cluster = await quietWorkers(2, 1);
  cluster.builder.deploy({ namespace: 'shop', name: 'web', ...plan });
  await cluster.clock.advance(30_000);
  return cluster;
}

test('a deployment gets a replica set, pods on nodes, and a status that says so', async () => {
  const cluster = await settledDeployment({ replicas: 2 });

  expect(shop(cluster).map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
  expect(new Set(shop(cluster).map(({ spec }) => spec.nodeName))).toEqual(new Set(['worker-0', 'worker-1']));
  expect(cluster.registry.list(replicaSets, 'shop')).toMatchObject([
    { metadata: { ownerReferences: [{ kind: 'Deployment', name: 'web' }] }, status: { readyReplicas: 2 } },
  ]);
  expect(cluster.registry.get(deployments, 'web', 'shop')?.status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    unavailableReplicas: 0,
  });
});

test('scaling adds and removes pods', async () => {
  const cluster = await settledDeployment({ replicas: 2 });
  const scale = async (replicas: number) => {
    cluster.registry.modify(
      deployments,
      { name: 'web', namespace: 'shop' },
      ({ spec }) => Object.assign(spec, { replicas }),
      person,
    );
    await cluster.clock.advance(30_000);
    return shop(cluster).length;
  };

  expect([await scale(4), await scale(1), await scale(0)]).toEqual([4, 1, 0]);
});

test('a new template replaces the old pods once the new ones are ready', async () => {
  const cluster = await settledDeployment({ replicas: 2 });
  const before = shop(cluster).map(({ metadata }) => metadata.name);

  cluster.registry.modify(
    deployments,
    { name: 'web', namespace: 'shop' },
    ({ spec }) => Object.assign(spec.template.spec, { containers: [{ name: 'web', image: 'web:2' }] }),
    person,
  );
  await cluster.clock.advance(60_000);

  const after = shop(cluster);
  expect(after).toHaveLength(2);
  expect(after.some(({ metadata }) => before.includes(metadata.name))).toBe(false);
});

test.each([
  [
    'a selector that no node has',
    { nodeSelector: { disk: 'none' } },
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
  [
    'more than a node has',
    { requests: { cpu: '64' } },
    '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  ],
])('a pod that asks for %s is Pending in the words of the scheduler', async (_, plan, message) => {
  const cluster = await settledDeployment({ replicas: 1, ...plan });

  const [pod] = shop(cluster);
  expect(pod?.status?.phase).toBe('Pending');
  expect(pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message,
  });
  expect(cluster.registry.list(events, 'shop').filter(({ reason }) => reason === 'FailedScheduling')).toMatchObject([
    { type: 'Warning', message, count: 1, involvedObject: { kind: 'Pod' } },
  ]);
});

test('a node that comes to fit takes the waiting pod', async () => {
  const cluster = await settledDeployment({ replicas: 1, nodeSelector: { disk: 'ssd' } });

  cluster.builder.labelNode('worker-1', { disk: 'ssd' });
  await cluster.clock.advance(10_000);

  expect(shop(cluster)).toMatchObject([{ spec: { nodeName: 'worker-1' }, status: { phase: 'Running' } }]);
});

test('a cluster without nodes says that there are none', async () => {
  const cluster = virtualCluster();
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 1 });
  await cluster.clock.advance(10_000);

  expect(shop(cluster)[0]?.status?.conditions?.[0]?.message).toBe('no nodes available to schedule pods');
});

test.each([
  [
    { minAvailable: 2 },
    { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 },
    'SufficientPods',
  ],
  [
    { minAvailable: '50%' },
    { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 },
    'SufficientPods',
  ],
  [
    { minAvailable: '100%' },
    { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 },
    'InsufficientPods',
  ],
  [
    { maxUnavailable: 1 },
    { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 },
    'SufficientPods',
  ],
  [
    { maxUnavailable: 0 },
    { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 },
    'InsufficientPods',
  ],
])('a budget of %j over three healthy pods comes to %j', async (budget, status, reason) => {
  const cluster = await settledDeployment({ replicas: 3 });

  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', matchLabels: { app: 'web' }, ...budget });
  await cluster.clock.advance(5_000);

  const made = cluster.registry.get(podDisruptionBudgets, 'web', 'shop');
  expect(made?.status).toMatchObject({ ...status, observedGeneration: 1 });
  expect(made?.status?.conditions).toMatchObject([{ type: 'DisruptionAllowed', reason }]);
});

test('a crashing pod is running and not ready, with the reason on its container, until it is healed', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.kubelets.failPods(({ metadata }) => metadata.labels?.['app'] === 'web', {
    reason: 'CrashLoopBackOff',
    message: 'back-off 5m0s restarting failed container',
  });
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 1 });
  await cluster.clock.advance(10_000);
  const crashing = shop(cluster)[0]?.status;

  cluster.kubelets.healPods();
  await cluster.clock.advance(10_000);

  expect(crashing?.containerStatuses).toMatchObject([
    { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } },
  ]);
  expect(crashing?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ContainersNotReady',
  });
  expect(shop(cluster)[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
});

test('a lost node is Unknown, tainted, and its pods are not ready', async () => {
  const cluster = await settledDeployment({ replicas: 2 });

  cluster.kubelets.loseContact('worker-0');
  await cluster.clock.advance(10_000);

  const lost = cluster.node('worker-0');
  expect(lost.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  });
  expect(lost.spec.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
    'node.kubernetes.io/unreachable:NoSchedule',
    'node.kubernetes.io/unreachable:NoExecute',
  ]);
  expect(cluster.registry.get(deployments, 'web', 'shop')?.status).toMatchObject({ readyReplicas: 1 });
});

test('a stateful pod comes back under its own name', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.builder.addNamespace('shop');
  const labels = { app: 'db' };
  cluster.registry.create(
    statefulSets,
    {
      metadata: { name: 'db', namespace: 'shop' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'db' }] } },
      },
    },
    person,
  );
  await cluster.clock.advance(10_000);
  const [before] = shop(cluster);

  if (before) cluster.registry.delete(pods, keyOf(before), person);
  await cluster.clock.advance(10_000);

  const [after] = shop(cluster);
  expect(before?.metadata.name).toBe('db-0');
  expect(after?.metadata.name).toBe('db-0');
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after?.status?.phase).toBe('Running');
});

test('every node has its daemon, also a new one', async () => {
  const cluster = await quietWorkers(2, 1);
  const daemons = () =>
    cluster.registry.list(pods).filter(({ metadata }) => metadata.labels?.['k8s-app'] === 'machine-config-daemon');
  const before = daemons().length;

  cluster.builder.addNodes({ pool: 'worker', names: ['worker-9'] });
  await cluster.clock.advance(10_000);

  expect([before, daemons().length]).toEqual([2, 3]);
  expect(
    cluster.registry.get(daemonSets, 'machine-config-daemon', 'openshift-machine-config-operator')?.status,
  ).toMatchObject({ numberReady: 3 });
});

test('what belonged to a deleted object goes with it, and a namespace is gone when it is empty', async () => {
  const cluster = await settledDeployment({ replicas: 2 });

  cluster.registry.delete(deployments, { name: 'web', namespace: 'shop' }, person);
  await cluster.clock.advance(10_000);
  const left = [cluster.registry.list(replicaSets, 'shop').length, shop(cluster).length];
  cluster.registry.delete(namespaces, { name: 'shop', namespace: '' }, person);
  const terminating = cluster.registry.get(namespaces, 'shop')?.status?.phase;
  await cluster.clock.advance(10_000);

  expect(left).toEqual([0, 0]);
  expect(terminating).toBe('Terminating');
  expect(cluster.registry.get(namespaces, 'shop')).toBeUndefined();
});

test('events are forgotten after three hours', async () => {
  const cluster = await settledDeployment({ replicas: 1 });
  const before = cluster.registry.list(events, 'shop').length;

  await cluster.clock.advance(4 * 3_600_000);

  expect(before).toBeGreaterThan(0);
  expect(cluster.registry.list(events, 'shop')).toEqual([]);
});

test('a cordoned node is tainted with the time, and free of it once uncordoned', async () => {
  const cluster = await quietWorkers(1, 1);
  const cordon = (unschedulable: boolean) =>
    cluster.registry.modify(
      nodes,
      { name: 'worker-0', namespace: '' },
      ({ spec }) => Object.assign(spec, { unschedulable }),
      person,
    );

  cordon(true);
  const tainted = cluster.node('worker-0').spec.taints;
  cordon(false);

  expect(tainted).toEqual([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: '2026-03-02T08:01:00Z' },
  ]);
  expect(cluster.node('worker-0').spec.taints).toBeUndefined();
});
