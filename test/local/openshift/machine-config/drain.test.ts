import { expect, test } from 'vitest';
import type { Node } from '../../../../local/openshift/api-server/cluster-objects.ts';
import { keyOf } from '../../../../local/openshift/api-server/kubernetes-object.ts';
import {
  machineConfigNodes,
  nodes,
  podDisruptionBudgets,
  pods,
} from '../../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { quietWorkers, type VirtualCluster } from '../virtual-cluster.ts';

const minutes = (count: number) => count * 60_000;

/** Two workers, one with fast disks that both pods of a guarded application insist on. */
async function guardedApplication(minAvailable = 2): Promise<VirtualCluster> {
  const cluster = await quietWorkers(2, 1);
  cluster.registry.modify(
    nodes,
    { name: 'worker-0', namespace: '' },
    ({ metadata }) => Object.assign(metadata, { labels: { ...metadata.labels, disk: 'ssd' } }),
    { manager: 'kubectl' },
  );
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2, nodeSelector: { disk: 'ssd' } });
  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable, matchLabels: { app: 'web' } });
  await cluster.clock.advance(60_000);
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  return cluster;
}

function drained(cluster: VirtualCluster, node = 'worker-0') {
  return cluster.registry.get(machineConfigNodes, node)?.status?.conditions?.find(({ type }) => type === 'Drained');
}

const shopPods = (cluster: VirtualCluster) => cluster.registry.list(pods, 'shop');
const draining = (cluster: VirtualCluster) => cluster.node('worker-0').spec.unschedulable === true;

test('a budget without room keeps the node cordoned, and the error is told after the first attempt of 90 s', async () => {
  const cluster = await guardedApplication();
  await cluster.until(() => draining(cluster));
  cluster.mark();

  const told = await cluster.until(() => drained(cluster)?.message?.startsWith('Error:') ?? false);

  const target = cluster.pool().spec.configuration?.name;
  const refused = shopPods(cluster).map(
    ({ metadata }) => `error when evicting pods/"${metadata.name}" -n "shop": global timeout reached: 1m30s`,
  );
  expect(told).toBeCloseTo(90, 0);
  expect(drained(cluster)).toMatchObject({
    status: 'Unknown',
    message: `Error: Node Drain has not succeeded. Error is: [${refused.join(', ')}] The drain will not be complete until desired drainer drain-${target} matches current drainer ${annotationOf(cluster.node('worker-0'), 'lastAppliedDrain')}`,
  });
  expect(cluster.condition('Degraded').status).toBe('False');
});

test('after ten minutes the drain is reported as failing and tried every five minutes', async () => {
  const cluster = await guardedApplication();
  await cluster.until(() => draining(cluster));
  cluster.mark();

  const reported = await cluster.until(
    () => cluster.eventsOf('worker-0').some(({ reason }) => reason === 'DrainThresholdExceeded'),
    1_000,
  );

  const [event] = cluster.eventsOf('worker-0').filter(({ reason }) => reason === 'DrainThresholdExceeded');
  expect(reported).toBeCloseTo(690, 0);
  expect(event).toMatchObject({
    type: 'Warning',
    message: expect.stringMatching(
      /^Drain failed\. Drain has been failing for more than 10 minutes\. Waiting 5 minutes then retrying\. Error message from drain: \[?error when evicting pods/,
    ),
  });
});

test('after an hour the node is degraded, and it heals by itself once the budget gives way', async () => {
  const cluster = await guardedApplication();
  await cluster.until(() => draining(cluster));
  cluster.mark();

  const degraded = await cluster.until(() => cluster.condition('Degraded').status === 'True', 5_000);
  const { message } = cluster.condition('Degraded');
  const states = new Set<string>();
  cluster.registry.subscribe(({ type, object }) => {
    if (type === nodes && object.metadata.name === 'worker-0') states.add(annotationOf(object as Node, 'state'));
  });
  cluster.registry.modify(
    podDisruptionBudgets,
    { name: 'web', namespace: 'shop' },
    ({ spec }) => Object.assign(spec, { minAvailable: 0 }),
    { manager: 'kubectl-edit' },
  );
  await cluster.until(() => cluster.condition('Updated').status === 'True', 1_200);

  expect(degraded).toBeGreaterThan(3_590);
  expect(degraded).toBeLessThan(3_620);
  expect(message).toContain(
    'failed to drain node: worker-0 after 1 hour. Please see machine-config-controller logs for more information',
  );
  expect(cluster.eventsOf('worker-0').map(({ reason }) => reason)).toContain('FailedToDrain');
  expect([...states]).toEqual(['Degraded', 'Done']);
  expect(cluster.condition('Degraded').status).toBe('False');
});

test('a pod whose eviction is allowed is made again, and Pending says of every node why', async () => {
  const cluster = await guardedApplication(1);

  await cluster.until(() => drained(cluster)?.message?.startsWith('Error:') ?? false);

  const pending = shopPods(cluster).find(({ status }) => status?.phase === 'Pending');
  const scheduled = pending?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const message =
    "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  expect(scheduled).toMatchObject({ status: 'False', reason: 'Unschedulable', message });
  expect(cluster.eventsOf(pending?.metadata.name ?? '')).toContainEqual({
    type: 'Warning',
    reason: 'FailedScheduling',
    message,
  });
  expect(cluster.registry.get(podDisruptionBudgets, 'web', 'shop')?.status).toMatchObject({
    expectedPods: 2,
    currentHealthy: 1,
    desiredHealthy: 1,
    disruptionsAllowed: 0,
  });
  expect(drained(cluster)?.message).toContain('error when evicting pods/"web-');
});

test('a pod that does not end is named as waited for, not as refused', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.builder.deploy({ namespace: 'shop', name: 'slow', replicas: 1 });
  await cluster.clock.advance(60_000);
  cluster.kubelets.hangPods(({ metadata }) => metadata.labels?.['app'] === 'slow');

  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.until(() => drained(cluster)?.message?.startsWith('Error:') ?? false);

  expect(drained(cluster)?.message).toMatch(
    /Error is: error when waiting for pod "slow-\S+" in namespace "shop" to terminate: global timeout reached: 1m30s /,
  );
});

test('a pause does not stop a node that has begun', async () => {
  const cluster = await quietWorkers(2, 1);
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.until(() => draining(cluster) || cluster.node('worker-1').spec.unschedulable === true);

  cluster.pause();
  await cluster.clock.advance(minutes(2));

  expect(cluster.pool().status?.updatedMachineCount).toBe(1);
  expect(cluster.inFlight()).toEqual([]);
});

test('pods of daemon sets stay where they are', async () => {
  const cluster = await quietWorkers(1, 1);
  const daemon = () =>
    cluster.registry
      .list(pods, 'openshift-machine-config-operator')
      .find(({ metadata }) => metadata.labels?.['k8s-app'] === 'machine-config-daemon');
  const before = daemon();

  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.until(() => cluster.condition('Updated').status === 'True');

  expect(before).toBeDefined();
  expect(daemon()?.metadata.uid).toBe(before?.metadata.uid);
});

test('a node that never comes back stays Rebooting and NotReady, and the pool is not degraded', async () => {
  const cluster = await quietWorkers(2, 1);
  for (const name of ['worker-0', 'worker-1']) cluster.kubelets.neverReturn(name);

  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.until(() => cluster.inFlight().length === 1);
  const [name = ''] = cluster.inFlight();
  await cluster.clock.advance(minutes(30));
  const away = cluster.node(name);
  cluster.kubelets.restore(name);
  cluster.kubelets.restore('worker-1');
  cluster.kubelets.restore('worker-0');
  await cluster.until(() => cluster.condition('Updated').status === 'True');

  expect(annotationOf(away, 'postConfigAction')).toBe('Rebooting');
  expect(away.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
  expect(away.spec.taints?.map(({ key }) => key)).toContain('node.kubernetes.io/not-ready');
  expect(cluster.condition('Degraded').status).toBe('False');
});

test('an eviction by hand is followed by a new pod of the same owner', async () => {
  const cluster = await quietWorkers(2, 1);
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2 });
  await cluster.clock.advance(30_000);
  const [pod] = shopPods(cluster);

  if (pod) cluster.registry.delete(pods, keyOf(pod), { manager: 'kubectl' });
  await cluster.clock.advance(30_000);

  const after = shopPods(cluster);
  expect(after.map(({ metadata }) => metadata.name)).not.toContain(pod?.metadata.name);
  expect(after.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
});
