import { expect, test } from 'vitest';
import type { Node } from '../../../../local/openshift/api-server/cluster-objects.ts';
import {
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  nodes,
} from '../../../../local/openshift/api-server/resource-types.ts';
import { annotate, annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { quietWorkers, type VirtualCluster, virtualCluster } from '../virtual-cluster.ts';

function change(cluster: VirtualCluster): void {
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
}

/** State and reason of the node, each once, in the order in which it says them. */
function sayings(cluster: VirtualCluster, name: string): ReadonlySet<string> {
  const said = new Set<string>();
  cluster.registry.subscribe(({ type, object }) => {
    if (type !== nodes || object.metadata.name !== name) return;
    said.add(`${annotationOf(object as Node, 'state')}: ${annotationOf(object as Node, 'reason')}`);
  });
  return said;
}

/** As the node controller does for a node that it takes to another configuration. */
function give(cluster: VirtualCluster, name: string, desiredConfig: string): void {
  cluster.registry.modify(nodes, { name, namespace: '' }, (draft) => annotate(draft, { desiredConfig }), {
    manager: 'machine-config-controller',
  });
}

const conflict = 'could not stat file "/etc/chrony.conf"';

test('a degraded node is told twice by its pool, with the count as reason', async () => {
  const cluster = await quietWorkers(3, 1);

  cluster.daemons.drift('worker-1', conflict);
  const seconds = await cluster.until(() => cluster.condition('Degraded').status === 'True');

  const configuration = cluster.pool().spec.configuration?.name;
  const reason = `unexpected on-disk state validating against ${configuration}: ${conflict}`;
  const message = `Node worker-1 is reporting: ${JSON.stringify(`Node worker-1 upgrade failure. ${reason}`)}, Node worker-1 is reporting: ${JSON.stringify(reason)}`;
  expect(seconds).toBeGreaterThan(4.4);
  expect(seconds).toBeLessThan(5.1);
  expect(cluster.condition('NodeDegraded')).toMatchObject({
    status: 'True',
    reason: '1 nodes are reporting degraded status on sync',
    message,
  });
  expect(cluster.condition('Degraded')).toMatchObject({ reason: '', message });
});

test('drift on an idle node looks like an update to the configuration that the pool has, and blocks a real one', async () => {
  const cluster = await quietWorkers(3, 1);

  cluster.daemons.drift('worker-1', conflict);
  await cluster.clock.advance(10_000);
  const drifted = cluster.pool();
  change(cluster);
  await cluster.clock.advance(120_000);

  expect(drifted.status).toMatchObject({ updatedMachineCount: 2, unavailableMachineCount: 1, degradedMachineCount: 1 });
  expect(drifted.status?.conditions?.find(({ type }) => type === 'Updating')).toMatchObject({
    status: 'True',
    message: `All nodes are updating to MachineConfig ${drifted.status?.configuration?.name}`,
  });
  expect(cluster.inFlight()).toEqual([]);
});

test('a failed update counts no node as unavailable, and no other node is targeted', async () => {
  const cluster = await quietWorkers(3, 1);
  cluster.daemons.failUpdates('worker-0', { stage: 'prepare', reason: 'ignition disks section contains changes' });

  change(cluster);
  await cluster.until(() => cluster.condition('Degraded').status === 'True');
  await cluster.clock.advance(300_000);

  expect(cluster.pool().status).toMatchObject({
    updatedMachineCount: 0,
    unavailableMachineCount: 0,
    degradedMachineCount: 1,
  });
  expect(cluster.inFlight()).toEqual(['worker-0']);
});

test('a pause over a degraded pool leaves it degraded and no longer updating', async () => {
  const cluster = await quietWorkers(3, 1);
  cluster.daemons.failUpdates('worker-0', { stage: 'prepare', reason: 'x' });
  change(cluster);
  await cluster.until(() => cluster.condition('Degraded').status === 'True');

  cluster.pause();
  await cluster.clock.advance(10_000);

  expect(cluster.condition('Degraded').status).toBe('True');
  expect(cluster.condition('Updating')).toMatchObject({
    status: 'False',
    message: expect.stringMatching(/^Pool is paused; will not update to MachineConfig rendered-worker-/),
  });
});

test('a healed node goes on and the pool is whole again', async () => {
  const cluster = await quietWorkers(2, 1);
  cluster.daemons.failUpdates('worker-0', { stage: 'apply', reason: 'failed to update OS' });
  change(cluster);
  await cluster.until(() => cluster.condition('Degraded').status === 'True');

  cluster.daemons.heal('worker-0');
  await cluster.until(() => cluster.condition('Updated').status === 'True');

  expect(cluster.condition('Degraded')).toMatchObject({ status: 'False', message: '' });
  expect(cluster.pool().status).toMatchObject({ updatedMachineCount: 2, degradedMachineCount: 0 });
});

test.each(['prepare', 'apply'] as const)(
  '[S0-5] a node that failed to %s says so through its next try, its drain and its reboot, until it is done',
  async (stage) => {
    const cluster = await quietWorkers(1, 1);
    cluster.daemons.failUpdates('worker-0', { stage, reason: 'failed to update OS' });
    change(cluster);
    await cluster.until(() => cluster.condition('Degraded').status === 'True');
    const said = sayings(cluster, 'worker-0');

    cluster.daemons.heal('worker-0');
    await cluster.until(() => annotationOf(cluster.node('worker-0'), 'postConfigAction') === 'Rebooting');
    await cluster.clock.advance(10_000);
    const rebooting = cluster.pool().status;
    const progress = cluster.registry.get(machineConfigNodes, 'worker-0')?.status?.conditions;
    await cluster.until(() => cluster.condition('Updated').status === 'True');

    expect([...said]).toEqual(['Degraded: failed to update OS', 'Done: ']);
    expect(rebooting).toMatchObject({ updatedMachineCount: 0, degradedMachineCount: 1 });
    expect(progress?.find(({ type }) => type === 'NodeDegraded')).toMatchObject({
      status: 'False',
      message: 'Node worker-0 upgrade succeeded',
    });
  },
);

test('a node that failed and is given another configuration in its reboot says so until it has that', async () => {
  const cluster = await quietWorkers(1, 1);
  const before = cluster.pool().spec.configuration?.name ?? '';
  cluster.daemons.failUpdates('worker-0', { stage: 'apply', reason: 'failed to update OS' });
  change(cluster);
  await cluster.until(() => cluster.condition('Degraded').status === 'True');
  cluster.daemons.heal('worker-0');
  await cluster.until(() => annotationOf(cluster.node('worker-0'), 'postConfigAction') === 'Rebooting');
  const said = sayings(cluster, 'worker-0');

  give(cluster, 'worker-0', before);
  await cluster.until(() => annotationOf(cluster.node('worker-0'), 'state') === 'Done');

  expect([...said]).toEqual(['Degraded: failed to update OS', 'Done: ']);
  expect(annotationOf(cluster.node('worker-0'), 'currentConfig')).toBe(before);
});

test('a node whose files have drifted takes no update before it is healed', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.daemons.drift('worker-0', conflict);
  change(cluster);
  await cluster.clock.advance(10_000);

  give(cluster, 'worker-0', cluster.pool().spec.configuration?.name ?? '');
  await cluster.clock.advance(10 * 60_000);
  const stands = cluster.inFlight();
  cluster.daemons.heal('worker-0');
  await cluster.until(() => cluster.condition('Updated').status === 'True');

  expect(stands).toEqual(['worker-0']);
  expect(cluster.condition('Degraded').status).toBe('False');
});

test('a change that cannot be rendered degrades the pool without a message and leaves Updated true', async () => {
  const cluster = await quietWorkers(2, 1);
  const metadata = { name: '99-bad', labels: { 'machineconfiguration.openshift.io/role': 'worker' } };

  cluster.registry.create(
    machineConfigs,
    { metadata, spec: { config: { ignition: { version: '9.9.0' } } } },
    { manager: 'kubectl' },
  );
  const render = await cluster.until(() => cluster.condition('RenderDegraded').status === 'True');
  const degraded = await cluster.until(() => cluster.condition('Degraded').status === 'True');

  expect(render).toBeCloseTo(5, 1);
  expect(degraded).toBeCloseTo(10, 0);
  expect(cluster.condition('RenderDegraded').message).toMatch(
    /^Failed to render configuration for pool worker: parsing Ignition config failed: unknown version/,
  );
  expect(cluster.condition('Degraded').message).toBe('');
  expect(cluster.condition('Updated').status).toBe('True');
  cluster.registry.delete(machineConfigs, { name: '99-bad', namespace: '' }, { manager: 'kubectl' });
  await cluster.until(() => cluster.condition('Degraded').status === 'False');
});

test('a node whose target was deleted says which rendered configuration is missing', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.clock.advance(6_000);
  const name = cluster.pool().spec.configuration?.name ?? '';

  cluster.registry.delete(machineConfigs, { name, namespace: '' }, { manager: 'kubectl' });
  await cluster.until(() => cluster.condition('Degraded').status === 'True');

  expect(cluster.condition('Degraded').message).toContain(
    `machineconfig.machineconfiguration.openshift.io \\"${name}\\" not found`,
  );
});

test('a deleted custom pool takes its rendered configurations with it', async () => {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker' });
  const { spec } = cluster.builder.addPool({ name: 'infra' });
  const rendered = spec.configuration?.name ?? '';
  const before = cluster.registry.get(machineConfigs, rendered);

  cluster.registry.delete(machineConfigPools, { name: 'infra', namespace: '' }, { manager: 'argocd-controller' });
  await cluster.clock.advance(1_000);

  expect(before).toBeDefined();
  expect(cluster.registry.get(machineConfigs, rendered)).toBeUndefined();
});
