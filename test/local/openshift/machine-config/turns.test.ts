import { expect, test } from 'vitest';
import type { MachineConfigPool, Node } from '../../../../local/openshift/api-server/cluster-objects.ts';
import { valueAt } from '../../../../local/openshift/api-server/json.ts';
import {
  clusterOperators,
  clusterVersions,
  machineConfigNodes,
  nodes,
} from '../../../../local/openshift/api-server/resource-types.ts';
import { annotate, annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { quietWorkers, type VirtualCluster } from '../virtual-cluster.ts';

const person = { manager: 'kubectl' };

function changeNode(cluster: VirtualCluster, name: string, change: (node: Node) => void): void {
  cluster.registry.modify(nodes, { name, namespace: '' }, change, person);
}

function letGo(cluster: VirtualCluster, name: string, pool = 'worker'): string {
  const desiredConfig = cluster.pool(pool).spec.configuration?.name ?? '';
  changeNode(cluster, name, (node) => annotate(node, { desiredConfig }));
  return desiredConfig;
}

function label(cluster: VirtualCluster, name: string, key: string): void {
  changeNode(cluster, name, ({ metadata }) => Object.assign(metadata, { labels: { ...metadata.labels, [key]: '' } }));
}

const isDone = (cluster: VirtualCluster, name: string, config: string) => () =>
  annotationOf(cluster.node(name), 'currentConfig') === config && annotationOf(cluster.node(name), 'state') === 'Done';

const reasonsOf = (cluster: VirtualCluster, name: string) => cluster.eventsOf(name).map(({ reason }) => reason);

/** Workers with a change that waits behind a pause. */
async function pausedWithChange(count: number): Promise<VirtualCluster> {
  const cluster = await quietWorkers(count, 1);
  cluster.pause();
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.clock.advance(30_000);
  cluster.mark();
  return cluster;
}

/** A canary pool with the content of `worker`, and one node that the label has just put into it. */
async function withCanary(): Promise<VirtualCluster> {
  const cluster = await quietWorkers(3, 1);
  cluster.builder.addPool({
    name: 'canary',
    renders: 'workers',
    nodeSelector: { matchExpressions: [{ key: 'isCanary', operator: 'Exists' }] },
  });
  await cluster.clock.advance(30_000);
  cluster.mark();
  return cluster;
}

test('a node that is let go by hand in a paused pool is cordoned, drained, updated and uncordoned, and no other moves', async () => {
  const cluster = await pausedWithChange(3);
  const steps: string[] = [];
  cluster.registry.subscribe(({ type, object, previous }) => {
    if (type !== nodes) return;
    const { unschedulable } = (object as Node).spec;
    if (unschedulable !== (previous as Node | undefined)?.spec.unschedulable)
      steps.push(unschedulable ? 'cordoned' : 'uncordoned');
  });

  const config = letGo(cluster, 'worker-1');
  await cluster.until(isDone(cluster, 'worker-1', config));
  const countedAtOnce = cluster.pool().status?.updatedMachineCount;
  await cluster.clock.advance(60_000);

  expect(steps).toEqual(['cordoned', 'uncordoned']);
  expect(countedAtOnce).toBe(0);
  expect(cluster.pool().status).toMatchObject({ updatedMachineCount: 1, unavailableMachineCount: 0 });
  expect(annotationOf(cluster.node('worker-1'), 'desiredConfig')).toBe(config);
  expect(cluster.inFlight()).toEqual([]);
  expect(annotationOf(cluster.node('worker-0'), 'currentConfig')).not.toBe(config);
});

test('a paused pool whose last node was let go by hand is Updated, with the new configuration in its status', async () => {
  const cluster = await pausedWithChange(2);

  const config = letGo(cluster, 'worker-0');
  await cluster.until(isDone(cluster, 'worker-0', config));
  await cluster.clock.advance(10_000);
  const before = cluster.condition('Updated').status;
  letGo(cluster, 'worker-1');
  await cluster.until(isDone(cluster, 'worker-1', config));
  await cluster.clock.advance(10_000);

  expect(before).toBe('False');
  expect(cluster.pool().spec.paused).toBe(true);
  expect(cluster.condition('Updated').status).toBe('True');
  expect(cluster.pool().status?.configuration?.name).toBe(config);
});

test('nodes let go by hand are not limited by maxUnavailable', async () => {
  const cluster = await pausedWithChange(3);

  for (const name of ['worker-0', 'worker-1', 'worker-2']) letGo(cluster, name);
  await cluster.clock.advance(8_000);

  expect(cluster.inFlight()).toHaveLength(3);
});

test('a node that a person had cordoned is schedulable after its update', async () => {
  const cluster = await pausedWithChange(2);
  changeNode(cluster, 'worker-0', ({ spec }) => Object.assign(spec, { unschedulable: true }));

  const config = letGo(cluster, 'worker-0');
  await cluster.until(isDone(cluster, 'worker-0', config));

  expect(cluster.node('worker-0').spec.unschedulable).toBeUndefined();
});

test('a cordoned node and one that is not ready are no candidates of their pool', async () => {
  const cluster = await quietWorkers(4, 3);
  cluster.pause();
  changeNode(cluster, 'worker-0', ({ spec }) => Object.assign(spec, { unschedulable: true }));
  cluster.kubelets.loseContact('worker-1');
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.clock.advance(30_000);

  cluster.pause(false);
  await cluster.clock.advance(240_000);

  const { name = '' } = cluster.pool().spec.configuration ?? {};
  const desired = (node: string) => annotationOf(cluster.node(node), 'desiredConfig') === name;
  expect(['worker-0', 'worker-1', 'worker-2', 'worker-3'].map(desired)).toEqual([false, false, true, true]);
});

test('a node that changes to a pool with equal content is Working, then Done, without drain and reboot', async () => {
  const cluster = await withCanary();
  const states: string[] = [];
  cluster.registry.subscribe(({ type, object }) => {
    if (type === nodes && object.metadata.name === 'worker-0') states.push(annotationOf(object as Node, 'state'));
  });
  const { bootID } = cluster.node('worker-0').status?.nodeInfo ?? {};

  label(cluster, 'worker-0', 'isCanary');
  const targeted = await cluster.until(() => cluster.inFlight().length > 0);
  const config = cluster.pool('canary').spec.configuration?.name ?? '';
  await cluster.until(isDone(cluster, 'worker-0', config));
  await cluster.clock.advance(20_000);

  expect(targeted).toBeGreaterThanOrEqual(5);
  expect(targeted).toBeLessThan(5.6);
  expect(config.slice(-32)).toBe(cluster.pool().spec.configuration?.name?.slice(-32));
  expect([...new Set(states)]).toEqual(['Done', 'Working']);
  expect(cluster.node('worker-0').status?.nodeInfo?.['bootID']).toBe(bootID);
  expect(reasonsOf(cluster, 'worker-0')).toContain('SkipReboot');
  expect(reasonsOf(cluster, 'worker-0')).not.toContain('Drain');
  expect(annotationOf(cluster.node('worker-0'), 'lastAppliedDrain')).toBe(`uncordon-${config}`);
  expect([cluster.pool(), cluster.pool('canary')].map(({ status }) => status?.machineCount)).toEqual([2, 1]);
  expect(cluster.registry.get(machineConfigNodes, 'worker-0')?.spec.pool.name).toBe('canary');
});

test('a node that changes to a pool with other content is drained and rebooted', async () => {
  const cluster = await quietWorkers(2, 1);
  cluster.builder.addPool({ name: 'infra' });
  await cluster.clock.advance(30_000);

  label(cluster, 'worker-0', 'node-role.kubernetes.io/infra');
  const config = cluster.pool('infra').spec.configuration?.name ?? '';
  await cluster.until(isDone(cluster, 'worker-0', config));

  expect(reasonsOf(cluster, 'worker-0')).toEqual(expect.arrayContaining(['Drain', 'Reboot']));
});

test('a node in two custom pools is in none, its updates fail, and the operator stops its sync until it has left one', async () => {
  const cluster = await withCanary();
  cluster.builder.addPool({ name: 'infra' });
  await cluster.clock.advance(30_000);
  const degraded = () => {
    const conditions = valueAt(cluster.registry.get(clusterOperators, 'machine-config'), ['status', 'conditions']);
    return (conditions as { type: string; status: string; message?: string }[]).find(({ type }) => type === 'Degraded');
  };

  changeNode(cluster, 'worker-0', ({ metadata }) =>
    Object.assign(metadata, { labels: { ...metadata.labels, isCanary: '', 'node-role.kubernetes.io/infra': '' } }),
  );
  await cluster.clock.advance(30_000);
  const counts = ['worker', 'canary', 'infra'].map((name) => cluster.pool(name).status?.machineCount);
  const stopped = degraded();
  cluster.patchPool(({ spec }) => Object.assign(spec, { nodeSelector: { matchLabels: { other: '' } } }));
  letGo(cluster, 'worker-0', 'infra');
  await cluster.clock.advance(30_000);
  const { nodeSelector } = cluster.pool().spec;
  const failing = annotationOf(cluster.node('worker-0'), 'reason');
  changeNode(cluster, 'worker-0', ({ metadata }) => void delete metadata.labels?.['isCanary']);
  await cluster.until(isDone(cluster, 'worker-0', cluster.pool('infra').spec.configuration?.name ?? ''));

  const why = 'node worker-0 belongs to 2 custom roles, cannot proceed with this Node';
  expect(counts[0]).toBe(2);
  expect(counts.slice(1)).toEqual([0, 0]);
  expect(stopped).toMatchObject({ status: 'True', message: `Failed to resync 4.21.0 because: ${why}` });
  expect(nodeSelector).toEqual({ matchLabels: { other: '' } });
  expect(failing).toBe(why);
  expect(degraded()).toMatchObject({ status: 'False' });
  expect(cluster.pool().spec.nodeSelector).toEqual({ matchLabels: { 'node-role.kubernetes.io/worker': '' } });
});

test.each([
  ['4.21.0', 'puts back'],
  ['4.22.0', 'keeps'],
  ['5.0.0', 'keeps'],
])('the operator of %s %s what a person writes into the selector of worker', async (version, does) => {
  const cluster = await quietWorkers(2, 1);
  cluster.registry.modify(
    clusterVersions,
    { name: 'version', namespace: '' },
    ({ status }) => Object.assign(status ?? {}, { desired: { version } }),
    { ...person, subresource: 'status' },
  );
  const theirs: MachineConfigPool['spec']['nodeSelector'] = {
    matchLabels: { 'node-role.kubernetes.io/worker': '' },
    matchExpressions: [{ key: 'mine', operator: 'DoesNotExist' }],
  };

  cluster.patchPool(({ spec }) => Object.assign(spec, { nodeSelector: theirs }));
  await cluster.clock.advance(30_000);

  const own = { matchLabels: { 'node-role.kubernetes.io/worker': '' } };
  expect(cluster.pool().spec.nodeSelector).toEqual(does === 'keeps' ? theirs : own);
});

test('a node whose target moves in mid-update boots into the old one, then goes to the new one without being uncordoned', async () => {
  const cluster = await pausedWithChange(2);
  const boots: string[] = [];
  const cordons: boolean[] = [];
  cluster.registry.subscribe(({ type, object, previous }) => {
    if (type !== nodes || object.metadata.name !== 'worker-0') return;
    const [node, before] = [object as Node, previous as Node];
    if (node.status?.nodeInfo?.['bootID'] !== before.status?.nodeInfo?.['bootID'])
      boots.push(annotationOf(node, 'desiredConfig'));
    if (node.spec.unschedulable !== before.spec.unschedulable) cordons.push(node.spec.unschedulable ?? false);
  });

  const first = letGo(cluster, 'worker-0');
  await cluster.until(() => annotationOf(cluster.node('worker-0'), 'postConfigAction') === 'Rebooting');
  cluster.builder.applyMachineConfig('99-other', 'worker', { '/etc/other': 'b' });
  await cluster.until(() => cluster.pool().spec.configuration?.name !== first);
  const second = letGo(cluster, 'worker-0');
  await cluster.until(isDone(cluster, 'worker-0', second));

  expect(boots).toHaveLength(2);
  expect(cordons).toEqual([true, false]);
});

test('a machine that joins while nodes are let go one by one comes up with the new configuration', async () => {
  const cluster = await pausedWithChange(2);
  const [before] = cluster.builder.addNodes({ pool: 'worker', names: ['joins-before'] });
  const config = letGo(cluster, 'worker-0');
  await cluster.until(isDone(cluster, 'worker-0', config));
  await cluster.clock.advance(10_000);

  const [after] = cluster.builder.addNodes({ pool: 'worker', names: ['joins-after'] });

  expect(annotationOf(before as Node, 'currentConfig')).not.toBe(config);
  expect(annotationOf(after as Node, 'currentConfig')).toBe(config);
});
