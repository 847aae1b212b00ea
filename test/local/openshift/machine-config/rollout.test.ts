import { expect, test } from 'vitest';
import { machineConfigNodes, nodes } from '../../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { quietWorkers, virtualCluster } from '../virtual-cluster.ts';

const chrony = { '/etc/chrony.conf': 'server time.example' };

test('a change of five workers, two at a time, goes as it was measured', async () => {
  const cluster = await quietWorkers(5, 2);
  const before = cluster.pool();
  const at = new Map<string, number>();
  const first = (name: string, holds: boolean) => {
    if (holds && !at.has(name)) at.set(name, cluster.seconds());
  };
  const target = () => cluster.pool().spec.configuration?.name ?? '';
  let atOnce = 0;
  cluster.registry.subscribe(() => {
    const node = cluster.node('worker-0');
    first('rendered', target() !== before.spec.configuration?.name);
    first(
      'tainted',
      cluster.registry.list(nodes).every(({ spec }) => spec.taints?.[0]?.key === 'UpdateInProgress'),
    );
    first('targeted', annotationOf(node, 'desiredConfig') === target() && at.has('rendered'));
    first('second targeted', cluster.inFlight().length === 2);
    first(
      'working',
      annotationOf(node, 'state') === 'Working' && annotationOf(node, 'desiredDrain') === `drain-${target()}`,
    );
    first('updating', cluster.condition('Updating').status === 'True');
    first('cordoned', node.spec.unschedulable === true);
    first('drained', annotationOf(node, 'lastAppliedDrain') === `drain-${target()}`);
    first('rebooting', annotationOf(node, 'postConfigAction') === 'Rebooting');
    first(
      'back',
      at.has('rebooting') &&
        node.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' &&
        annotationOf(node, 'postConfigAction') === '',
    );
    first('uncordoned', annotationOf(node, 'lastAppliedDrain') === `uncordon-${target()}` && at.has('drained'));
    first(
      'done',
      at.has('back') && annotationOf(node, 'state') === 'Done' && annotationOf(node, 'currentConfig') === target(),
    );
    atOnce = Math.max(atOnce, cluster.inFlight().length);
  });

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  const updatedAt = await cluster.until(() => at.has('done') && cluster.condition('Updated').status === 'True');

  const measured = {
    rendered: 5.1,
    tainted: 10.1,
    targeted: 10.5,
    'second targeted': 10.9,
    working: 10.5,
    updating: 10.9,
    cordoned: 15.5,
    drained: 15.5,
    rebooting: 23,
    back: 32,
    uncordoned: 36.6,
    done: 41.6,
  };
  for (const [name, seconds] of Object.entries(measured))
    expect(Math.abs((at.get(name) ?? 0) - seconds), name).toBeLessThan(0.6);
  expect(updatedAt).toBeGreaterThan(100);
  expect(updatedAt).toBeLessThan(120);
  expect(atOnce).toBe(2);
});

test('the status moves only when every node has the configuration', async () => {
  const cluster = await quietWorkers(3, 1);
  const old = cluster.pool().status?.configuration?.name;

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  await cluster.until(() => cluster.condition('Updating').status === 'True');
  const underWay = cluster.pool();
  await cluster.until(() => cluster.condition('Updated').status === 'True');
  const done = cluster.pool();

  expect(underWay.status?.configuration?.name).toBe(old);
  expect(underWay.spec.configuration?.name).not.toBe(old);
  expect(underWay.status?.conditions?.find(({ type }) => type === 'Updated')).toMatchObject({
    status: 'False',
    message: '',
  });
  expect(done.status?.configuration?.name).toBe(done.spec.configuration?.name);
  expect(done.status?.configuration?.source?.map(({ name }) => name)).toEqual(['00-worker', '99-chrony']);
  expect(cluster.condition('Updated').message).toBe(
    `All nodes are updated with MachineConfig ${done.spec.configuration?.name}`,
  );
  expect(done.status).toMatchObject({
    machineCount: 3,
    updatedMachineCount: 3,
    readyMachineCount: 3,
    unavailableMachineCount: 0,
    degradedMachineCount: 0,
  });
  expect(cluster.registry.list(nodes).flatMap(({ spec }) => spec.taints ?? [])).toEqual([]);
});

test('a node tells each step of its update on its MachineConfigNode and by events', async () => {
  const cluster = await quietWorkers(1, 1);

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  await cluster.until(() => annotationOf(cluster.node('worker-0'), 'postConfigAction') === 'Rebooting');
  const rebooting = cluster.registry.get(machineConfigNodes, 'worker-0');
  await cluster.until(() => cluster.condition('Updated').status === 'True');
  const done = cluster.registry.get(machineConfigNodes, 'worker-0');

  const target = cluster.pool().spec.configuration?.name ?? '';
  const steps = (node: typeof done) =>
    Object.fromEntries(
      (node?.status?.conditions ?? []).map(({ type, status, message }) => [type, `${status} ${message}`]),
    );
  expect(steps(rebooting)).toMatchObject({
    UpdatePrepared: 'True Update Compatible. Post Cfg Actions: [] Drain Required: true',
    Cordoned: 'True Cordoned node. The node is reporting Unschedulable = true',
    Drained: `True Drained node. The drain is complete as the desired drainer matches current drainer: drain-${target}`,
    RebootedNode: 'Unknown Upgrade requires a reboot.',
    Updated: 'False This node is not updated, sensed disruption via a manual update.',
    Uncordoned: 'False This node has not yet entered the Uncordoned phase',
  });
  expect(steps(done)).toMatchObject({
    Updated: 'True Node worker-0 Updated',
    Drained: `False Action during update to ${target}: Drained node. The drain is complete as the desired drainer matches current drainer: drain-${target}`,
  });
  expect(done?.status?.configVersion).toEqual({ current: target, desired: target });
  expect(cluster.eventsOf('worker-0').map(({ reason }) => reason)).toEqual([
    'Cordon',
    'Drain',
    'PendingConfig',
    'Reboot',
    'NodeDone',
    'Uncordon',
  ]);
  expect(cluster.eventsOf('worker').map(({ reason }) => reason)).toEqual([
    'RenderedConfigGenerated',
    'SetDesiredConfig',
    'Completed',
  ]);
});

test('a custom pool renders the changes for all workers and its own, and takes its nodes from worker', async () => {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker' });
  cluster.builder.addPool({ name: 'infra' });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-0'] });
  cluster.builder.addNodes({ pool: 'infra', names: ['infra-0'] });
  await cluster.clock.advance(60_000);

  cluster.builder.applyMachineConfig('50-all', 'worker', chrony);
  cluster.builder.applyMachineConfig('10-infra', 'infra', { '/etc/infra': 'x' });
  await cluster.until(
    () =>
      ['worker', 'infra'].every(
        (name) => cluster.condition('Updated', name).status === 'True' && cluster.inFlight().length === 0,
      ) && cluster.pool('infra').status?.configuration?.source?.length === 4,
  );

  const sources = (name: string) => cluster.pool(name).status?.configuration?.source?.map((source) => source.name);
  expect(sources('worker')).toEqual(['00-worker', '50-all']);
  expect(sources('infra')).toEqual(['00-worker', '50-all', '00-infra', '10-infra']);
  expect([cluster.pool('worker'), cluster.pool('infra')].map(({ status }) => status?.machineCount)).toEqual([1, 1]);
});

test.each([
  ['a number', 3, 3],
  ['a percentage, rounded down', '50%', 2],
  ['a percentage below one node, which is one', '10%', 1],
])('maxUnavailable as %s is what goes at once', async (_, maxUnavailable, expected) => {
  const cluster = await quietWorkers(5, maxUnavailable);

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  await cluster.clock.advance(14_000);

  expect(cluster.inFlight()).toHaveLength(expected);
});

test('zones go one after the other, nodes without a zone last', async () => {
  const cluster = virtualCluster();
  cluster.builder.addPool({ name: 'worker' });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-a'] });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-b'], labels: { 'topology.kubernetes.io/zone': 'z2' } });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-c'], labels: { 'topology.kubernetes.io/zone': 'z1' } });
  await cluster.clock.advance(60_000);
  const order: string[] = [];
  cluster.registry.subscribe(() => {
    for (const name of cluster.inFlight()) if (!order.includes(name)) order.push(name);
  });

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  await cluster.until(() => order.length === 3);

  expect(order).toEqual(['worker-c', 'worker-b', 'worker-a']);
});

test('a cordoned node uses up the budget and nothing is degraded', async () => {
  const cluster = await quietWorkers(3, 1);
  cluster.registry.modify(
    nodes,
    { name: 'worker-1', namespace: '' },
    ({ spec }) => Object.assign(spec, { unschedulable: true }),
    { manager: 'kubectl' },
  );
  await cluster.clock.advance(10_000);
  const cordoned = cluster.pool().status;

  cluster.builder.applyMachineConfig('99-chrony', 'worker', chrony);
  await cluster.clock.advance(120_000);

  expect(cordoned).toMatchObject({ updatedMachineCount: 3, readyMachineCount: 2, unavailableMachineCount: 1 });
  expect(cluster.inFlight()).toEqual([]);
  expect(cluster.condition('Updating').status).toBe('True');
  expect(cluster.condition('Degraded').status).toBe('False');
});
