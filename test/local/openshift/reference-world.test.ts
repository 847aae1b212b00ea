import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  events,
  machineConfigNodes,
  machineConfigPools,
  nodes,
  podDisruptionBudgets,
  pods,
} from '../../../local/openshift/api-server/resource-types.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { type ReferenceWorld, startReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { createVirtualClock, type VirtualClock } from '../../../local/openshift/virtual-clock.ts';

let clock: VirtualClock;
let world: ReferenceWorld;

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock });
  await clock.advance(60_000);
});

afterEach(() => world.openshift.stop());

const pool = () => world.openshift.registry.get(machineConfigPools, world.pool);
const condition = (type: string) => pool()?.status?.conditions?.find((each) => each.type === type)?.status;

function push(content: string): void {
  world.openshift.argocd.receivePush(
    pushPayload(world.repository.push({ message: 'Change the time server', files: world.changeOf(content) })),
  );
}

test('the world starts at rest: everything is synced, updated and running', async () => {
  const { registry, argocd } = world.openshift;
  const before = registry.revision();
  await clock.advance(30_000);

  const application = argocd.application(world.application);
  expect(application?.status).toMatchObject({ sync: { status: 'Synced' }, health: { status: 'Healthy' } });
  expect(application?.status?.operationState).toBeUndefined();
  expect(
    registry
      .list(machineConfigPools)
      .map(({ metadata, status }) => [metadata.name, status?.machineCount, status?.updatedMachineCount]),
  ).toEqual([
    ['master', 3, 3],
    ['worker', 3, 3],
  ]);
  expect(registry.list(pods).filter(({ status }) => status?.phase !== 'Running')).toEqual([]);
  expect(registry.list(pods, 'shop').map(({ spec }) => spec.nodeName)).toEqual([world.guardedNode, world.guardedNode]);
  expect(argocd.controllerPod.isAlive()).toBe(true);
  expect(registry.revision()).toBe(before);
});

test('a push rolls the workers until the guarded node cannot be drained, and says on all objects why', async () => {
  const { registry } = world.openshift;
  const drained = () =>
    registry.get(machineConfigNodes, world.guardedNode)?.status?.conditions?.find(({ type }) => type === 'Drained')
      ?.message ?? '';

  push('server time-2.example.com');
  await clock.advanceUntil(
    () =>
      drained().startsWith('Error:') && registry.list(pods, 'shop').some(({ status }) => status?.phase === 'Pending'),
    1_200_000,
  );

  const pending = registry.list(pods, 'shop').find(({ status }) => status?.phase === 'Pending');
  const message =
    "0/6 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.";
  expect(pending?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toBe(message);
  expect(registry.list(events, 'shop').find(({ reason }) => reason === 'FailedScheduling')?.message).toBe(message);
  expect(registry.get(podDisruptionBudgets, 'web', 'shop')?.status).toMatchObject({
    disruptionsAllowed: 0,
    currentHealthy: 1,
    desiredHealthy: 2,
    expectedPods: 2,
  });
  expect(drained()).toMatch(/error when evicting pods\/"web-\S+" -n "shop": global timeout reached: 1m30s/);
  expect(condition('Updating')).toBe('True');
  expect(condition('Degraded')).toBe('False');
});

test.each(['addRoom', 'relaxBudget'] as const)('%s ends the deadlock and the rollout', async (remedy) => {
  const { registry } = world.openshift;
  push('server time-2.example.com');
  await clock.advanceUntil(
    () => registry.list(pods, 'shop').some(({ status }) => status?.phase === 'Pending'),
    1_200_000,
  );

  world[remedy]();
  await clock.advanceUntil(() => condition('Updated') === 'True', 1_800_000);
  await clock.advance(10_000);

  expect(registry.list(nodes).every(({ spec }) => !spec.unschedulable)).toBe(true);
  expect(registry.list(pods, 'shop').every(({ status }) => status?.phase === 'Running')).toBe(true);
});

test('the same seed makes the same world, name by name', async () => {
  const again = await startReferenceWorld({ clock: createVirtualClock(new Date('2026-03-02T08:00:00Z')) });

  const ids = ({ openshift }: ReferenceWorld) => openshift.registry.list(nodes).map(({ metadata }) => metadata.uid);
  expect(ids(again)).toEqual(ids(world));
  await again.openshift.stop();
});
