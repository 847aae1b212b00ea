import { describe, expect, test } from 'vitest';
import { whatEnded } from '../../../../functions/core/diagnose/what-ended.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { look, withCode } from './look.ts';
import { aWorld, type Json, minutesAgo, now, poolSubject, readerOver } from './world.ts';

function cannotRender(message: string, pool = 'worker') {
  return aPool({
    conditions: [
      aCondition({ type: 'Updated', status: 'True' }),
      aCondition({ type: 'Degraded', status: 'True', message: '' }),
      aCondition({
        type: 'RenderDegraded',
        status: 'True',
        since: minutesAgo(10),
        message: `Failed to render configuration for pool ${pool}: ${message}`,
      }),
    ],
  });
}

async function diagnose(message: string, machineConfigs: readonly Json[] = []) {
  const world = aWorld({ machineConfigs });
  return look(world, poolSubject(world, 'render', cannotRender(message)));
}

function aMachineConfigHead(name: string, changedMinutesAgo: number, change: Json = {}): Json {
  return {
    metadata: {
      name,
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      creationTimestamp: minutesAgo(changedMinutesAgo),
      ...change,
    },
  };
}

test.each([
  ['R1', 'no MachineConfigs found matching selector machineconfiguration.openshift.io/role=gpu', 'structural'],
  ['R2', 'parsing Ignition config failed: unknown version. Supported spec versions: 2.2, 3.0', 'structural'],
  [
    'R3',
    'reconciliation failed between current config "rendered-worker-aaa" and base config "99-disk": ignition disks section contains changes',
    'structural',
  ],
  ['R4', 'invalid extensions found: [nano]', 'structural'],
  ['R5', 'rendered MachineConfig rendered-worker-ccc is too large (2000000 bytes, max 1572864 bytes)', 'structural'],
  [
    'R6',
    'cannot override MachineConfig osImageURL and set MachineConfigPool spec.osImageStream.name simultaneously',
    'structural',
  ],
  ['R7', 'MachineConfigPool worker targets a RHEL 10 OS image where runc is not available', 'structural'],
  ['R8', 'ignoring controller config generated from 4.20 by 4.21', 'self-healing'],
  ['R0', 'something new went wrong', 'unknown'],
])('[S1-4] %s is told apart by its words, and says that no node is affected', async (code, message, class_) => {
  const diagnosis = await diagnose(message);

  const found = withCode(diagnosis, code);
  expect(found.class).toBe(class_);
  expect(found.sentence).toContain('No node is affected: they keep rendered-worker-aaa.');
});

describe('[S1-4] [N-29] what no MachineConfig made is blamed on none that has changed just before', () => {
  const head = (name: string) => aMachineConfigHead(name, 11);

  test.each([
    ['self-healing', 'etcdserver: request timed out'],
    ['self-healing', 'client rate limiter Wait returned an error: context deadline exceeded'],
    ['self-healing', 'Operation cannot be fulfilled on machineconfigpools "worker": the object has been modified'],
    ['self-healing', 'Post "https://api-int:6443/apis": dial tcp 10.0.0.2:6443: connect: connection refused'],
    ['self-healing', 'machineconfigs.machineconfiguration.openshift.io "rendered-worker-zzz" already exists'],
    ['self-healing', 'controllerconfig.machineconfiguration.openshift.io "machine-config-controller" not found'],
    ['external', 'Internal error occurred: failed calling webhook "a.example.com": no endpoints available'],
    ['external', 'admission webhook "a.example.com" denied the request: parsing Ignition config failed'],
    ['external', 'machineconfigs.machineconfiguration.openshift.io is forbidden: User "x" cannot create resource'],
    [
      'external',
      'could not get current MachineConfig rendered-worker-aaa for MachineConfigPool worker: machineconfig.machineconfiguration.openshift.io "rendered-worker-aaa" not found',
    ],
    ['external', 'pool worker: failed to inspect OS image for stream class: i/o timeout'],
  ])('%s: %s', async (class_, message) => {
    const found = withCode(await diagnose(message, [head('99-innocent')]), 'R0');

    expect(found).toMatchObject({ class: class_, subject: { kind: 'MachineConfigPool' } });
    expect(JSON.stringify([found.sentence, found.remedies])).not.toMatch(/99-innocent|[Rr]evert/);
  });

  test('only how the text begins counts: whoever writes a MachineConfig has a say in what follows', async () => {
    const message = 'parsing Ignition config failed with error: etcdserver: request timed out';

    const found = withCode(await diagnose(message, [head('99-guilty')]), 'R2');

    expect(found.sentence).toContain('probably 99-guilty');
  });

  test('a comparison that fails with unknown words is still one', async () => {
    const message =
      'reconciliation failed between current config "rendered-worker-aaa" and base config "99-disk": something new';

    expect(withCode(await diagnose(message), 'R3').sentence).toContain('MachineConfig 99-disk changes');
  });
});

describe('[N-29] [N-30] words of a MachineConfig that the MCO quotes', () => {
  const heads = [aMachineConfigHead('99-worker-chrony', 9_000), aMachineConfigHead('99-tenant', 11)];

  test.each([
    ['R4', 'invalid extensions found: [x, which MachineConfig 99-worker-chrony sets]'],
    ['R4', 'invalid extensions found: [generated ignoring MC version]'],
    ['R4', "invalid extensions found: [couldn't find any MachineConfigs for pool]"],
    ['R4', "invalid extensions found: [couldn't get OSImageStream]"],
    ['R4', 'Unhandled kernel type x of MachineConfig 99-worker-chrony'],
    ['R3', 'ignition file /etc/x of MachineConfig 99-worker-chrony includes append'],
    ['R2', 'parsing Ignition config failed with error: cannot override MachineConfig osImageURL'],
    ['R2', 'parsing Ignition config failed with error: runc is not available'],
    ['R2', 'failed to parse Ignition config for MC "99-tenant": invalid path base config "99-worker-chrony"'],
  ])('take the blame from no change: %s, %s', async (code, message) => {
    for (const text of [message, `could not generate rendered MachineConfig: ${message}`]) {
      const { sentence, class: class_, subject, remedies } = withCode(await diagnose(text, heads), code);

      expect(class_).toBe('structural');
      expect(subject).toMatchObject({ kind: 'MachineConfig', name: '99-tenant' });
      expect(sentence.split(': ')[1]).toContain('99-tenant');
      expect(JSON.stringify(remedies)).not.toContain('99-worker-chrony');
    }
  });

  test('[decoy] a MachineConfig that the MCO itself names is blamed, whatever it is named for', async () => {
    const drop = '/etc/crio/crio.conf.d/a\\" in MC \\"99-worker-chrony';
    const message = `failed to decode CRI-O drop-in "${drop}" in MC "99-tenant": bad`;

    expect(withCode(await diagnose(message, heads), 'R0')).toMatchObject({
      subject: { kind: 'MachineConfig', name: '99-tenant' },
      confidence: 'strong',
    });
  });
});

test('[S1-4] an image stream that cannot be had is no second setting, and no MachineConfig is accused of it', async () => {
  const message =
    'could not get OSImageStream for pool worker: osimagestream.machineconfiguration.openshift.io "rhel-10" not found';

  const found = withCode(await diagnose(message, [aMachineConfigHead('99-lately', 11)]), 'R0');

  expect(found).toMatchObject({ class: 'external', subject: { kind: 'MachineConfigPool' } });
  expect(found.sentence).toContain('the image stream of its operating system cannot be found or read');
  expect(found.sentence).not.toMatch(/two settings|99-lately/);
  expect(found.remedies[0]?.command).toContain('oc get osimagestreams');
});

test('[S1-4] the guilty MachineConfig is named where the words name it', async () => {
  const diagnosis = await diagnose(
    'reconciliation failed between current config "rendered-worker-aaa" and base config "99-disk": ignition disks section contains changes',
    [aMachineConfigHead('99-disk', 11)],
  );

  const found = withCode(diagnosis, 'R3');
  expect(found.subject).toMatchObject({ kind: 'MachineConfig', name: '99-disk' });
  expect(found.confidence).toBe('strong');
  // One, for who keeps it and what else has changed; no content is asked for.
  expect(diagnosis.calls).toBe(1);
  expect(found.remedies[0]?.title).toContain('99-disk');
});

/** Since OpenShift 4.20 the first MachineConfig is named that says nothing of the disks that are there already. */
describe.each(['ignition disks section contains changes', 'detected change to FIPS flag; refusing to modify FIPS'])(
  '[S1-4] [N-29] a comparison with the whole last render: %s',
  (why) => {
    const text = (name: string) =>
      `could not generate rendered MachineConfig: reconciliation failed between current config "rendered-worker-aaa" and base config "${name}": ${why}`;
    const template = aMachineConfigHead('00-worker', 9000, {
      annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' },
    });
    const rendered = aMachineConfigHead('rendered-worker-aaa', 8000);
    const edited = (name: string) =>
      aMachineConfigHead(name, 9000, {
        managedFields: [
          {
            manager: 'argocd-controller',
            operation: 'Apply',
            time: minutesAgo(10.2),
            fieldsV1: { 'f:spec': { 'f:config': {} } },
          },
        ],
      });

    test.each([
      ['that the MCO makes itself', '00-worker', ''],
      [
        'that is as it was in the last render',
        '99-worker-ssh',
        'reconciliation failed between current config "rendered-worker-aaa" and base config "99-worker-ssh": ',
      ],
    ])('blames no MachineConfig %s, but what was edited', async (_what, named, opening) => {
      const heads = [template, aMachineConfigHead('99-worker-ssh', 9000), edited('98-var-partition'), rendered];

      const diagnosis = await diagnose(text(named), heads);

      const found = withCode(diagnosis, 'R3');
      expect(found).toMatchObject({ subject: { name: '98-var-partition' }, confidence: 'likely' });
      expect(found.sentence).toContain(`probably 98-var-partition (changed just before): ${opening}${why}.`);
      expect(JSON.stringify(found.remedies)).not.toContain(named);
      expect(diagnosis.calls).toBe(1);
    });

    test('blames nobody where it was taken away', async () => {
      const found = withCode(await diagnose(text('00-worker'), [template, rendered]), 'R3');

      expect(found).toMatchObject({ subject: { kind: 'MachineConfigPool' }, confidence: 'strong' });
      expect(JSON.stringify([found.sentence, found.remedies])).not.toContain('00-worker');
      expect(found.remedies[0]?.title).toContain('Revert the last change of a MachineConfig');
    });

    test('blames none of two that were changed together before the other', async () => {
      const heads = [template, edited('98-var-partition'), edited('50-motd'), rendered];

      const found = withCode(await diagnose(text('50-motd'), heads), 'R3');

      expect(found.confidence).toBe('likely');
      expect(found.sentence).toContain('probably 50-motd and 98-var-partition');
    });

    test.each([
      ['has changed since the failure began', 2],
      ['has changed too long before', 20],
      ['has changed just before', 10.2],
    ])('[N-12] does not drop the one that is named, which %s', async (_when, changed) => {
      const mark = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' };
      const own = (name: string) => aMachineConfigHead(name, changed, { annotations: mark });
      const innocent = aMachineConfigHead('99-innocent', changed === 20 ? 10.2 : 8);

      for (const name of ['99-tenant', '99-worker-ssh', '00-tenant', '99-gpu-generated-kubelet', 'rendered-x', 'x']) {
        const found = withCode(await diagnose(text(name), [template, rendered, own(name), innocent]), 'R3');

        if (changed === 20)
          expect(found).toMatchObject({ subject: { kind: 'MachineConfigPool' }, confidence: 'likely' });
        else expect(found).toMatchObject({ subject: { kind: 'MachineConfig', name }, confidence: 'strong' });
        expect(found.sentence).toContain(
          changed === 20 ? `probably ${name} and 99-innocent: ` : `MachineConfig ${name}`,
        );
        expect(found.remedies[0]?.title).toBe(`In Git: revert or correct MachineConfig ${name}`);
      }
    });

    test('[decoy] blames the one that is named where it alone was changed', async () => {
      const found = withCode(
        await diagnose(text('98-var-partition'), [template, edited('98-var-partition'), rendered]),
        'R3',
      );

      expect(found).toMatchObject({ subject: { name: '98-var-partition' }, confidence: 'strong' });
    });
  },
);

test('[S1-4] else by what changed just before, from metadata alone: the pool selects it, and the MCO did not make it', async () => {
  const heads = [
    aMachineConfigHead('99-bad', 10.4),
    aMachineConfigHead('99-yesterday', 13),
    aMachineConfigHead('99-old', 9000),
    aMachineConfigHead('99-master', 11, { labels: { 'machineconfiguration.openshift.io/role': 'master' } }),
    aMachineConfigHead('99-worker-generated-kubelet', 11, {
      annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' },
    }),
    aMachineConfigHead('99-edited', 9000, {
      managedFields: [
        {
          manager: 'kubectl-edit',
          operation: 'Update',
          time: minutesAgo(10.2),
          fieldsV1: { 'f:spec': { 'f:config': {} } },
        },
      ],
    }),
  ];

  const diagnosis = await diagnose('parsing Ignition config failed: invalid version', heads);

  const found = withCode(diagnosis, 'R2');
  expect(found.sentence).toContain('probably 99-edited and 99-bad (changed just before)');
  expect(found.confidence).toBe('likely');
  expect(diagnosis.calls).toBe(1);
});

test('a failed read of the MachineConfigs is said', async () => {
  const world = aWorld({ refused: [{ path: /machineconfigs$/, why: 'forbidden' }] });

  const diagnosis = await look(world, poolSubject(world, 'render', cannotRender('invalid version')));

  expect(diagnosis.findings[0]?.sentence).toContain('Not read: the names of the MachineConfigs');
  expect(diagnosis.unanswered).toHaveLength(1);
});

test('an image build that fails names the build', async () => {
  const message = 'Failed to build OS image for pool worker (MachineOSBuild: worker-abc): exit status 1';
  const pool = aPool({ conditions: [aCondition({ type: 'ImageBuildDegraded', status: 'True', message })] });
  const world = aWorld();

  const diagnosis = await look(world, poolSubject(world, 'build', pool));

  expect(withCode(diagnosis, 'L1').subject).toMatchObject({ kind: 'MachineOSBuild', name: 'worker-abc' });
});

describe('[N-12] [N-29] what was changed since a render began to fail', () => {
  const since = [aMachineConfigHead('99-innocent', 8), aMachineConfigHead('99-later', 2)];

  test('[S1-4] is named as no more than that, and its revert is not what is advised', async () => {
    const { findings } = await diagnose('invalid version', [...since, aMachineConfigHead('99-old', 9000)]);

    const [found] = findings;
    expect(found).toMatchObject({ code: 'R2', subject: { kind: 'MachineConfigPool' }, confidence: 'possible' });
    expect(found?.sentence).toContain(
      '(what made it fail may have been taken away; changed since it fails: 99-later and 99-innocent): ',
    );
    expect(found?.remedies.map(({ title }) => title)).toEqual([
      `In Git: see which MachineConfig of pool worker was changed or taken away just before it failed, at ${minutesAgo(10)}, and revert that; only if nothing was, look at what changed since: 99-later and 99-innocent`,
    ]);
  });

  test('is no suspect beside what was changed just before', async () => {
    const found = withCode(await diagnose('invalid version', [...since, aMachineConfigHead('99-bad', 10.2)]), 'R2');

    expect(found).toMatchObject({ subject: { name: '99-bad' }, confidence: 'likely' });
    expect(JSON.stringify([found.sentence, found.remedies])).not.toMatch(/99-(?:innocent|later)/);
  });
});

describe('[N-12] [N-29] who edits a MachineConfig again after it made the render fail', () => {
  const edited = (name: string, created: number, changed: number) =>
    aMachineConfigHead(name, created, {
      managedFields: [
        { manager: 'argocd-controller', operation: 'Apply', time: minutesAgo(changed), fieldsV1: { 'f:spec': {} } },
      ],
    });
  const again = edited('99-bad', 10.2, 7);
  const innocent = [edited('99-old', 9000, 8), edited('99-worker-ssh', 10.3, 8), aMachineConfigHead('99-later', 2)];

  test('is found by when it was created, if no render has it', async () => {
    const found = withCode(await diagnose('invalid version', [again, ...innocent]), 'R2');

    expect(found).toMatchObject({ subject: { name: '99-bad' }, confidence: 'likely' });
    expect(found.evidence.map(({ path, value }) => [path, value])).toEqual([
      ['status.conditions[RenderDegraded].message', expect.anything()],
      ['metadata.creationTimestamp', minutesAgo(10.2)],
      ['changed', minutesAgo(7)],
    ]);
    expect(found.remedies[0]?.title).toBe('In Git: revert or correct MachineConfig 99-bad');
  });

  test('is named beside what somebody else changed in the same seconds', async () => {
    const found = withCode(await diagnose('invalid version', [again, aMachineConfigHead('99-motd', 10.15)]), 'R2');

    expect(found.sentence).toContain('probably 99-motd and 99-bad (changed just before)');
  });

  test('[decoy] a MachineConfig that was created after the failure takes the suspicion from no other one', async () => {
    const guilty = edited('99-guilty', 9000, 10.2);

    const found = withCode(await diagnose('invalid version', [guilty, edited('99-after', 9.3, 5)]), 'R2');

    expect(found).toMatchObject({ subject: { name: '99-guilty' }, confidence: 'likely' });
    expect(found.sentence).not.toContain('99-after');
  });

  test.each([
    ['that a render has', [edited('99-worker-ssh', 10.3, 8)]],
    ['that was there long before', [edited('99-old', 9000, 8)]],
  ])('[decoy] is not suspected more of one %s', async (_, heads) => {
    const found = withCode(await diagnose('invalid version', heads), 'R2');

    expect(found).toMatchObject({ subject: { kind: 'MachineConfigPool' }, confidence: 'possible' });
  });
});

describe('[N-12] [N-30] neither a mark nor a name takes a MachineConfig out of suspicion', () => {
  const annotations = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' };
  const innocent = aMachineConfigHead('99-innocent', 8);
  const own = ['99-tenant', '99-worker-ssh', '00-tenant', '01-arbiter-kubelet', '99-x-generated-kubelet', 'rendered-x'];

  test.each(own)('by when it was changed: %s', async (name) => {
    const heads = [aMachineConfigHead(name, 10.2, { annotations }), innocent];

    const found = withCode(await diagnose('parsing Ignition config failed: unknown version', heads), 'R2');

    expect(found).toMatchObject({ subject: { kind: 'MachineConfig', name }, confidence: 'likely' });
    expect(JSON.stringify([found.sentence, found.remedies])).not.toContain('99-innocent');
  });

  test.each(['rendered-tenant-mc', 'tenant'])('by the words of the MCO: %s', async (name) => {
    const heads = [aMachineConfigHead(name, 10.2), innocent];

    const found = withCode(await diagnose(`failed to parse Ignition config for MC "${name}": invalid`, heads), 'R2');

    expect(found).toMatchObject({ subject: { kind: 'MachineConfig', name }, confidence: 'strong' });
  });

  test.each(own)('the mark itself stops the render for good: %s', async (name) => {
    const heads = [aMachineConfigHead(name, 9000, { annotations }), innocent];

    const found = withCode(
      await diagnose(`Ignoring MC ${name} generated by older version abc (my version: def)`, heads),
      'R8',
    );

    expect(found).toMatchObject({
      subject: { kind: 'MachineConfig', name },
      confidence: 'strong',
      class: 'structural',
    });
    expect(found.remedies.map(({ title }) => title)).toEqual([
      `In Git: take annotation machineconfiguration.openshift.io/generated-by-controller-version, which was copied from a cluster, out of MachineConfig ${name}`,
    ]);
  });

  test.each([
    '00-worker',
    '01-master-container-runtime',
    '97-worker-generated-kubelet',
    '99-worker-generated-registries',
    '99-worker-generated-kubelet-1',
    '02-worker-internalreleaseimage',
    '00-override-worker-generated-crio-default-container-runtime',
    '99-worker-2c0c4a1e-1f0b-4d6a-9a52-0a58a9feac02-registries',
  ])('[decoy] what the MCO makes itself waits for the upgrade: %s', async (name) => {
    const found = withCode(
      await diagnose(`Ignoring MC ${name} generated by older version abc (my version: def)`),
      'R8',
    );

    expect(found).toMatchObject({ subject: { kind: 'MachineConfigPool' }, class: 'self-healing' });
    expect(found.remedies[0]?.title).toContain('Wait for the upgrade');
  });
});

describe('[N-12] [N-29] the MCO makes itself what is of any role that the pool merges', () => {
  const annotations = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' };
  const labels = { 'machineconfiguration.openshift.io/role': 'infra' };
  const own = [
    '97-infra-generated-kubelet',
    '98-infra-generated-kubelet',
    '99-infra-generated-kubelet',
    '99-infra-generated-registries',
    '99-worker-generated-registries',
    '99-canary-generated-containerruntime',
  ];

  async function ofCanary(message: string, machineConfigs: readonly Json[] = []) {
    const key = 'machineconfiguration.openshift.io/role';
    const machineConfigSelector = {
      matchExpressions: [{ key, operator: 'In', values: ['worker', 'infra'] }],
    } as const;
    const world = aWorld({ machineConfigs });
    const pool = { ...cannotRender(message, 'canary'), name: 'canary', machineConfigSelector };
    return look(world, poolSubject(world, 'render', pool));
  }

  test.each(own)('[decoy] during an upgrade: %s', async (name) => {
    const found = withCode(
      await ofCanary(`Ignoring MC ${name} generated by older version abc (my version: def)`),
      'R8',
    );

    expect(found).toMatchObject({ subject: { kind: 'MachineConfigPool' }, class: 'self-healing' });
  });

  test.each(own)('[decoy] as no suspect by when it was changed: %s', async (name) => {
    const heads = [
      aMachineConfigHead(name, 10.2, { annotations, labels }),
      aMachineConfigHead('99-tenant', 10.1, { labels }),
    ];

    const found = withCode(await ofCanary('parsing Ignition config failed: unknown version', heads), 'R2');

    expect(found).toMatchObject({ subject: { kind: 'MachineConfig', name: '99-tenant' }, confidence: 'likely' });
    expect(found.sentence).not.toContain(name);
  });

  test.each(['99-gpu-generated-kubelet', '99-tenant', '00-infra'])('[N-30] and nothing else: %s', async (name) => {
    const found = withCode(
      await ofCanary(`Ignoring MC ${name} generated by older version abc (my version: def)`),
      'R8',
    );

    expect(found).toMatchObject({ subject: { kind: 'MachineConfig', name }, class: 'structural' });
  });
});

test.each([
  ['when it is deleted and the pool is still degraded, nobody is', [], 'holds no valid Ignition configuration: '],
  ['one that was edited since is', [aMachineConfigHead('99-worker-motd', 10.1)], 'probably 99-worker-motd'],
] as const)('[S1-4] what the last render has as it still is was not the cause; %s', async (_, more, words) => {
  const rendered = aMachineConfigHead('rendered-worker-aaa', 11);
  const innocent = [aMachineConfigHead('00-worker', 11.2), aMachineConfigHead('99-worker-ssh', 11.2)];

  const diagnosis = await diagnose('parsing Ignition config failed: invalid version', [rendered, ...innocent, ...more]);

  const found = withCode(diagnosis, 'R2');
  expect(found.sentence).toContain(words);
  expect(found.sentence).not.toMatch(/00-worker|99-worker-ssh/);
  if (more.length === 0) expect(found.remedies[0]?.title).toContain('Revert the last change of a MachineConfig');
});

test.each([
  ['is gone', [], 'MachineConfig 99-motd is gone.'],
  ['was changed since', [aMachineConfigHead('99-motd', 2)], /^MachineConfig 99-motd was changed at \d\d:\d\d UTC\.$/],
  ['is as it was', [aMachineConfigHead('99-motd', 11)], undefined],
] as const)('[S1-13] the end says of the suspected MachineConfig that it %s', async (_, after, words) => {
  const { findings } = await diagnose('parsing Ignition config failed: unknown version', [
    aMachineConfigHead('99-motd', 11),
  ]);

  const key = { cluster: 'prod', pool: 'worker', kind: 'render-failed' } as const;
  const reader = readerOver(aWorld({ machineConfigs: [...after] }));
  const ended = await inquireAll(() => whatEnded({ key, findings }), reader, { maxCalls: 4, readAt: new Date(now) });

  expect(ended).toEqual(words instanceof RegExp ? expect.stringMatching(words) : words);
});
