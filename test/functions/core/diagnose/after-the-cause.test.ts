import { afterEach, describe, expect, test } from 'vitest';
import { machineConfigs } from '../../../../local/openshift/api-server/resource-types.ts';
import { aNodeRollout } from '../../../fakes/builders.ts';
import { quietWorkers, virtualCluster } from '../../../local/openshift/virtual-cluster.ts';
import { type StoryLab, storyLab } from '../../keep-pools/node-rollout-lab.ts';
import { codes, look, withCode } from './look.ts';
import {
  aBudget,
  aLiveNode,
  aPod,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  oldConfig,
  refused,
} from './world.ts';

const opened: StoryLab[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** When the config daemon and the controller wrote to the node last. */
function written(daemon: number, controller = 60): readonly Json[] {
  const entry = (manager: string, minutes: number, annotation: string) => ({
    manager,
    operation: 'Update',
    time: minutesAgo(minutes),
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:machineconfiguration.openshift.io/${annotation}`]: {} } } },
  });
  return [
    entry('machine-config-daemon', daemon, 'state'),
    entry('machine-config-controller', controller, 'desiredConfig'),
  ];
}

async function diagnose(
  annotations: Readonly<Record<string, string>>,
  managedFields: readonly Json[],
  change: Parameters<typeof aWorld>[0] = {},
) {
  const node = aLiveNode('worker-2', {
    annotations: { state: 'Degraded', desiredConfig: newConfig, ...annotations },
    managedFields,
  });
  const world = aWorld({ nodes: [node, aLiveNode('worker-1')], ...change });
  return look(world, nodeSubject(world, 'worker-2', 'failing'));
}

describe('[S1-19] the cause is gone', () => {
  const missing = `machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`;
  const exists = (minutes: number) => ({
    machineConfigs: [{ metadata: { name: newConfig, uid: 'u', creationTimestamp: minutesAgo(minutes) } }],
  });

  test.each([
    ['a try is due: nobody is nudged', 3, 40, 'N4'],
    ['and the daemon has not written since: it needs a nudge', 12, 40, 'N17'],
    ['and the daemon has written since: it is trying', 12, 2, 'N4'],
    ['long ago, and whatever the daemon has written has not helped', 45, 2, 'N17'],
  ])('the missing config exists again, %s', async (_, existsFor, wrote, code) => {
    const diagnosis = await diagnose({ reason: missing }, written(wrote), exists(existsFor));

    expect(codes(diagnosis)).toEqual([code]);
  });

  test('says which nudge, what it risks and how it is taken back', async () => {
    const diagnosis = await diagnose({ reason: missing }, written(40), exists(12));

    const found = withCode(diagnosis, 'N17');
    expect(found).toMatchObject({ class: 'structural', confidence: 'strong' });
    expect(found.sentence).toContain(`${newConfig} exists again, since 12 min`);
    expect(found.remedies).toMatchObject([
      { title: 'Read what the config daemon of worker-2 wrote around the failure', risk: 'none' },
      {
        command:
          'oc -n openshift-machine-config-operator delete pod -l k8s-app=machine-config-daemon --field-selector spec.nodeName=worker-2',
        risk: 'outage',
      },
      { risk: 'outage', undo: 'oc debug node/worker-2 -- chroot /host rm -f /run/machine-config-daemon-force' },
    ]);
  });

  test('a drain that is done and a daemon that still complains of it', async () => {
    const drained = { desiredDrain: `drain-${newConfig}`, lastAppliedDrain: `drain-${newConfig}` };
    const reason = 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs';

    const diagnosis = await diagnose({ reason, ...drained }, written(70, 25));

    expect(codes(diagnosis)).toEqual(['N17']);
    expect(withCode(diagnosis, 'N17').sentence).toContain(`the node has been drained (drain-${newConfig})`);
  });

  test.each([
    ['the drain is over, and files and system are written', {}, written(70, 6)],
    ['it was asked to reboot', { 'post-config-action': 'Rebooting' }, written(4, 14)],
    ['it waits for its uncordon', { desiredDrain: `uncordon-${newConfig}` }, written(4, 30)],
  ])('[N-29] whoever is at work is not nudged, while what it goes on about is over: %s', async (_, step, times) => {
    const drained = { desiredDrain: `drain-${newConfig}`, lastAppliedDrain: `drain-${newConfig}`, ...step };
    const reason = 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs';

    const [found, ...others] = (await diagnose({ reason, ...drained }, times)).findings;

    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: 'D0', class: 'self-healing', confidence: 'likely' });
    expect(found?.sentence).toContain('the node has been drained');
    expect(found?.remedies.map(({ risk }) => risk)).toEqual(['none', 'none']);
  });

  test('[N-29] one that was asked to reboot long ago is explained by that, not by the drain of before', async () => {
    const drained = { desiredDrain: `drain-${newConfig}`, lastAppliedDrain: `drain-${newConfig}` };
    const reason = 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs';

    const diagnosis = await diagnose({ reason, ...drained, 'post-config-action': 'Rebooting' }, written(40, 60));

    expect(codes(diagnosis)).toEqual(['S4']);
  });

  describe('[N-29] the node is drained for another config than the one that its daemon refused', () => {
    const reason =
      "can't reconcile config rendered-worker-aaa with rendered-worker-ccc: ignition disks section changes";
    const asked = { state: 'Unreconcilable', reason, desiredDrain: `drain-${newConfig}` };
    const held = {
      pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
      budgets: [aBudget('web')],
    };

    test.each([6, 20])('and a budget is in its way for %i minutes: that is the cause', async (minutes) => {
      const machines = [drainFailing('worker-2', refused('web-a'), minutesAgo(minutes))];

      const diagnosis = await diagnose(asked, written(minutes, minutes), { ...held, machines });

      expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    });

    test('and nothing is in its way: nobody is told to take back what is taken back, or to nudge it', async () => {
      const diagnosis = await diagnose(asked, written(6, 6));

      const found = withCode(diagnosis, 'N8');
      expect(codes(diagnosis)).toEqual(['N8']);
      expect(found).toMatchObject({ class: 'self-healing', confidence: 'likely' });
      expect(found.sentence).toContain(`it is about rendered-worker-ccc, and the node has been given ${newConfig}`);
      expect(found.remedies.map(({ risk }) => risk)).toEqual(['none', 'none']);
    });

    test('and the missing config that it refused is there again: the budget is the cause', async () => {
      const gone = `machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`;
      const machines = [drainFailing('worker-2', refused('web-a'), minutesAgo(20))];

      const diagnosis = await diagnose({ ...asked, reason: gone }, written(20, 20), {
        ...held,
        ...exists(40),
        machines,
      });

      expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    });
  });

  test('[N-30] image mode: a nudge that lets the node go on to another image drains and reboots it', async () => {
    const drain = `drain-${oldConfig}`;
    const reason = 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs';
    const nudgeOf = async (desiredImage: string) => {
      const images = { currentImage: 'registry.example.com/os@sha256:1', desiredImage };
      const drains = { desiredDrain: drain, lastAppliedDrain: drain };
      const diagnosis = await diagnose({ reason, desiredConfig: oldConfig, ...drains, ...images }, written(70, 25));
      return withCode(diagnosis, 'N17').remedies[1];
    };

    expect(await nudgeOf('registry.example.com/os@sha256:2')).toMatchObject({
      title: expect.stringContaining('drains and reboots the node'),
      risk: 'outage',
    });
    expect(await nudgeOf('registry.example.com/os@sha256:1')).toMatchObject({ risk: 'low' });
  });

  test('a failure of another target than the one that the node has now', async () => {
    const reason =
      "can't reconcile config rendered-worker-aaa with rendered-worker-ccc: ignition disks section contains changes";

    const stuck = await diagnose({ reason, desiredConfig: oldConfig }, written(70, 20));
    const same = await diagnose({ reason: reason.replace('ccc', 'bbb') }, written(70, 20));

    expect(codes(stuck)).toEqual(['N17']);
    expect(withCode(stuck, 'N17').sentence).toContain(`the node has been given ${oldConfig}`);
    expect(withCode(stuck, 'N17').remedies.map(({ risk }) => risk)).toEqual(['none', 'low', 'outage']);
    expect(codes(same)).toEqual(['N8']);
  });

  test.each([
    "can't reconcile config rendered-worker-aaa with rendered-worker-ccc: ignition disks section contains changes",
    'configs rendered-worker-aaa, rendered-worker-ccc are not reconcilable: ignition disks section contains changes',
    'Error: MachineConfigs rendered-worker-aaa and rendered-worker-ccc are not compatible. Err: x',
    'error rolling back pending config rendered-worker-ccc: x',
  ])('[S1-19] is known by how the daemon begins: %s', async (reason) => {
    expect(codes(await diagnose({ reason, desiredConfig: oldConfig }, written(70, 20)))).toEqual(['N17']);
  });

  test.each([
    'failed to create directory "/var/opt/rendered-charts-2024": mkdir /var/opt/rendered-charts-2024: not a directory',
    'could not write file "/etc/helm/rendered-values-abc/x": open /etc/helm/rendered-values-abc/x: is a directory',
    'error enabling units: Failed to enable unit: unit rendered-reports-2024.service is masked',
    'could not write file "/etc/configs rendered-worker-ccc, x": is a directory',
  ])('[N-30] [decoy] a path or unit with such a name is no other target: %s', async (reason) => {
    expect(codes(await diagnose({ reason }, written(45, 2)))).not.toContain('N17');
  });

  test.each([
    [
      'drift',
      'unexpected on-disk state validating against rendered-worker-ccc: content mismatch for file "/etc/a"',
      'N1',
    ],
    ['a missing config', 'machineconfig.machineconfiguration.openshift.io "rendered-worker-ccc" not found', 'N4'],
  ])(
    '[decoy] the disk of the node names another config than its annotations: %s is no matter of the past',
    async (...of) => {
      const [, reason, code] = of;

      const diagnosis = await diagnose({ reason }, written(70, 20));

      expect(codes(diagnosis)).toEqual([code]);
    },
  );

  test('[decoy] without a time nothing is claimed', async () => {
    const diagnosis = await diagnose({ reason: missing }, [], {
      machineConfigs: [{ metadata: { name: newConfig, uid: 'u' } }],
    });

    expect(codes(diagnosis)).toEqual(['N4']);
  });
});

test('[S1-19] on a cluster whose daemon sleeps on, the incident names the nudge; once it wakes, the incident ends', async () => {
  const cluster = virtualCluster({ timings: { daemonRetryMs: 12 * 60_000 } });
  cluster.builder.addPool({ name: 'worker', maxUnavailable: 1 });
  cluster.builder.addNodes({ pool: 'worker', names: ['worker-0'] });
  await cluster.clock.advance(60_000);
  const lab = await storyLab(cluster);
  opened.push(lab);
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.clock.advance(6_000);
  const name = cluster.pool().spec.configuration?.name ?? '';
  cluster.registry.delete(machineConfigs, { name, namespace: '' }, { manager: 'kubectl' });
  const headline = () => lab.world.tables.incidents.all()[0]?.trouble?.headline;

  await lab.until(() => headline() === 'worker-0 degraded: cause is gone, but not retried');
  const found = lab.world.tables.incidents.all()[0]?.trouble?.findings[0];
  await lab.until(() => lab.world.tables.incidents.all()[0]?.state === 'ok', { limitMinutes: 120 });

  expect(found).toMatchObject({ code: 'N17' });
  expect(found?.remedies[1]?.title).toMatch(/^Nudge: start the config daemon of worker-0 anew/);
});

describe('[S3-11] a node that is back on its known-good system', () => {
  const wrongSystem = `unexpected on-disk state validating against ${newConfig}: expected target osImageURL "quay.io/os@sha256:new", have "quay.io/os@sha256:old"`;
  const finalize = { 'ostree-finalize-staged-failure': 'error: Writing content object: No space left on device' };

  function subjectOf(annotations: Readonly<Record<string, string>>, boots: readonly string[] | undefined) {
    const node = aLiveNode('worker-2', {
      annotations: { state: 'Degraded', desiredConfig: newConfig, ...annotations },
    });
    const world = aWorld({ nodes: [node, aLiveNode('worker-1')] });
    const rollout =
      boots &&
      aNodeRollout({ node: 'worker-2', from: oldConfig, to: newConfig, boots, step: 'stage', ended: undefined });
    return { world, subject: { ...nodeSubject(world, 'worker-2', 'failing'), rollout } };
  }

  test.each([
    ['it was seen to boot, and says that the old system runs', { reason: wrongSystem }, ['a', 'b'], 'N16', 'strong'],
    ['the boot before left a finalize error', { reason: wrongSystem, ...finalize }, undefined, 'N16', 'strong'],
    [
      'it was seen to boot and has its old config, for a reason unheard of',
      { reason: 'odd' },
      ['a', 'b'],
      'N16',
      'likely',
    ],
    [
      'kernel arguments are missing, and the boot before left a finalize error',
      { reason: 'missing expected kernel arguments: [nosmt]', ...finalize },
      undefined,
      'N16',
      'strong',
    ],
    [
      'kernel arguments are missing',
      { reason: 'missing expected kernel arguments: [nosmt]' },
      undefined,
      'N3',
      'likely',
    ],
    [
      'it was seen to boot into its new system, where a file differs',
      { reason: `unexpected on-disk state validating against ${newConfig}: content mismatch for file "/etc/a"` },
      ['a', 'b'],
      'N1',
      'likely',
    ],
    ['nobody saw it boot', { reason: wrongSystem }, undefined, 'N2', 'likely'],
    ['it has not booted yet', { reason: 'odd' }, ['a'], 'N0', 'possible'],
  ] as const)('%s', async (_, annotations, boots, code, confidence) => {
    const { world, subject } = subjectOf(annotations, boots);

    const diagnosis = await look(world, subject);

    expect(codes(diagnosis)).toEqual([code]);
    expect(withCode(diagnosis, code).confidence).toBe(confidence);
  });

  const oldSystem = { osImage: 'Red Hat Enterprise Linux CoreOS 9.4', kernelVersion: '5.14.0-427' };
  const newSystem = { osImage: 'Red Hat Enterprise Linux CoreOS 9.6', kernelVersion: '5.14.0-570' };
  const sameImage = { ...newSystem, kernelVersion: '5.14.0-427' };
  const done = { annotations: { currentConfig: newConfig, desiredConfig: newConfig } };

  test.each([
    ['as a node that is done does', newSystem, [aLiveNode('worker-1', { ...done, nodeInfo: newSystem })], 'N0'],
    ['and none that waits does', newSystem, [aLiveNode('worker-3', { nodeInfo: oldSystem })], 'N0'],
    ['and one that is done another', oldSystem, [aLiveNode('worker-1', { ...done, nodeInfo: newSystem })], 'N16'],
    [
      'and one that is done another kernel',
      sameImage,
      [aLiveNode('worker-1', { ...done, nodeInfo: newSystem })],
      'N16',
    ],
    ['as one that waits does', oldSystem, [aLiveNode('worker-3', { nodeInfo: oldSystem })], 'N16'],
    ['and nobody knows what the others run', newSystem, [aLiveNode('worker-1', done)], 'N16'],
    [
      'as a done one of another architecture does',
      newSystem,
      [aLiveNode('worker-1', { ...done, nodeInfo: newSystem, labels: { 'kubernetes.io/arch': 'arm64' } })],
      'N16',
    ],
  ])('[N-29] has booted, has an error unheard of, and runs a system, %s', async (_, nodeInfo, others, code) => {
    const odd = { state: 'Degraded', desiredConfig: newConfig, reason: 'odd' };
    const world = aWorld({
      nodes: [aLiveNode('worker-2', { annotations: odd, nodeInfo }), ...others],
    });
    const boots = ['a', 'b'];
    const rollout = aNodeRollout({
      node: 'worker-2',
      from: oldConfig,
      to: newConfig,
      boots,
      step: 'stage',
      ended: undefined,
    });

    expect(codes(await look(world, { ...nodeSubject(world, 'worker-2', 'failing'), rollout }))).toEqual([code]);
  });

  test.each([
    ['the one it is to get', newConfig],
    ['the one it has', oldConfig],
  ])('[N-29] is rebased to the image of the config that its disk was compared with: %s', async (_, compared) => {
    const { world, subject } = subjectOf({ reason: wrongSystem.replace(newConfig, compared) }, undefined);

    const { remedies } = withCode(await look(world, subject), 'N2');

    expect(remedies.map(({ command = '' }) => command).find((line) => line.includes('rebase'))).toContain(
      `oc get machineconfig ${compared} `,
    );
  });

  test('quotes why the new deployment was not finished, and tells a node that boots again and again', async () => {
    const { world, subject } = subjectOf({ reason: wrongSystem, ...finalize }, ['a', 'b', 'c', 'd']);

    const { sentence, remedies } = withCode(await look(world, subject), 'N16');

    expect(remedies.map(({ title }) => title)).toContain('See which file system is full');
    expect(sentence).toContain('No space left on device');
    expect(sentence).toContain('It has booted 3 times.');
  });
});

test('[S3-4] drift that degrades a node is a cause of its own, and no rollout', async () => {
  const cluster = await quietWorkers(2, 1);
  const lab = await storyLab(cluster);
  opened.push(lab);
  cluster.daemons.drift('worker-1', 'content mismatch for file "/etc/chrony.conf"');

  await lab.until(() => lab.world.tables.incidents.all().length > 0);

  const { trouble } = lab.world.tables.incidents.all()[0] ?? {};
  expect(trouble?.headline).toBe(
    'worker-1 degraded: files on disk differ: content mismatch for file "/etc/chrony.conf"',
  );
  expect(trouble?.findings.map(({ code }) => code)).toEqual(['N1']);
  expect(trouble?.facts.find(({ label }) => label === 'Config')?.value).toMatch(/\(no change rolling out\)$/);
  expect((await lab.pool()).nodes).toEqual([]);
});
