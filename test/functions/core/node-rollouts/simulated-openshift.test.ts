import { afterEach, expect, test } from 'vitest';
import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import { unmetCondition } from '../../../../functions/core/node-rollouts/unmet.ts';
import { type NodeRollout, secondsOf, stepOf } from '../../../../functions/core/openshift/node-rollout.ts';
import { nodes, podDisruptionBudgets } from '../../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { quietWorkers, type VirtualCluster } from '../../../local/openshift/virtual-cluster.ts';
import { type Follower, followCluster } from './follow-cluster.ts';

/** The MCO's own annotations and MachineConfigNodes, as the simulated OpenShift writes them, on a clock that is
 *  moved by hand. */

const opened: Follower[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function followed(cluster: VirtualCluster): Promise<Follower> {
  const follower = await followCluster(cluster);
  opened.push(follower);
  return follower;
}

function change(cluster: VirtualCluster): void {
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
}

/** When the node really showed each step for the first time. */
function truthOf(cluster: VirtualCluster, name: string): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  cluster.registry.subscribe(({ type, object }) => {
    if (type !== nodes || object.metadata.name !== name) return;
    const step = stepOf(nodeOf(object)) ?? 'rests';
    const isNew = !first.has(step) && (step !== 'rests' || first.size > 0);
    if (isNew) first.set(step, `${cluster.clock.now().toISOString().slice(0, 19)}Z`);
  });
  return first;
}

function waitsFor(cluster: VirtualCluster, follower: Follower, name: string): string {
  const rollout = follower.rollouts().open.find(({ node }) => node === name);
  return unmetCondition(nodeOf(cluster.node(name)), rollout, cluster.clock.now().toISOString());
}

/** A drain that its budget never allows. */
function blockDrains(cluster: VirtualCluster): void {
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2 });
  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 2, matchLabels: { app: 'web' } });
}

test('[S3-5] tells cordon, drain, stage, reboot and uncordon of each node with the times that the cluster kept', async () => {
  const cluster = await quietWorkers(2, 1);
  const truth = truthOf(cluster, 'worker-0');
  const follower = await followed(cluster);
  change(cluster);

  await follower.until(() => follower.ended.length === 2);

  const [first, second] = follower.ended;
  expect([first?.node, second?.node]).toEqual(['worker-0', 'worker-1']);
  expect(first?.ended).toEqual({ how: 'done', at: { at: truth.get('rests'), told: true } });
  expect(first?.rebooted).toBe(true);
  expect(Object.keys(first?.steps ?? {}).toSorted()).toEqual([
    'cordon',
    'drain',
    'pickup',
    'reboot',
    'stage',
    'uncordon',
  ]);
  for (const step of ['drain', 'stage', 'reboot', 'uncordon'] as const)
    expect([step, first?.steps[step]?.begun]).toEqual([step, { at: truth.get(step), told: true }]);
  expect(follower.rollouts().open).toEqual([]);
});

test('[S3-5] a look in each minute loses no step that lasts, nor the reboot, and says which times only our own look knows', async () => {
  const cluster = await quietWorkers(1, 1);
  blockDrains(cluster);
  await cluster.clock.advance(60_000);
  const follower = await followed(cluster);
  change(cluster);

  await follower.until(() => follower.rollouts().open[0]?.step === 'drain', { everySeconds: 60 });
  for (let minute = 0; minute < 5; minute += 1) await cluster.clock.advance(60_000).then(follower.look);
  cluster.registry.delete(podDisruptionBudgets, { name: 'web', namespace: 'shop' }, { manager: 'kubectl' });
  await follower.until(() => follower.ended.length === 1, { everySeconds: 60 });

  const [rollout] = follower.ended;
  expect(rollout?.ended?.how).toBe('done');
  expect(rollout?.steps.drain?.begun?.told).toBe(true);
  expect(secondsOf(rollout?.steps.drain ?? {})).toBeGreaterThan(300);
  expect(rollout?.steps.drain?.ended?.told).toBe(false);
  expect(rollout?.rebooted).toBe(true);
});

test.each([3, 11, 17])('[S3-5] a look every %i s tells the same order of the same steps', async (everySeconds) => {
  const cluster = await quietWorkers(3, 1);
  const follower = await followed(cluster);
  change(cluster);

  await follower.until(() => follower.ended.length === 3, { everySeconds });

  expect(follower.ended.map(({ node, ended }) => [node, ended?.how])).toEqual(
    ['worker-0', 'worker-1', 'worker-2'].map((node) => [node, 'done']),
  );
  for (const rollout of follower.ended) {
    const times = ['pickup', 'drain', 'stage', 'reboot', 'uncordon'] as const;
    const moments = times.flatMap((step) => [rollout.steps[step]?.begun, rollout.steps[step]?.ended]);
    const known = moments.flatMap((moment) => (moment?.told === true ? [Date.parse(moment.at)] : []));
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    expect(rollout.rebooted).toBe(true);
  }
});

test('[S1-10] each state says which condition is not met yet', async () => {
  const cluster = await quietWorkers(1, 1);
  const follower = await followed(cluster);
  const seen = new Map<string, string>();
  change(cluster);

  await follower.until(
    () => {
      const step = follower.rollouts().open[0]?.step;
      if (step !== undefined && !seen.has(step)) seen.set(step, waitsFor(cluster, follower, 'worker-0'));
      return follower.ended.length === 1;
    },
    { everySeconds: 1 },
  );

  const { to } = follower.ended[0] ?? { to: '' };
  expect(Object.fromEntries(seen)).toMatchObject({
    drain: expect.stringContaining(`lastAppliedDrain must become drain-${to}; it is `),
    stage: expect.stringContaining('post-config-action must become Rebooting'),
    reboot: expect.stringMatching(/Ready must become True|boot id must change|config daemon/),
    uncordon: expect.stringContaining(`lastAppliedDrain must become uncordon-${to}`),
  });
});

test('[S1-10] a machine that went down and one that is up and not ready are told apart by boot id', async () => {
  const cluster = await quietWorkers(1, 1);
  const follower = await followed(cluster);
  cluster.kubelets.neverReturn('worker-0');
  change(cluster);

  await follower.until(() => follower.rollouts().open[0]?.ready?.is === false, { everySeconds: 1 });
  await cluster.clock.advance(120_000);
  await follower.look();
  const down = waitsFor(cluster, follower, 'worker-0');
  const [rollout] = follower.rollouts().open;
  const booted = { ...rollout, boots: [...(rollout?.boots ?? []), 'another'] } as NodeRollout;
  const up = unmetCondition(nodeOf(cluster.node('worker-0')), booted, cluster.clock.now().toISOString());

  expect(down).toMatch(/^Ready must become True; it is down for 2 min and has not rebooted$/);
  expect(up).toMatch(/^Ready must become True; it has rebooted and is not ready for 2 min$/);
});

test('[S3-4] drift of an idle node is no update: it has no story, and its state says what is wrong', async () => {
  const cluster = await quietWorkers(1, 1);
  const follower = await followed(cluster);
  cluster.daemons.drift('worker-0', 'content mismatch for file "/etc/chrony.conf"');

  await follower.look();

  expect(follower.rollouts().open).toEqual([]);
  expect(annotationOf(cluster.node('worker-0'), 'state')).toBe('Degraded');
  expect(waitsFor(cluster, follower, 'worker-0')).toContain('content mismatch for file "/etc/chrony.conf"');
});

test('what stands still is written once, however often it is looked at', async () => {
  const cluster = await quietWorkers(1, 1);
  blockDrains(cluster);
  await cluster.clock.advance(60_000);
  const follower = await followed(cluster);
  change(cluster);
  await follower.until(() => follower.rollouts().open[0]?.steps.cordon !== undefined);
  await follower.look();
  const before = follower.changes();

  for (let minute = 0; minute < 20; minute += 1) await cluster.clock.advance(60_000).then(follower.look);

  expect(follower.changes()).toBe(before);
});

test('a node that is given another target in between ends one story and begins another', async () => {
  const cluster = await quietWorkers(1, 1);
  blockDrains(cluster);
  await cluster.clock.advance(60_000);
  const follower = await followed(cluster);
  change(cluster);
  await follower.until(() => follower.rollouts().open[0]?.step === 'drain');
  const [first] = follower.rollouts().open;

  cluster.registry.modify(
    nodes,
    { name: 'worker-0', namespace: '' },
    ({ metadata }) => {
      metadata.annotations = {
        ...metadata.annotations,
        'machineconfiguration.openshift.io/desiredConfig': 'rendered-worker-ccc',
      };
    },
    { manager: 'machine-config-controller' },
  );
  await follower.look();

  expect(follower.ended).toMatchObject([{ to: first?.to, ended: { how: 'redirected' } }]);
  expect(follower.rollouts().open).toMatchObject([{ to: 'rendered-worker-ccc', from: first?.from }]);
});
