import { expect, test } from 'vitest';
import { machineConfigs, nodes } from '../../../../local/openshift/api-server/resource-types.ts';
import { quietWorkers, type VirtualCluster } from '../virtual-cluster.ts';

function change(cluster: VirtualCluster, content = 'a'): void {
  cluster.builder.applyMachineConfig(`99-${content}`, 'worker', { '/etc/chrony.conf': content });
}

const isTargeted = (cluster: VirtualCluster) => cluster.inFlight().length > 0;

test('on a quiet pool the first node is targeted 10.5 s after the change', async () => {
  const cluster = await quietWorkers(5, 2);

  change(cluster);
  const seconds = await cluster.until(() => isTargeted(cluster));

  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThan(10.6);
});

test.each([0.5, 4, 9, 9.5])('a pause %s s after the change keeps every node from being targeted', async (seconds) => {
  const cluster = await quietWorkers(5, 2);

  change(cluster);
  await cluster.clock.advance(seconds * 1000);
  cluster.pause();
  await cluster.clock.advance(120_000);

  expect(cluster.inFlight()).toEqual([]);
  expect(cluster.pool().spec.configuration?.name).not.toBe(cluster.pool().status?.configuration?.name);
});

test('earlier events shorten the time: another change 4.85 s and a node label 4.65 s before leave 0.77 s', async () => {
  const cluster = await quietWorkers(5, 2);

  change(cluster, 'first');
  await cluster.clock.advance(200);
  cluster.registry.modify(
    nodes,
    { name: 'worker-0', namespace: '' },
    ({ metadata }) => Object.assign(metadata, { labels: { ...metadata.labels, a: 'b' } }),
    { manager: 'kubectl' },
  );
  await cluster.clock.advance(4650);
  cluster.mark();
  change(cluster, 'second');
  const seconds = await cluster.until(() => isTargeted(cluster));

  expect(seconds).toBeGreaterThan(0.7);
  expect(seconds).toBeLessThan(0.85);
  expect(cluster.pool().spec.configuration?.source?.map(({ name }) => name)).toContain('99-second');
});

test.each([0.1, 1, 2, 4])('a change %s s after a rollout settled has less than the full time', async (seconds) => {
  const cluster = await quietWorkers(5, 2);
  change(cluster, 'first');
  await cluster.until(
    () => cluster.condition('Updated').status === 'True' && cluster.pool().status?.configuration?.source?.length === 2,
  );

  await cluster.clock.advance(seconds * 1000);
  cluster.mark();
  change(cluster, 'second');
  const taken = await cluster.until(() => isTargeted(cluster));

  expect(taken).toBeCloseTo(10.5 - seconds, 1);
});

test('a pause that comes while a node sync runs is too late for all that it may target', async () => {
  const cluster = await quietWorkers(5, 5);

  change(cluster);
  await cluster.clock.advance(10_150);
  const paused = cluster.pause();
  const noneYet = cluster.inFlight();
  await cluster.clock.advance(5_000);

  expect(noneYet).toEqual([]);
  expect(paused.spec.paused).toBe(true);
  expect(cluster.inFlight()).toHaveLength(5);
});

test('in a pool of 40 the nodes are targeted 14.4 to 15.2 s after the pause was accepted, and it is observed 21.6 s after', async () => {
  const cluster = await quietWorkers(40, 3);
  change(cluster);
  await cluster.clock.advance(10_110);
  cluster.mark();

  const { metadata } = cluster.pause();
  const first = await cluster.until(() => cluster.inFlight().length === 1);
  const third = await cluster.until(() => cluster.inFlight().length === 3);
  const observed = await cluster.until(
    () => (cluster.pool().status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
  );
  await cluster.clock.advance(60_000);

  expect(first).toBeCloseTo(14.4, 1);
  expect(third).toBeCloseTo(15.2, 1);
  expect(observed).toBeGreaterThan(21);
  expect(observed).toBeLessThan(22);
  expect(
    cluster.registry
      .list(nodes)
      .filter(
        (node) =>
          node.metadata.annotations?.['machineconfiguration.openshift.io/desiredConfig'] ===
          cluster.pool().spec.configuration?.name,
      ),
  ).toHaveLength(3);
});

test('after the pause is observed no further node is targeted, and those that were go through', async () => {
  const cluster = await quietWorkers(6, 2);
  change(cluster);
  await cluster.until(() => cluster.inFlight().length === 1);

  const { metadata } = cluster.pause();
  await cluster.until(() => (cluster.pool().status?.observedGeneration ?? 0) >= (metadata.generation ?? 0));
  const targeted = cluster.inFlight();
  await cluster.clock.advance(120_000);

  expect(targeted).toHaveLength(2);
  expect(cluster.inFlight()).toEqual([]);
  expect(cluster.pool().status?.updatedMachineCount).toBe(2);
  const tainted = cluster.registry
    .list(nodes)
    .filter(({ spec }) => spec.taints?.some(({ key }) => key === 'UpdateInProgress'));
  expect(tainted).toHaveLength(6);
});

test('a pause on an idle pool is observed within 5 s', async () => {
  const cluster = await quietWorkers(3, 1);

  const { metadata } = cluster.pause();
  const seconds = await cluster.until(() => cluster.pool().status?.observedGeneration === metadata.generation);

  expect(seconds).toBeLessThanOrEqual(5.1);
  expect(cluster.condition('Updated').status).toBe('True');
});

test('a paused pool with a change pending says that it will not update and counts no node as updated', async () => {
  const cluster = await quietWorkers(3, 1);
  cluster.pause();
  await cluster.clock.advance(10_000);
  const before = cluster.condition('Updating');

  change(cluster);
  await cluster.clock.advance(15_000);

  const { name } = cluster.pool().spec.configuration ?? {};
  expect(cluster.condition('Updated')).toMatchObject({ status: 'False', message: '' });
  expect(cluster.condition('Updating')).toMatchObject({
    status: 'False',
    message: `Pool is paused; will not update to MachineConfig ${name}`,
  });
  expect(cluster.condition('Updating').lastTransitionTime).toBe(before.lastTransitionTime);
  expect(cluster.pool().status).toMatchObject({
    machineCount: 3,
    updatedMachineCount: 0,
    readyMachineCount: 0,
    unavailableMachineCount: 0,
  });
  expect(
    cluster
      .pool()
      .status?.conditions?.map(({ type }) => type)
      .sort(),
  ).toEqual(['Degraded', 'NodeDegraded', 'RenderDegraded', 'Updated', 'Updating']);
});

test('after a resume the taints come at 5.0 s and the first node at 5.4 s', async () => {
  const cluster = await quietWorkers(5, 2);
  cluster.pause();
  change(cluster);
  await cluster.clock.advance(60_000);
  cluster.mark();

  cluster.pause(false);
  const tainted = await cluster.until(() =>
    cluster.registry.list(nodes).every(({ spec }) => spec.taints !== undefined),
  );
  const targeted = await cluster.until(() => isTargeted(cluster));

  expect(tainted).toBeCloseTo(5, 1);
  expect(targeted).toBeCloseTo(5.4, 1);
});

test('several changes behind one pause go out as one rollout', async () => {
  const cluster = await quietWorkers(1, 1);
  cluster.pause();
  for (const content of ['a', 'b', 'c']) {
    change(cluster, content);
    await cluster.clock.advance(20_000);
  }
  let reboots = 0;
  cluster.registry.subscribe(({ object, previous }) => {
    const rebooting = (each: typeof object | undefined) =>
      each?.metadata.annotations?.['machineconfiguration.openshift.io/post-config-action'] === 'Rebooting';
    if (rebooting(object) && !rebooting(previous)) reboots += 1;
  });

  cluster.pause(false);
  await cluster.until(() => cluster.condition('Updated').status === 'True');

  expect(reboots).toBe(1);
  expect(cluster.pool().status?.configuration?.source).toHaveLength(4);
});

test('a change taken back behind a pause leaves nothing to roll out', async () => {
  const cluster = await quietWorkers(2, 1);
  const before = cluster.pool().spec.configuration?.name;
  cluster.pause();
  change(cluster);
  await cluster.clock.advance(20_000);
  const pending = cluster.pool().spec.configuration?.name;

  cluster.registry.delete(machineConfigs, { name: '99-a', namespace: '' }, { manager: 'kubectl' });
  await cluster.clock.advance(20_000);
  cluster.pause(false);
  await cluster.clock.advance(60_000);

  expect(pending).not.toBe(before);
  expect(cluster.pool().spec.configuration?.name).toBe(before);
  expect(cluster.condition('Updated').status).toBe('True');
  expect(cluster.inFlight()).toEqual([]);
});

test('an annotation on the pool moves no generation but wakes the controllers, which shortens the race', async () => {
  const cluster = await quietWorkers(5, 2);
  const { generation } = cluster.pool().metadata;

  const noted = cluster.patchPool(({ metadata }) => Object.assign(metadata, { annotations: { note: '1' } }));
  await cluster.clock.advance(4_800);
  cluster.mark();
  change(cluster);
  const seconds = await cluster.until(() => isTargeted(cluster));

  expect(noted.metadata.generation).toBe(generation);
  expect(seconds).toBeLessThan(6);
});
