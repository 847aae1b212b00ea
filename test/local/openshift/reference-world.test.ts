import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../local/openshift/api-server/cluster-objects.ts';
import {
  events,
  machineConfigNodes,
  machineConfigPools,
  nodes,
  podDisruptionBudgets,
  pods,
} from '../../../local/openshift/api-server/resource-types.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { application, fastNode, type ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { startReferenceWorld } from './start-reference-world.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

let clock: VirtualClock;
let world: ReferenceWorld;

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock });
  await clock.advance(60_000);
});

afterEach(() => world.openshift.stop());

const condition = (type: string) =>
  world.openshift.registry.get(machineConfigPools, 'worker')?.status?.conditions?.find((each) => each.type === type)
    ?.status;

function push(): void {
  world.openshift.argocd.receivePush(pushPayload(world.pushChange()));
}

test('the world starts at rest: everything is synced, updated and running', async () => {
  const { registry, argocd } = world.openshift;
  const before = registry.revision();
  await clock.advance(30_000);

  const synced = argocd.application(application);
  expect(synced?.status).toMatchObject({ sync: { status: 'Synced' }, health: { status: 'Healthy' } });
  expect(synced?.status?.operationState).toBeUndefined();
  expect(
    registry
      .list(machineConfigPools)
      .map(({ metadata, status }) => [metadata.name, status?.machineCount, status?.updatedMachineCount]),
  ).toEqual([
    ['master', 3, 3],
    ['worker', 3, 3],
  ]);
  expect(registry.list(pods).filter(({ status }) => status?.phase !== 'Running')).toEqual([]);
  expect(registry.list(pods, 'shop').map(({ spec }) => spec.nodeName)).toEqual([fastNode, fastNode]);
  expect(argocd.controllerPod.isAlive()).toBe(true);
  expect(registry.revision()).toBe(before);
});

test('a push rolls the workers until the guarded node cannot be drained, and says on all objects why', async () => {
  const { registry } = world.openshift;
  const drained = () =>
    registry.get(machineConfigNodes, fastNode)?.status?.conditions?.find(({ type }) => type === 'Drained')?.message ??
    '';

  push();
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
    desiredHealthy: 1,
    expectedPods: 2,
  });
  expect(drained()).toMatch(/error when evicting pods\/"web-\S+" -n "shop": global timeout reached: 1m30s/);
  expect(condition('Updating')).toBe('True');
  expect(condition('Degraded')).toBe('False');
});

/** As the runbook says it, at the price of an outage: the budget asks for nothing any more. */
function relaxBudget(): void {
  const relax = ({ spec }: PodDisruptionBudget) => Object.assign(spec, { minAvailable: 0 });
  world.openshift.registry.modify(podDisruptionBudgets, { name: 'web', namespace: 'shop' }, relax, {
    manager: 'kubectl-patch',
  });
}

test.each([
  ['a second node that fits', () => world.labelSecondNode()],
  ['a relaxed budget', relaxBudget],
])('%s ends the deadlock and the rollout', async (_, remedy) => {
  const { registry } = world.openshift;
  push();
  await clock.advanceUntil(
    () => registry.list(pods, 'shop').some(({ status }) => status?.phase === 'Pending'),
    1_200_000,
  );

  remedy();
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
