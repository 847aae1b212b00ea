import { describe, expect, test } from 'vitest';
import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import { membershipOf } from '../../../../functions/core/openshift/membership.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aPool } from '../../../fakes/builders.ts';
import { aLiveNode, aRollingPool, aWorld, type Json, minutesAgo, newConfig, now } from '../diagnose/world.ts';
import { fact, kinds, passAfter, passOver, the } from './pass-over.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';

/** Paused by us, let go of, and the render does not list what the sync applied. */
const awaiting = aPool({
  paused: true,
  record: {
    kind: 'record',
    record: {
      v: 1,
      pause: 'ours',
      pausedSince: minutesAgo(10),
      holds: [],
      release: { since: minutesAgo(5), finishedAt: minutesAgo(5), machineConfigs: ['99-worker-chrony'], why: 'synced' },
    },
  },
});

function aTuningConfig(name: string, status: string, message: string, spec?: Json, type = 'Failure'): Json {
  return { metadata: { name }, spec, status: { conditions: [{ type, status, message }] } };
}

describe('a change that is applied and not rendered, with no word of the MCO', () => {
  test('is nobody’s trouble before the render is late', async () => {
    const passed = await passAfter(1, { pools: [awaiting], waitsForRender: ['worker'] });

    expect(passed).toMatchObject({ troubles: [], calls: 0 });
  });

  test('[S1-4] [N-12] is laid to the KubeletConfig that the MCO does not accept (R9)', async () => {
    const message = 'Error: KubeletConfiguration: clusterDNS is not allowed to be set, but contains: [10.0.0.1]';
    const world = aWorld({
      others: {
        [`${mco}/kubeletconfigs`]: [aTuningConfig('max-pods', 'False', message)],
        [`${mco}/containerruntimeconfigs`]: [],
      },
    });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    expect(kinds(passed)).toEqual(['worker/render-failed']);
    const trouble = the('render-failed', passed);
    expect(trouble.headline).toBe('what was applied is not rendered: KubeletConfig max-pods');
    expect(trouble.findings[0]).toMatchObject({ code: 'R9', class: 'structural', confidence: 'strong' });
    expect(trouble.findings[0]?.sentence).toContain('clusterDNS is not allowed to be set');
    expect(fact(trouble, 'Nodes affected')).toContain('none');
  });

  // OpenShift 4.21, 4.22, and 4.23 with 5.0.
  test.each([
    ['kubeletconfigs', 'a Failure that is False', [['Failure', 'False']]],
    ['kubeletconfigs', 'a Failure that is True', [['Failure', 'True']]],
    [
      'kubeletconfigs',
      'a Failure behind its Accepted',
      [
        ['Accepted', 'False'],
        ['Failure', 'True'],
      ],
    ],
    ['kubeletconfigs', 'an Accepted that is False', [['Accepted', 'False']]],
    ['containerruntimeconfigs', 'a Failure that is True', [['Failure', 'True']]],
  ])('[S1-4] [N-12] is laid to one of %s that is refused by %s', async (kind, _how, written) => {
    const conditions = written.map(([type, status]) => ({ type, status, message: 'Error: not allowed to be set' }));
    const refused = { metadata: { name: 'set-limits' }, status: { conditions } };
    const world = aWorld({ others: { [`${mco}/${kind}`]: [refused] } });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    expect(the('render-failed', passed).findings[0]).toMatchObject({ code: 'R9', subject: { name: 'set-limits' } });
  });

  test.each([
    [
      'whose newest text is not looked at',
      { observedGeneration: 2, conditions: [{ type: 'Success', status: 'True' }] },
    ],
    ['of which it says nothing yet', {}],
  ])('[S1-4] is laid to a KubeletConfig %s', async (_what, status) => {
    const world = aWorld({
      others: { [`${mco}/kubeletconfigs`]: [{ metadata: { name: 'max-pods', generation: 3 }, status }] },
    });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    const [found] = the('render-failed', passed).findings;
    expect(found).toMatchObject({ code: 'S10', class: 'external', subject: { name: 'max-pods' } });
    expect(found?.sentence).toContain('has not looked at KubeletConfig max-pods as it is now');
  });

  test.each(['Success', 'Accepted'])(
    '[S1-4] [decoy] is not laid to a KubeletConfig whose last word is %s',
    async (type) => {
      const conditions = [
        { type: 'Failure', status: 'True', message: 'Error: no' },
        { type, status: 'True', message: 'Success' },
      ];
      const fine = { metadata: { name: 'fine', generation: 2 }, status: { observedGeneration: 2, conditions } };
      const world = aWorld({ others: { [`${mco}/kubeletconfigs`]: [fine] } });

      const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

      expect(the('render-failed', passed).findings[0]?.subject.name).toBe('worker');
    },
  );

  test('[S1-4] [N-29] is not laid to a KubeletConfig of another pool, but to that of its own', async () => {
    const chooses = (role: string) => ({
      machineConfigPoolSelector: { matchLabels: { [`pools.operator.machineconfiguration.openshift.io/${role}`]: '' } },
    });
    const worker = { ...awaiting, labels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' } };
    const blamed = async (...configs: readonly Json[]) => {
      const others = { [`${mco}/kubeletconfigs`]: [], [`${mco}/containerruntimeconfigs`]: configs };
      const passed = await passAfter(3, {
        world: aWorld({ others }),
        pools: [worker],
        waitsForRender: ['worker'],
      });
      return the('render-failed', passed).findings[0]?.subject.name;
    };
    const ofInfra = aTuningConfig('a-infra', 'False', 'no', chooses('infra'));

    expect(await blamed(ofInfra)).toBe('worker');
    expect(await blamed(ofInfra, aTuningConfig('b-worker', 'False', 'no', chooses('worker')))).toBe('b-worker');
  });

  test('[S1-4] is laid to the ControllerConfig that is not completed (S10)', async () => {
    const world = aWorld({
      others: {
        [`${mco}/kubeletconfigs`]: [aTuningConfig('fine', 'True', 'Success', undefined, 'Success')],
        [`${mco}/containerruntimeconfigs`]: [],
        [`${mco}/controllerconfigs`]: [
          {
            metadata: { name: 'machine-config-controller' },
            status: {
              conditions: [{ type: 'TemplateControllerFailing', status: 'True', message: 'no such template' }],
            },
          },
        ],
      },
    });

    const passed = await passAfter(3, { world, pools: [awaiting], waitsForRender: ['worker'] });

    expect(the('render-failed', passed).findings[0]).toMatchObject({
      code: 'S10',
      subject: { kind: 'ControllerConfig' },
    });
  });

  test('[S1-4] without any reason to be seen says what is missing and where was looked', async () => {
    const passed = await passAfter(3, { pools: [awaiting], waitsForRender: ['worker'] });

    const [found] = the('render-failed', passed).findings;
    expect(found).toMatchObject({ code: 'S10', confidence: 'possible' });
    expect(found?.sentence).toContain('MachineConfig 99-worker-chrony has not got into the render of pool worker');
  });
});

describe('a node that two custom pools select', () => {
  const inBoth = aLiveNode('worker-7', {
    labels: { 'node-role.kubernetes.io/infra': '', 'node-role.kubernetes.io/gpu': '' },
  });
  const custom = (name: string) =>
    aRollingPool({ name, nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } });

  test('[S3-3] belongs to none, and is told once for each of them (S7)', async () => {
    const scene = { pools: [custom('infra'), custom('gpu')], everyNode: [nodeOf(inBoth)], world: aWorld() };

    const passed = await passAfter(5, scene);

    expect(kinds(passed)).toEqual(['infra/no-progress', 'gpu/no-progress']);
    expect(the('no-progress', passed)).toMatchObject({
      class: 'structural',
      since: minutesAgo(5),
      findings: [{ code: 'S7' }],
    });
    expect(the('no-progress', passed).findings[0]?.sentence).toBe(
      'worker-7 is selected by pool infra and by another custom pool, so the MCO lets it belong to none and updates it no more.',
    );
  });
});

describe('a node of pool arbiter that a custom pool selects', () => {
  const byRole = (name: string) =>
    aRollingPool({ name, nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } });
  const pools = ['master', 'arbiter', 'worker', 'infra'].map(byRole);

  test('[S3-3] belongs to none: membership knows master and worker by name, and arbiter as any other pool (S7)', async () => {
    const node = aLiveNode('arbiter-0', { role: 'arbiter', labels: { 'node-role.kubernetes.io/infra': '' } });

    const passed = await passAfter(5, { pools, everyNode: [nodeOf(node)], world: aWorld() });

    expect(kinds(passed)).toEqual(['infra/no-progress']);
    const { severity, findings } = the('no-progress', passed);
    expect(severity).toBe('warning');
    expect(findings[0]?.sentence).toBe(
      'arbiter-0 is selected by pool infra and by another custom pool, as which the MCO takes arbiter, so the MCO lets it belong to none and updates it no more.',
    );
    expect(findings[0]?.remedies.map((each) => each.command)).toContain(
      'oc label node arbiter-0 node-role.kubernetes.io/infra-',
    );
  });

  test.each([
    ['arbiter', ['arbiter']],
    ['arbiter', ['arbiter', 'worker']],
    ['master', ['arbiter', 'master']],
  ])('[S3-3] [decoy] it is in %s with the roles %j', (pool, roles) => {
    const labels = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, '']));

    expect(membershipOf({ labels }, pools)).toEqual({ kind: 'member', pool });
  });
});

describe('[S3-3] how a node leaves one of two custom pools', () => {
  const custom = (name: string, nodeSelector: Pool['nodeSelector']) => aRollingPool({ name, nodeSelector });
  const byRole = (name: string) => custom(name, { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } });
  const roles = Object.fromEntries(
    ['app', 'gpu', 'infra'].map((role) => [`node-role.kubernetes.io/${role}`, role === 'gpu' ? 'big' : '']),
  );
  const gpu = custom('gpu', { matchExpressions: [{ key: 'node-role.kubernetes.io/gpu', operator: 'Exists' }] });

  async function remediesOf(pools: readonly Pool[], node: ReturnType<typeof aLiveNode>) {
    const passed = await passAfter(5, { pools, everyNode: [nodeOf(node)], world: aWorld() });
    return passed.troubles
      .flatMap(({ findings }) => findings)
      .map(({ code, remedies }) => ({ code, remedies: remedies.filter(({ risk }) => risk !== 'none') }));
  }

  test('each pool offers the label that it selects by, says that the node reboots, and keeps its value', async () => {
    const node = aLiveNode('worker-7', { labels: roles });

    const told = await remediesOf([byRole('infra'), gpu], node);

    expect(told).toMatchObject([
      {
        code: 'S7',
        remedies: [
          {
            title: expect.stringContaining('it drains and reboots'),
            command: 'oc label node worker-7 node-role.kubernetes.io/infra-',
            risk: 'outage',
          },
        ],
      },
      {
        code: 'S7',
        remedies: [
          {
            command: 'oc label node worker-7 node-role.kubernetes.io/gpu-',
            undo: 'oc label node worker-7 node-role.kubernetes.io/gpu=big',
            risk: 'outage',
          },
        ],
      },
    ]);
  });

  test('no command takes away what a node has for more than its pool', async () => {
    const node = aLiveNode('worker-7', { labels: { ...roles, 'topology.kubernetes.io/zone': 'a' } });
    const zone = custom('zone-a', { matchLabels: { 'topology.kubernetes.io/zone': 'a' } });

    const told = await remediesOf([zone, gpu], node);

    expect(told[0]?.remedies).toMatchObject([{ command: undefined, undo: undefined, risk: 'outage' }]);
  });

  test('a node of the control plane in two of them is updated by none, and never loses its own role', async () => {
    const master = aPool({ name: 'master', nodeSelector: { matchLabels: { 'node-role.kubernetes.io/master': '' } } });
    const node = aLiveNode('master-0', {
      role: 'master',
      labels: { 'node-role.kubernetes.io/control-plane': '', ...roles },
    });

    const told = await remediesOf([master, byRole('infra'), gpu], node);

    expect(told.map(({ code }) => code)).toEqual(['S7', 'S7']);
    expect(told.flatMap(({ remedies }) => remedies).map((each) => each.command)).toEqual([
      'oc label node master-0 node-role.kubernetes.io/infra-',
      'oc label node master-0 node-role.kubernetes.io/gpu-',
    ]);
  });
});

describe('a node that the MCO has configured', () => {
  const old = { currentConfig: 'rendered-worker-aaa', desiredConfig: 'rendered-worker-aaa' };
  const labelLost = nodeOf(aLiveNode('worker-7', { role: 'storage', annotations: old }));
  const lost = { pools: [aPool()], everyNode: [nodeOf(aLiveNode('worker-1')), labelLost] };

  test('[S3-3] and that no pool selects any more is told of the pool it was in (S8)', async () => {
    const passed = await passAfter(5, lost);

    expect(kinds(passed)).toEqual(['worker/no-progress']);
    expect(the('no-progress', passed)).toMatchObject({
      class: 'structural',
      severity: 'warning',
      since: minutesAgo(5),
      headline: 'worker-7 in no pool: not updated',
      findings: [{ code: 'S8', sentence: 'No pool selects worker-7 any more, so the MCO updates it no more.' }],
    });
  });

  test('is neither told nor called over while nobody looks at all nodes, and no clock is lost', async () => {
    const told = await passAfter(5, lost);

    const between = await passOver({ pools: [aPool()], firstSeen: told.firstSeen });
    const over = await passOver({ pools: [aPool()], everyNode: [], firstSeen: between.firstSeen });

    expect(between.troubles).toEqual([]);
    expect(between.unseen).toMatchObject([{ pool: 'worker', kinds: ['no-progress'] }]);
    expect(between.firstSeen).toEqual(told.firstSeen);
    expect([over.troubles, over.unseen, over.firstSeen]).toEqual([[], [], {}]);
  });

  test.each([
    ['has no configuration of it', { role: 'edge', annotations: { currentConfig: '', desiredConfig: '' } }],
    ['runs Windows', { role: 'edge', annotations: old, labels: { 'kubernetes.io/os': 'windows' } }],
  ])('[decoy] is meant: one that %s is none of its business', async (_why, change) => {
    const passed = await passAfter(5, { pools: [aPool()], everyNode: [nodeOf(aLiveNode('edge-1', change))] });

    expect(kinds(passed)).toEqual([]);
  });
});

describe('a node of the control plane that a custom pool selects', () => {
  const pools = ['master', 'infra'].map((name) =>
    aPool({ name, nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } }),
  );
  const master = aLiveNode('master-0', { role: 'master', labels: { 'node-role.kubernetes.io/infra': '' } });

  test('[S3-3] stays there, which is told of the custom pool (S9)', async () => {
    const passed = await passAfter(5, { pools, everyNode: [nodeOf(master)] });

    expect(kinds(passed)).toEqual(['infra/no-progress']);
    expect(the('no-progress', passed)).toMatchObject({ severity: 'info', findings: [{ code: 'S9' }] });
    expect(the('no-progress', passed).findings[0]?.sentence).toBe(
      'Custom pool infra selects master-0, which is a node of the control plane: the MCO keeps it there, and what is meant for infra never reaches it; before OpenShift 4.14 it is in no pool and not updated at all.',
    );
  });

  test('[decoy] is not told where it is a worker as well', async () => {
    const compact = aLiveNode('master-0', { role: 'master', labels: { 'node-role.kubernetes.io/worker': '' } });

    const passed = await passAfter(5, { pools: [...pools, aPool()], everyNode: [nodeOf(compact)] });

    expect(kinds(passed)).toEqual([]);
  });
});

test('[S1-2] a degraded node says how many wait behind it (S5)', async () => {
  const failing = aLiveNode('worker-2', {
    annotations: {
      state: 'Degraded',
      reason: 'failed to update OS to quay.io/x: unauthorized',
      desiredConfig: newConfig,
    },
  });
  const world = aWorld({ nodes: [failing, aLiveNode('worker-1'), aLiveNode('worker-3')] });

  const passed = await passAfter(5, { at: now, world, pools: [aRollingPool()] });

  expect(fact(the('node-degraded', passed), 'Waiting')).toBe('2 nodes behind it (maxUnavailable 1)');
});
