import { describe, expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { type PoolObserverOptions, startPoolObserver } from './harness/pool-observer.ts';
import { annotation } from './harness/pool-rules.ts';
import { until } from './harness/until.ts';

const { kube, controlPlane, create } = useLab();

async function observe(options: PoolObserverOptions = {}): Promise<void> {
  const observer = await startPoolObserver(controlPlane, options);
  onTestFinished(observer.stop);
}

function readPool(name: string): Promise<KubeObject> {
  return kube.get(`${paths.pools}/${name}`);
}

function condition(of: KubeObject, type: string): { status: string; message: string; reason: string } | undefined {
  return of.status?.conditions?.find((one: { type: string }) => one.type === type);
}

function untilPool(name: string, holds: (pool: KubeObject) => boolean, what: string): Promise<KubeObject> {
  return until(async () => [await readPool(name)].find(holds), 60_000, `${name} ${what}`);
}

/** Right after a new configuration the conditions still describe the old one, here as on a real cluster. */
function isUpdated(one: KubeObject): boolean {
  return condition(one, 'Updated')?.status === 'True' && one.status.configuration.name === one.spec.configuration.name;
}

/** A pool with nodes that have its first configuration; its MachineConfigs have the role of its name. */
async function settledPool(
  name: string,
  nodes: number,
  options: { maxUnavailable?: number } = {},
): Promise<KubeObject> {
  await create(pool({ name, roles: [name], ...options }));
  for (let number = 1; number <= nodes; number += 1) await create(node(`${name}-${number}`, 'worker', name));
  return untilPool(name, (one) => isUpdated(one) && one.status.machineCount === nodes, 'to be settled');
}

async function configOf(name: string): Promise<{ current: string | undefined; desired: string | undefined }> {
  const { annotations = {} } = (await kube.get(`${paths.nodes}/${name}`)).metadata;
  return { current: annotations[annotation.current], desired: annotations[annotation.desired] };
}

describe('the stand-in for the Machine Config Operator', () => {
  test('observes every new generation of a pool', async () => {
    await observe();
    await settledPool('observed', 0);

    const patched = await kube.patch(`${paths.pools}/observed`, { spec: { paused: true } });
    const generation = patched.metadata.generation ?? 0;
    const observed = await untilPool(
      'observed',
      (one) => one.status.observedGeneration >= generation,
      'to be observed',
    );

    expect(observed.status.observedGeneration).toBe(generation);
  });

  test('renders the MachineConfigs a pool selects and rolls its nodes to the result', async () => {
    await observe();
    const before = await settledPool('rolled', 2);

    await create(machineConfig('99-rolled', 'rolled'));
    const after = await untilPool(
      'rolled',
      (one) => isUpdated(one) && one.spec.configuration.source.length === 1,
      'to be rolled',
    );

    const { name, source } = after.spec.configuration;
    expect(name).toMatch(/^rendered-rolled-[0-9a-f]{32}$/);
    expect(name).not.toBe(before.spec.configuration.name);
    expect(source).toEqual([
      { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: '99-rolled' },
    ]);
    expect(await kube.find(`${paths.machineConfigs}/${name}`)).toBeDefined();
    expect(await configOf('rolled-2')).toEqual({ current: name, desired: name });
    expect(after.status).toMatchObject({
      machineCount: 2,
      updatedMachineCount: 2,
      readyMachineCount: 2,
      unavailableMachineCount: 0,
    });
    expect(after.status.configuration.name).toBe(name);
    expect(condition(after, 'Updated')?.message).toBe(`All nodes are updated with MachineConfig ${name}`);
  });

  test('renders for a paused pool, targets none of its nodes, and goes on when the pause ends', async () => {
    await observe();
    const before = await settledPool('paused', 1);
    const old = before.spec.configuration.name;
    await kube.patch(`${paths.pools}/paused`, { spec: { paused: true } });

    await create(machineConfig('99-paused', 'paused'));
    const held = await untilPool(
      'paused',
      (one) => condition(one, 'Updated')?.status === 'False',
      'to have a change pending',
    );
    const heldNode = await configOf('paused-1');
    await kube.patch(`${paths.pools}/paused`, { spec: { paused: null } });
    const rolled = await untilPool('paused', isUpdated, 'to be rolled');

    const { name } = held.spec.configuration;
    expect(held.status.configuration.name).toBe(old);
    expect(held.status).toMatchObject({ updatedMachineCount: 0, readyMachineCount: 0, unavailableMachineCount: 0 });
    expect(condition(held, 'Updated')).toMatchObject({ message: '' });
    expect(condition(held, 'Updating')).toMatchObject({
      status: 'False',
      message: `Pool is paused; will not update to MachineConfig ${name}`,
    });
    expect(heldNode).toEqual({ current: old, desired: old });
    expect(rolled.status.configuration.name).toBe(name);
  });

  test('gives the configuration to no more nodes than maxUnavailable, and lets those in flight go on under a pause', async () => {
    let open = false;
    await observe({ outcome: () => (open ? 'done' : 'stuck') });
    await settledPool('limited', 3, { maxUnavailable: 2 });

    await create(machineConfig('99-limited', 'limited'));
    const rolling = await untilPool('limited', (one) => one.status.unavailableMachineCount === 2, 'to roll two nodes');
    const paused = await kube.patch(`${paths.pools}/limited`, { spec: { paused: true } });
    await untilPool(
      'limited',
      (one) => one.status.observedGeneration >= (paused.metadata.generation ?? 0),
      'to be observed',
    );
    open = true;
    const held = await untilPool('limited', (one) => one.status.updatedMachineCount === 2, 'to end what was in flight');

    expect(condition(rolling, 'Updating')).toMatchObject({ status: 'True' });
    expect(held.status).toMatchObject({ machineCount: 3, updatedMachineCount: 2, unavailableMachineCount: 0 });
    expect((await configOf('limited-3')).desired).not.toBe(held.spec.configuration.name);
  });

  test('reports a node whose update failed in the words of the real controller', async () => {
    await observe({ outcome: () => ({ degraded: 'disk "full"' }) });
    await settledPool('broken', 2);

    await create(machineConfig('99-broken', 'broken'));
    const degraded = await untilPool(
      'broken',
      (one) => condition(one, 'Degraded')?.status === 'True',
      'to be degraded',
    );

    const message = 'Node broken-1 is reporting: "disk \\"full\\""';
    expect(degraded.status).toMatchObject({
      degradedMachineCount: 1,
      unavailableMachineCount: 0,
      updatedMachineCount: 0,
    });
    expect(condition(degraded, 'NodeDegraded')).toMatchObject({
      reason: '1 nodes are reporting degraded status on sync',
      message,
    });
    expect(condition(degraded, 'Degraded')).toMatchObject({ reason: '', message });
    expect((await configOf('broken-2')).desired).not.toBe(degraded.spec.configuration.name);
  });

  test('leaves what others write alone, however often they do', async () => {
    await observe();
    await settledPool('busy', 1);

    for (let number = 1; number <= 50; number += 1) {
      await kube.patch(`${paths.pools}/busy`, {
        spec: { paused: number % 2 === 1 },
        metadata: { annotations: { note: String(number) } },
      });
      if (number % 10 === 0) await create(machineConfig(`99-busy-${number}`, 'busy'));
    }
    const settled = await untilPool(
      'busy',
      (one) => isUpdated(one) && one.spec.configuration.source.length === 5,
      'to settle',
    );

    expect(settled.metadata.annotations?.['note']).toBe('50');
    expect(settled.spec.paused).toBe(false);
  });
});
