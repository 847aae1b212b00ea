import { describe, expect, test } from 'vitest';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { codes, look, withCode } from './look.ts';
import {
  aController,
  aLiveNode,
  aMachine,
  aPod,
  aRollingPool,
  aWorld,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  oldConfig,
  poolSubject,
} from './world.ts';

const silent = {
  status: 'Unknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: minutesAgo(20),
};

function cordonedBy(manager: string): Parameters<typeof aLiveNode>[1] {
  return {
    unschedulable: true,
    taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: minutesAgo(3 * 24 * 60) }],
    managedFields: [
      {
        manager,
        operation: 'Update',
        time: minutesAgo(3 * 24 * 60),
        fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
      },
    ],
  };
}

function daemonOn(node: string, change: Parameters<typeof aPod>[1] = {}): Json {
  return aPod(`machine-config-daemon-${node}`, {
    namespace: 'openshift-machine-config-operator',
    node,
    labels: { 'k8s-app': 'machine-config-daemon' },
    owner: { kind: 'DaemonSet', name: 'machine-config-daemon', controller: true },
    ...change,
  });
}

describe('a pool that waits without being Degraded', () => {
  test('names the node that uses its budget up, who cordoned it and since when (S1)', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', cordonedBy('kubectl')), aLiveNode('worker-3')],
    });

    const diagnosis = await look(world, poolSubject(world, 'stalled'));

    expect(codes(diagnosis)).toEqual(['S12', 'S1']);
    expect(withCode(diagnosis, 'S12').sentence).toBe(
      'Pool worker waits: 3 nodes of 3 are still to be taken to its configuration, because its budget of 1 unavailable node is used up by worker-7.',
    );
    expect(withCode(diagnosis, 'S1').sentence).toBe(
      "worker-7 was cordoned 3 days ago through kubectl; no drain is asked for, so it is not this update's doing.",
    );
    expect(withCode(diagnosis, 'S1').remedies[0]?.command).toBe('oc adm uncordon worker-7');
    expect(diagnosis.calls).toBe(3);
  });

  test('tells a cordon that the MCO left behind from one by hand', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-7', cordonedBy('machine-config-controller'))] });

    const diagnosis = await look(world, poolSubject(world, 'stalled'));

    expect(withCode(diagnosis, 'S1').sentence).toContain('cordoned 3 days ago by the MCO and never uncordoned');
  });

  test('names an unreachable node with the words of its Ready condition (S2)', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent })] });

    const diagnosis = await look(world, poolSubject(world, 'stalled'));

    expect(codes(diagnosis)).toEqual(['S12', 'S2']);
    expect(withCode(diagnosis, 'S2').sentence).toBe(
      'worker-7 is unreachable for 20 min: Kubelet stopped posting node status.',
    );
    expect(withCode(diagnosis, 'S2').confidence).toBe('certain');
  });

  describe.each([
    ['DiskPressure', 'disk-pressure', 'Free disk space on worker-7'],
    ['NetworkUnavailable', 'network-unavailable', 'Look at the network plugin on worker-7'],
  ])('a node that answers and has %s', (type, taint, title) => {
    const pressed = aLiveNode('worker-7', {
      taints: [{ key: `node.kubernetes.io/${taint}`, effect: 'NoSchedule', timeAdded: minutesAgo(60) }],
      conditions: [{ type, status: 'True', message: 'kubelet says so', lastTransitionTime: minutesAgo(60) }],
    });
    const world = aWorld({ nodes: [aLiveNode('worker-1'), pressed], pods: [aController(true)] });

    test.each([
      ['stalled', ['S12', 'S11']],
      ['unavailable', ['S11']],
    ] as const)(
      '[S1-4] [N-12] is found though no table has it, where the pool is %s (S11)',
      async (symptom, expected) => {
        const diagnosis = await look(world, poolSubject(world, symptom));

        expect(codes(diagnosis)).toEqual(expected);
        expect(withCode(diagnosis, 'S11')).toMatchObject({ subject: { name: 'worker-7' }, confidence: 'certain' });
        expect(withCode(diagnosis, 'S11').remedies[0]?.title).toBe(title);
      },
    );

    test('[S1-4] uses the budget up', async () => {
      const diagnosis = await look(world, poolSubject(world, 'stalled'));

      expect(withCode(diagnosis, 'S12').sentence).toContain('its budget of 1 unavailable node is used up by worker-7');
    });

    test('[decoy] is not looked for where the table shows all that the pool counts', async () => {
      const cordoned = aWorld({ nodes: [aLiveNode('worker-1', cordonedBy('kubectl')), pressed] });

      const diagnosis = await look(cordoned, poolSubject(cordoned, 'stalled'));

      expect(codes(diagnosis)).toEqual(['S12', 'S1']);
      expect(diagnosis.calls).toBe(3);
    });

    test('[S1-4] that cannot be looked for makes the finding weaker', async () => {
      const refused = [{ path: /^\/api\/v1\/nodes$/, why: 'forbidden' }];

      const diagnosis = await look({ ...world, refused }, poolSubject(world, 'stalled'));

      expect(withCode(diagnosis, 'S12').confidence).toBe('possible');
      expect(withCode(diagnosis, 'S12').sentence).toContain('Not read:');
    });
  });

  test('without any missing node says what was looked at', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')] });

    const diagnosis = await look(world, poolSubject(world, 'stalled'));

    expect(codes(diagnosis)).toEqual(['S12']);
    expect(withCode(diagnosis, 'S12')).toMatchObject({ class: 'unknown', confidence: 'possible' });
  });

  test('is understood just as well by a server that knows no tables', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent })] });

    const table = await look(world, poolSubject(world, 'stalled'));
    const plain = await look({ ...world, withoutTables: true }, poolSubject(world, 'stalled'));

    expect(plain.findings).toEqual(table.findings);
  });

  test('of many nodes reads only a few of them one by one', async () => {
    const nodes = Array.from({ length: 400 }, (_, index) =>
      aLiveNode(`worker-${index}`, index < 30 ? { ready: silent } : {}),
    );
    const world = aWorld({ nodes });

    const diagnosis = await look(world, poolSubject(world, 'stalled', aRollingPool({ maxUnavailable: '5%' })));

    expect(diagnosis.calls).toBeLessThanOrEqual(6);
    expect(withCode(diagnosis, 'S12').because).toHaveLength(30);
  });
});

describe('[S1-4] a pool whose budget is larger than what is missing', () => {
  const ten = (first: string = 'rendered-worker-aaa') =>
    Array.from({ length: 10 }, (_, index) =>
      index === 0
        ? aLiveNode('worker-0', cordonedBy('kubectl'))
        : aLiveNode(`worker-${index}`, { annotations: { currentConfig: first, desiredConfig: first } }),
    );

  test.each(['3', '50%'])('(%s) waits for the controller that does not run, not for one cordon', async (budget) => {
    const world = aWorld({ nodes: ten(), pods: [aController(false)] });

    const diagnosis = await look(world, poolSubject(world, 'stalled', aRollingPool({ maxUnavailable: budget })));

    expect(codes(diagnosis)).toEqual(['S12', 'S13']);
    expect(withCode(diagnosis, 'S12').sentence).toContain('and nobody moves them');
  });

  test('claims nothing where the controller runs, and still names the cordon', async () => {
    const world = aWorld({ nodes: ten(), pods: [aController(true)] });

    const diagnosis = await look(world, poolSubject(world, 'stalled', aRollingPool({ maxUnavailable: '3' })));

    expect(withCode(diagnosis, 'S12')).toMatchObject({ confidence: 'possible', class: 'unknown' });
    expect(withCode(diagnosis, 'S12').sentence).toContain(
      'its budget of 3 unavailable nodes is not used up by worker-0',
    );
    expect(withCode(diagnosis, 'S1').confidence).toBe('possible');
  });

  test('and of which only that node is left says that the MCO takes no such node', async () => {
    const world = aWorld({ nodes: ten(newConfig), pods: [aController(true)] });

    const diagnosis = await look(world, poolSubject(world, 'stalled', aRollingPool({ maxUnavailable: '3' })));

    expect(codes(diagnosis)).toEqual(['S12', 'S1']);
    expect(withCode(diagnosis, 'S12')).toMatchObject({ confidence: 'strong', remedies: [] });
    expect(withCode(diagnosis, 'S12').sentence).toContain(
      'the MCO takes no node that is cordoned or not ready, and the one that is left is: worker-0',
    );
  });
});

describe('[S1-4] [N-29] image mode: a pool to which only another image is pending', () => {
  const imageOf = (digit: string) => `registry.example.com/os@sha256:${digit.repeat(64)}`;
  const has = (digit: string) => ({ currentImage: imageOf(digit), desiredImage: imageOf(digit) });
  const message = `All nodes are updating to MachineConfig ${oldConfig} / Image ${imageOf('2')}`;
  const pool = aPool({
    maxUnavailable: '2',
    counts: { machines: 3, updated: 0, ready: 0, unavailable: 1, degraded: 0 },
    conditions: [aCondition({ type: 'Updating', status: 'True', message })],
  });
  const over = (digit: string, runs: boolean) =>
    aWorld({
      nodes: [
        aLiveNode('worker-1', { annotations: has(digit) }),
        aLiveNode('worker-2', { annotations: has(digit) }),
        aLiveNode('worker-7', { annotations: has('1'), ...cordonedBy('kubectl') }),
      ],
      pods: [aController(runs)],
    });

  test('waits for the controller that does not run, with the nodes that have the old image', async () => {
    const world = over('1', false);

    const diagnosis = await look(world, poolSubject(world, 'stalled', pool));

    expect(codes(diagnosis)).toEqual(['S12', 'S13']);
    expect(withCode(diagnosis, 'S12').sentence).toBe(
      'Pool worker waits: 3 nodes of 3 are still to be taken to its image, and nobody moves them.',
    );
  });

  test('and of which one cordoned node is left waits for that one', async () => {
    const world = over('2', true);

    const diagnosis = await look(world, poolSubject(world, 'stalled', pool));

    expect(withCode(diagnosis, 'S12').sentence).toContain(
      '1 node of 3 is still to be taken to its image, because the MCO takes no node that is cordoned or not ready, and the one that is left is: worker-7',
    );
  });

  test('[decoy] nobody is left: that is no reason', async () => {
    const world = over('2', true);
    const done = { ...pool, conditions: [] };

    const diagnosis = await look(world, poolSubject(world, 'stalled', done));

    expect(withCode(diagnosis, 'S12')).toMatchObject({ confidence: 'possible', class: 'unknown' });
  });
});

test.each(['abc', '-1'].flatMap((size) => [[size, true] as const, [size, false] as const]))(
  '[S1-4] [S3-6] [N-31] an invalid maxUnavailable (%s) stops the pool, whoever is missing (%s)',
  async (size, isMissing) => {
    const nodes = isMissing ? [aLiveNode('worker-0', cordonedBy('kubectl'))] : [aLiveNode('worker-1')];
    const world = aWorld({ nodes, pods: [aController(true)] });

    const diagnosis = await look(world, poolSubject(world, 'stalled', aRollingPool({ maxUnavailable: size })));

    const { sentence, remedies } = withCode(diagnosis, 'S12');
    expect(sentence).toContain('is no valid number or percentage: the MCO takes no node');
    expect(sentence).not.toContain('used up');
    expect(remedies[0]?.command).toContain('patch mcp worker');
  },
);

describe('nodes that are missing outside of a rollout', () => {
  test("are the unready ones; [decoy] a cordon is nobody's trouble then", async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1', cordonedBy('kubectl')), aLiveNode('worker-7', { ready: silent })],
    });

    const diagnosis = await look(world, poolSubject(world, 'unavailable'));

    expect(codes(diagnosis)).toEqual(['S2']);
  });

  test('a status that cannot be read is not taken for health', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-7', { ready: silent })],
      refused: [{ path: /nodes$/, why: 'timeout' }],
    });

    const diagnosis = await look(world, poolSubject(world, 'unavailable'));

    expect(diagnosis.findings).toEqual([]);
    expect(diagnosis.unanswered).toHaveLength(1);
  });
});

describe('a node whose step takes too long', () => {
  const onItsWay = { annotations: { desiredConfig: newConfig, state: 'Working' } };

  test('did not come back from its reboot (S3)', async () => {
    const annotations = { ...onItsWay.annotations, 'post-config-action': 'Rebooting' };
    const world = aWorld({ nodes: [aLiveNode('worker-2', { annotations, ready: silent })] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'rebooting'));

    expect(codes(diagnosis)).toEqual(['S3']);
    expect(withCode(diagnosis, 'S3').sentence).toBe(
      'worker-2 was rebooted and has not come back for 20 min: its kubelet is silent (Kubelet stopped posting node status).',
    );
  });

  test('came back, but its kubelet is not ready, in its own words (S3)', async () => {
    const ready = { status: 'False', message: 'container runtime network not ready: NetworkPluginNotReady' };
    const world = aWorld({ nodes: [aLiveNode('worker-2', { ...onItsWay, ready })] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'rebooting'));

    expect(withCode(diagnosis, 'S3').sentence).toContain('NetworkPluginNotReady');
  });

  test('has no config daemon (S4)', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } })] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'waiting'));

    expect(codes(diagnosis)).toEqual(['S4']);
    expect(withCode(diagnosis, 'S4').sentence).toContain('no machine-config-daemon runs on worker-2');
  });

  test('has one that cannot start (S4)', async () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
    const world = aWorld({
      nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } })],
      pods: [
        daemonOn('worker-2', { ready: false, containers: [{ name: 'machine-config-daemon', state: { waiting } }] }),
      ],
    });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'waiting'));

    expect(withCode(diagnosis, 'S4').sentence).toContain('is not ready (ImagePullBackOff: Back-off pulling image)');
    expect(withCode(diagnosis, 'S4')).toMatchObject({ confidence: 'certain' });
  });

  test('[S1-4] [decoy] with a daemon beside which only the proxy for metrics is broken (S4)', async () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off' };
    const containers = [
      { name: 'machine-config-daemon', ready: true, state: { running: {} } },
      { name: 'kube-rbac-proxy', ready: false, state: { waiting } },
    ];
    const world = aWorld({
      nodes: [aLiveNode('worker-2', onItsWay)],
      pods: [daemonOn('worker-2', { ready: false, containers })],
    });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'working')))).toEqual(['W1']);
  });

  describe('[S1-4] [N-12] with an image that cannot be pulled', () => {
    const failed = (lastTransitionTime: string) => [
      {
        type: 'UpdateExecuted',
        status: 'Unknown',
        message: 'Updating the OS on disk',
        lastTransitionTime: minutesAgo(20),
      },
      {
        type: 'ImagePulledFromRegistry',
        status: 'False',
        message:
          'Failed to pull OS image quay.io/a@sha256:12 from registry: failed to update OS to quay.io/a@sha256:12 after retries: error: unauthorized: access to the requested resource is not authorized: timed out waiting for the condition',
        lastTransitionTime,
      },
    ];
    const codesWith = async (lastTransitionTime: string) => {
      const world = aWorld({
        nodes: [aLiveNode('worker-2', onItsWay)],
        pods: [daemonOn('worker-2')],
        machines: [aMachine('worker-2', failed(lastTransitionTime))],
      });
      const subject = nodeSubject(world, 'worker-2', 'working');
      return codes(await look(world, { ...subject, node: { ...subject.node, targetedAt: minutesAgo(25) } }));
    };

    test('it is told while the daemon tries again (N5)', async () => {
      expect(await codesWith(minutesAgo(5))).toEqual(['N5']);
    });

    test('[decoy] one of an update before does not count', async () => {
      expect(await codesWith(minutesAgo(300))).toEqual(['W1']);
    });
  });

  test('and nothing else is wrong: its step is told, and what was looked at (W1)', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-2', onItsWay)],
      pods: [daemonOn('worker-2')],
      machines: [
        aMachine('worker-2', [
          { type: 'Drained', status: 'True', message: 'done', lastTransitionTime: minutesAgo(30) },
          {
            type: 'AppliedFilesAndOS',
            status: 'Unknown',
            message: 'Applying files and new OS config to node.',
            lastTransitionTime: minutesAgo(25),
          },
        ]),
      ],
    });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'working'));

    expect(withCode(diagnosis, 'W1').sentence).toContain(
      'Its step AppliedFilesAndOS says: Applying files and new OS config',
    );
    expect(withCode(diagnosis, 'W1')).toMatchObject({ class: 'unknown', confidence: 'possible' });
  });
});
