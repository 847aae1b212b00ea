import { describe, expect, test } from 'vitest';
import { aCondition } from '../../../fakes/builders.ts';
import { codes, look, withCode } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aMachine,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  oldConfig,
  refused,
  type World,
} from './world.ts';

function failing(reason: string, state = 'Degraded') {
  return aLiveNode('worker-2', { annotations: { state, reason, desiredConfig: newConfig } });
}

async function diagnose(reason: string, state = 'Degraded') {
  const world = aWorld({ nodes: [failing(reason, state), aLiveNode('worker-1')] });
  return look(world, nodeSubject(world, 'worker-2', 'failing'));
}

test.each([
  [
    'N1',
    'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"',
    'File /etc/chrony.conf on worker-2 is not as its MachineConfig says',
  ],
  ['N1', 'unexpected on-disk state validating against rendered-worker-aaa: odd', 'What is on the disk of worker-2'],
  ['N1', 'mode mismatch for file: "/etc/x"; expected: -rw-r--r--; received: -rwxr-xr-x', 'File /etc/x on worker-2'],
  [
    'N2',
    'unexpected on-disk state validating against rendered-worker-bbb: expected target osImageURL "quay.io/os@sha256:new", have "quay.io/os@sha256:old"',
    'it has quay.io/os@sha256:old and should have quay.io/os@sha256:new',
  ],
  [
    'N3',
    'missing expected kernel arguments: [nosmt]',
    'without kernel arguments that its configuration asks for [nosmt]',
  ],
  [
    'N5',
    'failed to update OS to quay.io/os@sha256:abc after retries: error: unauthorized: access to the requested resource is not authorized',
    'worker-2 cannot pull the operating system image: unauthorized: access to the requested resource is not authorized (the registry refuses its credentials).',
  ],
  [
    'N5',
    'failed to update OS to quay.io/os : error running rpm-ostree rebase: no such host',
    'the name of the registry is not resolved',
  ],
  ['N6', 'error: Transaction in progress: rebase', 'busy with another transaction'],
  ['N7', 'extension "kernel-devel" verification failed: missing', 'cannot bring in the kernel or the extensions'],
  [
    'N8',
    "can't reconcile config rendered-worker-aaa with rendered-worker-bbb: ignition disks section contains changes",
    'The new configuration changes what cannot be changed on a running node (ignition disks section contains changes)',
  ],
  [
    'N9',
    'error enabling units: Failed to enable unit: Unit file chronyd2.service does not exist.',
    'A file or unit of the new configuration',
  ],
  [
    'N10',
    'could not apply update: restarting chronyd.service failed. Error: exit status 1',
    'Service chronyd.service on worker-2',
  ],
  ['N11', 'NodeDisruptionPolicyStatus was not ready: generation 2', 'disruption policy'],
  ['N12', 'kubelet health check has failed 3 times: connection refused', 'fails its health check'],
  ['N13', 'could not get ControllerConfig: context deadline exceeded', "cannot write the cluster's certificates"],
  ['N15', 'reboot command failed, something is seriously wrong', 'could not be rebooted'],
  [
    'D5',
    'failed to uncordon node: worker-2 after 10 minutes. Please see machine-config-controller logs',
    'did not uncordon it',
  ],
])('[S1-4] %s is told apart by the words of the daemon: %s', async (code, reason, sentence) => {
  const diagnosis = await diagnose(reason, code === 'N8' ? 'Unreconcilable' : 'Degraded');

  expect(codes(diagnosis)).toEqual([code]);
  expect(withCode(diagnosis, code).sentence).toContain(sentence);
  expect(withCode(diagnosis, code).remedies.length).toBeGreaterThan(0);
});

test.each([
  [
    'the kernel has no inotify watches left',
    'could not apply update: restarting crio.service service failed. Error: error running systemctl restart crio.service: Failed to add /run/systemd/ask-password to directory watch: No space left on device\nJob for crio.service failed because the control process exited with error code.: exit status 1',
    'N10',
  ],
  [
    'a unit of a MachineConfig is masked',
    'could not apply update: restarting chronyd.service service failed. Error: error running systemctl restart chronyd.service: Failed to restart chronyd.service: Unit chronyd.service is masked.: exit status 1',
    'N10',
  ],
  [
    'the service of rpm-ostree is masked',
    'error running systemctl try-restart rpm-ostreed: Failed to restart rpm-ostreed.service: Unit rpm-ostreed.service is masked.: exit status 1',
    'N20',
  ],
  [
    'a disk is full beside it',
    'error running systemctl daemon-reload: Failed to add /run/x to directory watch: No space left on device\nwrite /etc/a: no space left on device: exit status 1',
    'N22',
  ],
  ...['copy-kubeconfig', 'rotate-password', 'config-revert', 'etcdserver', 'malformed'].map((unit) => [
    `a unit is named ${unit}`,
    `error enabling units: Failed to enable unit: Unit ${unit}.service does not exist`,
    'N9',
  ]),
])('[S1-4] [N-29] %s, and nothing else is made of it', async (_what, reason = '', code = '') => {
  expect(codes(await diagnose(reason, 'Degraded'))).toEqual([code]);
});

describe('[S1-4] [N-29] which MachineConfig may not be on a running node', () => {
  const reason =
    "can't reconcile config rendered-worker-aaa with rendered-worker-bbb: ignition disks section contains changes";
  const unreconcilable = { state: 'Unreconcilable', reason, desiredConfig: newConfig };
  const configs: Readonly<Record<string, number>> = {
    '00-worker': 9_000,
    '99-worker-ssh': 9_000,
    [oldConfig]: 500,
    '99-worker-chrony': 20,
    [newConfig]: 19,
  };

  async function blamed(written: Readonly<Record<string, number>>, pool = aRollingPool(), change: Partial<World> = {}) {
    const machineConfigs = Object.entries(written).map(([name, minutes]) => writtenBefore(name, minutes));
    const world = aWorld({
      nodes: [aLiveNode('worker-2', { annotations: unreconcilable })],
      machineConfigs,
      ...change,
    });
    return withCode(await look(world, nodeSubject(world, 'worker-2', 'failing', pool)), 'N8');
  }

  test('is named where no other has changed', async () => {
    const found = await blamed(configs);

    expect(found.sentence).toMatch(/^MachineConfig 99-worker-chrony changes what cannot be changed/);
    expect(found.remedies[0]?.title).toContain('revert or correct MachineConfig 99-worker-chrony');
  });

  test('is not the new one, where another was edited with it', async () => {
    const found = await blamed({ ...configs, '99-worker-ssh': 20 });

    expect(found.sentence).toMatch(/^The new configuration changes what cannot be changed/);
    expect(found.sentence).toContain('Changed in it: 99-worker-ssh and 99-worker-chrony; the text does not say which');
    expect(found.remedies.map(({ title }) => title).join()).not.toContain('99-worker');
  });

  test('is not the new one, where another was taken away with it', async () => {
    const current = { name: oldConfig, sources: ['00-worker', '98-disks', '99-worker-ssh'] };

    const found = await blamed(configs, aRollingPool({ current }));

    expect(found.sentence).toContain('Changed in it: 99-worker-chrony and 98-disks');
  });

  test('is none of those that came after the node got its target', async () => {
    const target = { name: 'rendered-worker-ccc', sources: ['00-worker', '99-worker-ssh', '99-innocent'] };

    const found = await blamed({ ...configs, '99-innocent': 1 }, aRollingPool({ target }));

    expect(found.sentence).not.toContain('99-');
    expect(found.remedies.map(({ title }) => title).join()).not.toContain('99-');
  });

  test('is not named where MachineConfigs cannot be read', async () => {
    const found = await blamed(configs, aRollingPool(), { refused: [{ path: /machineconfigs$/, why: 'forbidden' }] });

    expect(found.sentence).not.toContain('99-');
  });
});

function writtenBefore(name: string, minutes: number): Json {
  const time = minutesAgo(minutes);
  const managedFields = [{ manager: 'argocd-controller', operation: 'Update', time, fieldsV1: { 'f:spec': {} } }];
  return { metadata: { name, uid: `uid-${name}`, creationTimestamp: time, managedFields } };
}

test('[S1-3] the cause comes from the annotations: no log; only whether the node is there is asked', async () => {
  const diagnosis = await diagnose('content mismatch for file "/etc/chrony.conf"');

  expect(diagnosis.calls).toBe(1);
  expect(diagnosis.findings[0]?.subject).toMatchObject({ kind: 'Node', name: 'worker-2' });
});

test.each([
  ['N19', 'strong', 'error running rpm-ostree upgrade: error: Could not depsolve transaction; conflicting requests'],
  ['N19', 'likely', 'package a conflicts with b'],
  ['N31', 'likely', 'Apply failed with 1 conflict: conflict with "kubectl-edit": .metadata.annotations'],
])(
  '[S1-4] %s is %s: words that anybody may use are no certain sign of packages (%s)',
  async (code, confidence, said) => {
    const diagnosis = await diagnose(said);

    expect(withCode(diagnosis, code)).toMatchObject({ confidence });
  },
);

describe('[S1-4] a Degraded node that is lost since', () => {
  const drift = 'content mismatch for file "/etc/chrony.conf"';

  async function lostFor(minutes: number, unavailable = 1) {
    const node = aLiveNode('worker-2', {
      annotations: { state: 'Degraded', reason: drift },
      ready: {
        status: 'Unknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: minutesAgo(minutes),
      },
    });
    const world = aWorld({ nodes: [node, aLiveNode('worker-1')] });
    const pool = aRollingPool({ counts: { machines: 2, updated: 1, ready: 1, unavailable, degraded: 1 } });
    return look(world, nodeSubject(world, 'worker-2', 'failing', pool));
  }

  test('is told first: what is to be done on the node needs it back', async () => {
    const diagnosis = await lostFor(300);

    expect(diagnosis.findings.map(({ code }) => code)).toEqual(['S2', 'N1']);
    expect(diagnosis.findings[0]?.sentence).toContain('worker-2 is unreachable for 5 h');
  });

  test.each([
    ['it boots', 3, 1],
    ['the MCO counts no node as unavailable', 300, 0],
  ])('[decoy] is not where %s', async (_, minutes, unavailable) => {
    const diagnosis = await lostFor(minutes, unavailable);

    expect(diagnosis.findings.map(({ code }) => code)).toEqual(['N1']);
  });
});

test('[S1-3] where the annotation is empty the MachineConfigNode is asked', async () => {
  const condition = {
    type: 'NodeDegraded',
    status: 'True',
    message: 'Node worker-2 upgrade failure. content mismatch for file "/etc/chrony.conf"',
  };
  const world = aWorld({ nodes: [failing('')], machines: [aMachine('worker-2', [condition])] });

  const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

  expect(codes(diagnosis)).toEqual(['N1']);
  expect(diagnosis.calls).toBe(2);
});

test('[S1-3] and last the condition of the pool, which quotes both', async () => {
  const message = 'Node worker-2 is reporting: "content mismatch for file \\"/etc/chrony.conf\\""';
  const pool = aRollingPool({ conditions: [aCondition({ type: 'NodeDegraded', status: 'True', message })] });
  const world = aWorld({ nodes: [failing('')] });

  const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing', pool));

  expect(codes(diagnosis)).toEqual(['N1']);
});

describe('a rendered config that is gone (N4)', () => {
  const reason = `machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`;

  test('is certain when the API server says so, and only its metadata was asked for', async () => {
    const diagnosis = await diagnose(reason);

    expect(withCode(diagnosis, 'N4')).toMatchObject({ confidence: 'certain', class: 'structural' });
    expect(diagnosis.calls).toBe(2);
  });

  test('[decoy] is over when it exists again', async () => {
    const world = aWorld({ nodes: [failing(reason)], machineConfigs: [{ metadata: { name: newConfig, uid: 'u' } }] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

    expect(withCode(diagnosis, 'N4')).toMatchObject({ class: 'self-healing' });
    expect(withCode(diagnosis, 'N4').sentence).toContain('exists again now');
  });
});

test('[S1-5] a drain that the daemon gave up (N14) leads to the budget that blocks it', async () => {
  const reason =
    'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs for more information';
  const world = aWorld({
    nodes: [aDrainingNode('worker-2', { annotations: { state: 'Degraded', reason } }), aLiveNode('worker-1')],
    machines: [drainFailing('worker-2', refused('web-a'))],
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
    budgets: [aBudget('web')],
  });

  const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

  expect(codes(diagnosis)).toEqual(['D1', 'P1']);
  expect(diagnosis.findings[0]?.evidence.some(({ value }) => value.startsWith('failed to drain node'))).toBe(true);
});

describe('[N-29] [N-30] words of a MachineConfig that the daemon quotes', () => {
  test.each([
    ['that another system runs', '/usr/expected target osImageURL quay.io/evil/os:1, have x'],
    ['that arguments are missing', '/usr/missing expected kernel arguments: [x]'],
    ['that a rendered config is gone', '/usr/rendered-worker-gone not found'],
    ['the same, behind a quote', '/usr/"; machineconfigs "rendered-worker-gone" not found'],
    ['that a drain was given up', '/usr/failed to drain node: worker-1 after 1 hour'],
  ])('do not say %s', async (_, path) => {
    const diagnosis = await diagnose(`failed to create directory ${JSON.stringify(path)}: read-only file system`);

    expect(codes(diagnosis)).toEqual(
      codes(await diagnose('failed to create directory "/usr/x": read-only file system')),
    );
    expect(diagnosis.findings[0]?.evidence[1]?.value).toContain('/usr/');
  });

  test.each([
    'invalid extensions found: [x; possible root cause: unauthorized]',
    'error running rpm-ostree kargs --append=x: error: expected target osImageURL "quay.io/evil/os:1", have "x"',
    'error running rpm-ostree kargs --append=x: error: failed to drain node: worker-1 after 1 hour',
  ])('are not taken for those of the daemon: %s', async (reason) => {
    const diagnosis = await diagnose(reason);

    expect(codes(diagnosis)).not.toContain('N16');
    expect(codes(diagnosis)).not.toContain('N2');
    expect(codes(diagnosis)).not.toContain('D0');
  });

  test('are no image that a node is rebased to: the one that was rendered for it is', async () => {
    const diagnosis = await diagnose('expected target osImageURL "quay.io/evil/os:1", have "quay.io/os@sha256:old"');

    const commands = withCode(diagnosis, 'N2').remedies.map(({ command }) => command ?? '');
    expect(commands.join('\n')).not.toContain('quay.io');
    expect(commands).toContain(
      `oc debug node/worker-2 -- chroot /host rpm-ostree rebase --experimental "ostree-unverified-registry:$(oc get machineconfig ${newConfig} -o 'jsonpath={.spec.osImageURL}')"`,
    );
  });

  test('[decoy] what the daemon says itself counts, with what it takes for the cause', async () => {
    const text =
      'unexpected on-disk state validating against rendered-worker-bbb: expected target osImageURL "a", have "b"';

    expect(codes(await diagnose(`${text}; possible root cause: error: No space left on device`))).toEqual(['N16']);
    expect(codes(await diagnose(text))).toEqual(['N2']);
  });

  test('name a rendered config that is gone for certain only where the node points to it', async () => {
    const gone = (name: string) => diagnose(`machineconfig.machineconfiguration.openshift.io "${name}" not found`);

    expect(withCode(await gone(newConfig), 'N4').confidence).toBe('certain');
    expect(withCode(await gone('rendered-worker-gone'), 'N4').confidence).toBe('strong');
  });
});

test('[S1-4] five nodes that cannot pull point to the registry, not to a node', async () => {
  const reason = 'failed to update OS to quay.io/os@sha256:abc after retries: manifest unknown';
  const nodes = ['worker-1', 'worker-2', 'worker-3'].map((name) =>
    aLiveNode(name, { annotations: { state: 'Degraded', reason, desiredConfig: newConfig } }),
  );
  const world = aWorld({ nodes });

  const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

  expect(withCode(diagnosis, 'N5').sentence).toBe(
    '3 of 3 tried nodes cannot pull the operating system image: manifest unknown (the registry does not have it).',
  );
});

test('[S1-4] words that nobody knows are passed on, with what was looked at', async () => {
  const diagnosis = await diagnose('the moon is in the wrong house');

  const found = withCode(diagnosis, 'N0');
  expect(found.sentence).toBe(
    "worker-2 is Degraded: the moon is in the wrong house. Checked the node's annotations, the node.",
  );
  expect(found).toMatchObject({ class: 'unknown', confidence: 'possible' });
});

test('[S1-4] a node without words that is also unreachable says so', async () => {
  const ready = { status: 'Unknown', message: 'Kubelet stopped posting node status.' };
  const world = aWorld({
    nodes: [aLiveNode('worker-2', { annotations: { state: 'Degraded', reason: 'odd' }, ready })],
  });

  const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

  expect(codes(diagnosis)).toEqual(['N0', 'S2']);
});

test('credentials in the words of the daemon are kept nowhere', async () => {
  const reason =
    'failed to update OS to quay.io/os after retries: pinging https://robot:hunter2secret@quay.io/v2/: unauthorized';

  const known = await diagnose(reason);
  const unknown = await diagnose(`odd: ${reason.slice(reason.indexOf('pinging'))}`);

  expect(JSON.stringify([known, unknown])).not.toContain('hunter2');
});
