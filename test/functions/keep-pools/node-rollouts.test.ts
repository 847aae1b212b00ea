import { afterEach, describe, expect, test } from 'vitest';
import { machineConfigs, podDisruptionBudgets } from '../../../local/openshift/api-server/resource-types.ts';
import { machineConfigManifest } from '../../../local/openshift/machine-config/machine-config-manifest.ts';
import { annotationOf } from '../../../local/openshift/machine-config/node-annotations.ts';
import { anApplication } from '../../fakes/index.ts';
import { quietWorkers, type VirtualCluster } from '../../local/openshift/virtual-cluster.ts';
import { type StoryLab, storyLab } from './node-rollout-lab.ts';

const opened: StoryLab[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function labOver(cluster: VirtualCluster): Promise<StoryLab> {
  const lab = await storyLab(cluster);
  opened.push(lab);
  return lab;
}

function change(cluster: VirtualCluster, content = 'a'): void {
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': content });
}

function blockDrains(cluster: VirtualCluster): void {
  cluster.builder.deploy({ namespace: 'shop', name: 'web', replicas: 2 });
  cluster.builder.addDisruptionBudget({ namespace: 'shop', name: 'web', minAvailable: 2, matchLabels: { app: 'web' } });
}

test('[S3-5] [S1-10] a rollout is followed node by node: where each is, what it waits for, and on the timeline how it went', async () => {
  const cluster = await quietWorkers(2, 1);
  const lab = await labOver(cluster);
  await lab.tick();
  change(cluster);

  await lab.until(async () => (await lab.pool()).nodes?.[0]?.step === 'drain', { everySeconds: 1 });
  const [draining] = (await lab.pool()).nodes ?? [];
  await lab.until(() => lab.world.tables.nodeRollouts.endedRollouts().length === 2, { everySeconds: 5 });

  expect(draining).toMatchObject({ name: 'worker-0', failing: false, from: draining?.from, step: 'drain' });
  expect(draining?.waitsFor).toMatch(/^lastAppliedDrain must become drain-rendered-worker-/);
  expect((await lab.pool()).nodes).toEqual([]);
  const told = lab.timeline().filter((text) => text.includes(' rebooted into '));
  expect(told).toHaveLength(2);
  expect(told[1]).toMatch(
    /^worker-0 rebooted into rendered-worker-\w+: targeted [\d:]+, cordon [\d:]+, drain [\d:]+ to [\d:]+ \(\d+ s\), stage \(OS, files, units\) .*, reboot .*, uncordon /,
  );
});

test('[S3-5] a tick of a cluster at rest asks for its pools and nothing else, and keeps no story', async () => {
  const cluster = await quietWorkers(3, 1);
  const lab = await labOver(cluster);
  await lab.tick();
  await lab.tick();
  lab.calls();
  lab.world.faults.forget();

  await lab.tick();

  expect(lab.calls()).toEqual(['pools']);
  expect(lab.world.faults.calls.map(({ op }) => op).filter((op) => op.startsWith('nodeRollouts'))).toEqual([]);
});

test('the last node of a rollout is seen to end although its pool is at rest by then', async () => {
  const cluster = await quietWorkers(1, 1);
  const lab = await labOver(cluster);
  change(cluster);
  await lab.until(async () => (await lab.pool()).nodes?.length === 1, { everySeconds: 5 });
  await cluster.until(() => cluster.condition('Updated').status === 'True', 3600);

  await lab.tick();
  lab.calls();
  await lab.tick();

  expect(lab.world.tables.nodeRollouts.endedRollouts()).toMatchObject([{ node: 'worker-0', rebooted: true }]);
  expect(lab.calls()).toEqual(['pools']);
});

describe('updates that begin and end between two looks', () => {
  /** All nodes at once, while nobody looks. */
  async function rolled(cluster: VirtualCluster): Promise<void> {
    change(cluster);
    await cluster.clock.advance(30_000);
    await cluster.until(() => cluster.condition('Updated').status === 'True', 3600);
  }

  test('[S3-5] [N-20] are told once each by what was seen before and after, and the tick is quiet again', async () => {
    const cluster = await quietWorkers(5, 5);
    const lab = await labOver(cluster);
    await lab.tick();
    const before = cluster.clock.now().toISOString();
    const from = cluster.pool().spec.configuration?.name;
    await rolled(cluster);

    await lab.tick();
    lab.calls();
    await lab.tick();

    const to = cluster.pool().spec.configuration?.name;
    expect(lab.calls()).toEqual(['pools']);
    expect(lab.world.tables.nodeRollouts.endedRollouts()).toHaveLength(5);
    for (const rollout of lab.world.tables.nodeRollouts.endedRollouts())
      expect(rollout).toMatchObject({
        from,
        to,
        unseen: { after: before },
        ended: { how: 'done', at: { told: true } },
      });
    const told = lab.timeline().filter((text) => text.includes(`into ${to}: between `));
    expect(told.map((text) => text.split(' ')[0]).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((index) => `worker-${index}`),
    );
  });

  test('[S3-5] are told by the configuration that the whole pool had where nothing is known of single nodes', async () => {
    const cluster = await quietWorkers(2, 2);
    const lab = await labOver(cluster);
    const mend = lab.world.faults.failAll(['nodeRollouts.load']);
    await lab.tick();
    mend();
    const from = cluster.pool().spec.configuration?.name;
    await rolled(cluster);
    cluster.builder.addNodes({ pool: 'worker', names: ['worker-new'] });

    await lab.tick();

    const ended = lab.world.tables.nodeRollouts.endedRollouts();
    expect(ended.map((rollout) => [rollout.node, rollout.from]).toSorted()).toEqual([
      ['worker-0', from],
      ['worker-1', from],
    ]);
  });

  test('[S3-5] are not told again after passes of an earlier version, which told them and left what they did not know', async () => {
    const cluster = await quietWorkers(2, 2);
    const lab = await labOver(cluster);
    await lab.tick();
    await rolled(cluster);
    const { checkpoints, nodeRollouts } = lab.ports;
    const [checkpoint, rollouts] = [await checkpoints.load('prod'), await nodeRollouts.load('prod')];
    if (checkpoint === undefined || rollouts === undefined) throw new Error('the tick stored nothing');
    const { known: _, ...left } = rollouts;
    await checkpoints.save({ ...checkpoint, lastGoodReadAt: cluster.clock.now().toISOString() });
    await nodeRollouts.save(left);

    await lab.tick();

    expect(lab.world.bus.published.map(({ type }) => type)).not.toContain('poolkeeper.node.updated.v1');
  });

  test('[S3-5] [N-2] are told by a later pass where the table fails, and still once', async () => {
    const cluster = await quietWorkers(2, 2);
    const lab = await labOver(cluster);
    await lab.tick();
    await rolled(cluster);
    const mend = lab.world.faults.failAll(['nodeRollouts.save']);

    await lab.tick();
    const meanwhile = lab.world.bus.published.length;
    mend();
    await lab.tick();
    await lab.tick();

    const told = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.node.updated.v1');
    expect(lab.world.bus.published.slice(0, meanwhile).map(({ type }) => type)).not.toContain(
      'poolkeeper.node.updated.v1',
    );
    expect(told).toHaveLength(2);
  });
});

test('a table that cannot be read or written costs the story, not the pass', async () => {
  const cluster = await quietWorkers(1, 1);
  const lab = await labOver(cluster);
  change(cluster);
  await cluster.until(() => annotationOf(cluster.node('worker-0'), 'state') === 'Working');
  const mendReads = lab.world.faults.failAll(['nodeRollouts.load']);
  await lab.tick();
  mendReads();
  const mendWrites = lab.world.faults.failAll(['nodeRollouts.save', 'nodeRollouts.keep']);
  await lab.tick();
  mendWrites();

  const said = lab.world.logger.lines.map(({ message }) => message);
  expect(said).toContain('the rollouts of the nodes could not be read');
  expect(said).toContain('the rollouts of the nodes could not be stored');
  expect((await lab.pool()).nodes).toHaveLength(1);
});

test('a node that stands still is written once', async () => {
  const cluster = await quietWorkers(1, 1);
  blockDrains(cluster);
  await cluster.clock.advance(60_000);
  const lab = await labOver(cluster);
  change(cluster);
  await lab.until(async () => (await lab.pool()).nodes?.[0]?.steps.some(({ name }) => name === 'cordon') === true);
  await lab.tick();
  const before = await lab.ports.nodeRollouts.load('prod');

  for (let minute = 0; minute < 5; minute += 1) await cluster.clock.advance(60_000).then(lab.tick);
  const after = await lab.ports.nodeRollouts.load('prod');
  cluster.registry.delete(podDisruptionBudgets, { name: 'web', namespace: 'shop' }, { manager: 'kubectl' });

  expect(after?.version).toBe(before?.version);
});

test('[S3-12] nodes that join a paused pool are listed with the config that they came up with', async () => {
  const cluster = await quietWorkers(2, 1);
  const lab = await labOver(cluster);
  cluster.pause();
  await lab.tick();
  change(cluster);
  await cluster.clock.advance(60_000);
  await lab.tick();
  const before = (await lab.pool()).joined;
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-new'] });
  await cluster.clock.advance(60_000);

  await lab.tick();
  await lab.tick();
  const { joined, currentConfig, targetConfig } = await lab.pool();
  lab.calls();
  await lab.tick();
  const quiet = lab.calls();
  cluster.pause(false);
  await cluster.clock.advance(1_000);
  await lab.tick();

  expect(before).toBeUndefined();
  expect(currentConfig).not.toBe(targetConfig);
  expect(joined).toMatchObject([{ name: 'worker-new', config: currentConfig }]);
  expect(lab.timeline().filter((text) => text.includes('joined the paused pool'))).toEqual([
    `worker-new joined the paused pool with ${currentConfig}`,
  ]);
  expect(quiet).toEqual(['pools']);
  expect((await lab.pool()).joined).toBeUndefined();
});

test('[N-20] each reboot is kept with the commit, the MachineConfig and the rendered config that it came of', async () => {
  const cluster = await quietWorkers(2, 1);
  const lab = await labOver(cluster);
  const commit = 'a1b2c3d4'.padEnd(40, '0');
  change(cluster, 'before');
  await lab.until(async () => (await lab.pool()).updated && !(await lab.pool()).pending);
  lab.world.argocd.put(managing('99-chrony', commit));
  await cluster.clock.advance(600_000);
  await lab.tick();
  const { spec } = machineConfigManifest('99-chrony', 'worker', { '/etc/chrony.conf': 'after' });
  const key = { name: '99-chrony', namespace: '' };
  cluster.registry.modify(machineConfigs, key, (draft) => Object.assign(draft, { spec }), { manager: 'argocd' });

  await lab.until(
    async () => (await lab.ports.nodeRollouts.ended({ commit: 'a1b2c3d', limit: 10 })).rollouts.length === 2,
    {
      everySeconds: 5,
    },
  );

  const { rollouts: reboots } = await lab.ports.nodeRollouts.ended({ commit: 'a1b2c3d', limit: 10 });
  const rendered = cluster.pool().spec.configuration?.name;
  expect(reboots.map(({ node, to, rebooted }) => ({ node, to, rebooted }))).toEqual([
    { node: 'worker-1', to: rendered, rebooted: true },
    { node: 'worker-0', to: rendered, rebooted: true },
  ]);
  expect(reboots[0]?.causes).toMatchObject([
    { kind: 'git', sources: ['99-chrony'], by: { application: 'openshift-gitops/nodes', revision: commit } },
  ]);
  const { rollouts: others } = await lab.ports.nodeRollouts.ended({ limit: 10 });
  expect(others.slice(2).flatMap(({ causes }) => causes.map(({ kind }) => kind))).not.toContain('git');
  expect(lab.timeline()[0]).toContain(`Cause: MachineConfig 99-chrony of Application openshift-gitops/nodes`);
});

test('[N-20] a change that no Application manages blames no commit', async () => {
  const cluster = await quietWorkers(1, 1);
  const lab = await labOver(cluster);
  lab.world.argocd.put(managing('99-another', 'c0ffee'.padEnd(40, '0')));
  await lab.tick();
  change(cluster, 'by hand');

  await lab.until(() => lab.world.tables.nodeRollouts.endedRollouts().length === 1, { everySeconds: 5 });

  const [rollout] = lab.world.tables.nodeRollouts.endedRollouts();
  expect(rollout?.causes.map(({ kind, by }) => ({ kind, by }))).toEqual([{ kind: 'membership', by: undefined }]);
});

function managing(machineConfig: string, commit: string) {
  const [resource] = anApplication().resources;
  return anApplication({
    sync: { status: 'Synced', revisions: [commit] },
    resources: resource === undefined ? [] : [{ ...resource, name: machineConfig }],
  });
}
