import { describe, expect, test } from 'vitest';
import { preflight } from '../../../../functions/core/diagnose/preflight/preflight.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { codes, drainOf, flat, look, withCode } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  membersIn,
  minutesAgo,
  nodeSubject,
  now,
  poolSubject,
  readerOver,
  refused,
  type World,
} from './world.ts';

const api = '/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api';

function aMachineSet(
  name: string,
  change: {
    readonly replicas?: number;
    readonly labels?: Json;
    readonly taints?: readonly Json[];
    readonly metadata?: Json;
  } = {},
): Json {
  return {
    metadata: { name, namespace: 'openshift-machine-api', ...change.metadata },
    spec: {
      replicas: change.replicas ?? 3,
      template: { spec: { metadata: { labels: change.labels ?? {} }, taints: change.taints ?? [] } },
    },
  };
}

function aMachine(name: string, phase: string, change: Json = {}, metadata: Json = {}): Json {
  return {
    metadata: {
      name,
      namespace: 'openshift-machine-api',
      labels: { 'machine.openshift.io/cluster-api-machineset': 'worker-d' },
      ...metadata,
    },
    status: { phase, ...change },
  };
}

/** The pinned pod of a budget is Pending, and the only node that has what it asks for is drained. */
function deadlock(sets: readonly Json[], machines: readonly Json[] = []): World {
  const pinned = { spec: { nodeSelector: { disk: 'ssd' } } };
  return aWorld({
    nodes: [aDrainingNode('worker-2', { labels: { disk: 'ssd' } }), aLiveNode('worker-3')],
    pods: [
      aPod('web-a', { node: 'worker-2', ...pinned }),
      aPendingPod(
        'web-b',
        "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match Pod's node affinity/selector.",
        pinned,
      ),
    ],
    budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
    machines: [drainFailing('worker-2', refused('web-a'))],
    others: { [`${api}/machinesets`]: sets, [`${api}/machines`]: machines },
  });
}

describe('[S3-13] one more node', () => {
  test('is advised by the MachineSet whose nodes have what the pod asks for, with command and undo', async () => {
    const diagnosis = await drainOf(
      deadlock([aMachineSet('worker-a'), aMachineSet('worker-d', { replicas: 1, labels: { disk: 'ssd' } })]),
    );

    const [first] = withCode(diagnosis, 'self-deadlock').remedies;
    expect(first).toMatchObject({
      title: 'Add a node: MachineSet worker-d, whose nodes have disk=ssd, from 1 to 2',
      command: 'oc -n openshift-machine-api scale machinesets.machine.openshift.io worker-d --replicas=2',
      undo: 'oc -n openshift-machine-api scale machinesets.machine.openshift.io worker-d --replicas=1',
      risk: 'low',
    });
  });

  test('[decoy] no MachineSet is named whose nodes the pod could not run on', async () => {
    const tainted = aMachineSet('worker-t', {
      labels: { disk: 'ssd' },
      taints: [{ key: 'gpu', value: '', effect: 'NoSchedule' }],
    });

    const diagnosis = await drainOf(deadlock([aMachineSet('worker-a'), tainted]));

    const titles = withCode(diagnosis, 'self-deadlock').remedies.map(({ title }) => title);
    expect(titles.join()).not.toContain('MachineSet');
    expect(titles).toContain('Add a second node on which it may run');
  });

  test.each([
    [100, 'Add a node: MachineSet worker-d, whose nodes have disk=ssd, from 3 to 4'],
    [300, 'Add a node, or free room on one'],
  ])('[N-12] [N-30] a MachineSet is compared with what a pod asks for, of %i tolerations', async (count, title) => {
    const tolerations = Array.from({ length: count }, (_, nth) => ({ key: `k${nth}`, operator: 'Exists' }));
    const world = deadlock([aMachineSet('worker-d', { labels: { disk: 'ssd' } })]);
    const form = { spec: { nodeSelector: { disk: 'ssd' }, tolerations } };
    const waiting = aPendingPod('web-b', '0/2 nodes are available: 2 Insufficient cpu.', form);
    const nodes = [...world.nodes, aLiveNode('worker-4', { labels: { disk: 'ssd' } })];

    const diagnosis = await drainOf({ ...world, nodes, pods: [aPod('web-a', { node: 'worker-2' }), waiting] });

    expect(withCode(diagnosis, 'U4').remedies[0]?.title).toBe(title);
  });

  test('where the autoscaler has reached its maximum, raising that is the advice', async () => {
    const full = aMachineSet('worker-d', {
      replicas: 4,
      labels: { disk: 'ssd' },
      metadata: { annotations: { 'machine.openshift.io/cluster-api-autoscaler-node-group-max-size': '4' } },
    });

    const [first] = withCode(await drainOf(deadlock([full])), 'self-deadlock').remedies;

    expect(first?.title).toContain('Raise the maximum of the MachineAutoscaler of MachineSet worker-d');
    expect(first?.command).toBeUndefined();
  });

  test('that is on its way is waited for', async () => {
    const diagnosis = await drainOf(
      deadlock([aMachineSet('worker-d', { labels: { disk: 'ssd' } })], [aMachine('worker-d-x', 'Provisioning')]),
    );

    expect(withCode(diagnosis, 'self-deadlock')).toMatchObject({ class: 'self-healing' });
    expect(withCode(diagnosis, 'self-deadlock').sentence).toContain('machine worker-d-x is Provisioning');
  });

  test('[decoy] that has been on its way for hours is waited for by nobody: it is named as stuck', async () => {
    const stuck = aMachine('worker-d-x', 'Provisioned', {}, { creationTimestamp: minutesAgo(180) });

    const diagnosis = await drainOf(deadlock([aMachineSet('worker-d', { labels: { disk: 'ssd' } })], [stuck]));

    const found = withCode(diagnosis, 'self-deadlock');
    expect(found.class).toBe('structural');
    expect(found.sentence).not.toContain('on its way');
    expect(found.remedies[0]?.title).toContain('(its machine worker-d-x has been Provisioned for 3 h)');
  });

  test('a set that is kept in Git with self-heal is not scaled live', async () => {
    const kept = aMachineSet('worker-d', {
      labels: { disk: 'ssd' },
      metadata: {
        annotations: {
          'argocd.argoproj.io/tracking-id': 'machines:machine.openshift.io/MachineSet:openshift-machine-api/worker-d',
        },
      },
    });
    const applications = [
      {
        ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'machines' },
        sources: [{ repoURL: 'https://github.com/acme/platform', path: 'machines', targetRevision: 'main', chart: '' }],
        selfHeal: true,
      },
    ];
    const world = deadlock([kept]);

    const diagnosis = await look(world, { ...nodeSubject(world, 'worker-2', 'draining'), applications });

    const [first] = withCode(diagnosis, 'self-deadlock').remedies;
    expect(first?.command).toBeUndefined();
    expect(first?.title).toContain('through Git');
  });

  test('is advised before a resume too, and costs no more than fifteen calls a node', async () => {
    const world = deadlock([aMachineSet('worker-d', { labels: { disk: 'ssd' } })]);
    const pool = aRollingPool();
    const nodes = membersIn(world, pool);
    const reader = readerOver({
      ...world,
      pods: ['web-a', 'web-b'].map((name) => aPod(name, { node: 'worker-2', spec: { nodeSelector: { disk: 'ssd' } } })),
      budgets: [
        aBudget('web', {
          spec: { minAvailable: 1 },
          status: { desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 },
        }),
      ],
    });
    const subject = { cluster: 'prod', pool, nodes, touched: nodes.slice(0, 1), readAt: now };

    const { obstacles } = await inquireAll(() => preflight(subject, { budgets: 5, pages: 5, nodes: 0 }), reader, {
      maxCalls: 15,
      readAt: new Date(now),
    });

    expect(obstacles[0]?.finding.remedies[0]?.title).toContain('MachineSet worker-d');
    expect((await drainOf(world)).calls).toBeLessThanOrEqual(15);
  });
});

describe('[S3-13] the machine of a lost node', () => {
  const silent = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(20),
  };

  function lost(machines: readonly Json[]): World {
    const node = aLiveNode('worker-2', { ready: silent });
    const metadata = { ...Object(node['metadata']) };
    return aWorld({
      nodes: [
        {
          ...node,
          metadata: {
            ...metadata,
            annotations: {
              ...metadata.annotations,
              'machine.openshift.io/machine': 'openshift-machine-api/worker-d-x',
            },
          },
        },
      ],
      others: { [`${api}/machines`]: machines },
    });
  }

  test('that has failed is the cause, and its MachineSet makes a new one', async () => {
    const world = lost([aMachine('worker-d-x', 'Failed', { errorMessage: 'instance was terminated by the provider' })]);

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'rebooting'));

    expect(codes(diagnosis)).toEqual(['S3', 'S15']);
    expect(withCode(diagnosis, 'S15').sentence).toBe(
      'Machine worker-d-x has failed: instance was terminated by the provider.',
    );
    expect(withCode(diagnosis, 'S3').remedies.at(-1)).toMatchObject({
      title:
        'Replace it: MachineSet worker-d makes a new machine once worker-d-x is deleted; what pods keep on its disks is lost',
      command: 'oc -n openshift-machine-api delete machines.machine.openshift.io worker-d-x',
      risk: 'data-loss',
    });
  });

  test('that is gone says that the node does not come back', async () => {
    const world = lost([]);

    const diagnosis = await look(world, poolSubject(world, 'unavailable'));

    expect(codes(diagnosis)).toEqual(['S2', 'S15']);
    expect(withCode(diagnosis, 'S15').class).toBe('structural');
  });

  test('[N-12] [N-31] that is not found is told as no more than that', async () => {
    const world = lost([]);

    const diagnosis = await look(world, poolSubject(world, 'unavailable'));

    expect(withCode(diagnosis, 'S15')).toMatchObject({
      confidence: 'likely',
      sentence:
        'Machine worker-d-x, which worker-2 names as its own, was not found: if it was deleted, the node does not come back.',
    });
    expect(withCode(diagnosis, 'S15').remedies.map(({ risk, command }) => [risk, command])).toEqual([
      ['none', 'oc get machines.machine.openshift.io -A -o wide'],
      ['outage', 'oc delete node worker-2'],
    ]);
  });

  test("[N-30] [N-31] that is another node's by its own status is neither blamed nor to be deleted", async () => {
    const world = lost([aMachine('worker-d-x', 'Failed', { errorMessage: 'gone', nodeRef: { name: 'worker-9' } })]);
    const own = lost([aMachine('worker-d-x', 'Failed', { errorMessage: 'gone', nodeRef: { name: 'worker-2' } })]);

    const [named, its] = await Promise.all(
      [world, own].map((each) => look(each, nodeSubject(each, 'worker-2', 'rebooting'))),
    );

    expect(named && codes(named)).toEqual(['S3']);
    expect(named?.findings[0]?.sentence).toContain('names machine worker-d-x, which is that of node worker-9.');
    expect(JSON.stringify(named?.findings)).not.toContain('delete');
    expect(its && codes(its)).toEqual(['S3', 'S15']);
  });

  test('[decoy] that runs blames nobody, and a node without a machine is told as before', async () => {
    const running = lost([aMachine('worker-d-x', 'Running')]);
    const bare = aWorld({ nodes: [aLiveNode('worker-2', { ready: silent })] });

    const [withOne, without] = await Promise.all(
      [running, bare].map((world) => look(world, nodeSubject(world, 'worker-2', 'rebooting'))),
    );

    expect(withOne === undefined ? [] : codes(withOne)).toEqual(['S3']);
    expect(withOne?.findings[0]?.sentence).toContain('Its machine is worker-d-x (Running).');
    expect(without?.findings[0]?.sentence).not.toContain('machine');
  });
});

describe('[S1-12] [N-31] a lost node of the control plane', () => {
  const silent = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(20),
  };

  function lostOf(role: string, machines: readonly Json[]): World {
    const node = aLiveNode('worker-2', { ready: silent, labels: { [`node-role.kubernetes.io/${role}`]: '' } });
    const metadata = Object(node['metadata']);
    const annotations = { ...metadata.annotations, 'machine.openshift.io/machine': 'openshift-machine-api/m-0' };
    return aWorld({
      nodes: [{ ...node, metadata: { ...metadata, annotations } }],
      others: { [`${api}/machines`]: machines },
    });
  }

  test.each([
    ['master', 'failed', [aMachine('m-0', 'Failed', { errorMessage: 'terminated' })]],
    ['master', 'failed, made by a set', [aMachine('m-0', 'Failed', {}, { labels: {} })]],
    ['control-plane', 'not found', []],
    ['arbiter', 'not found', []],
    ['master', 'as it should be', [aMachine('m-0', 'Running')]],
  ])('%s, its machine %s: no command takes it away, and etcd is named first', async (role, _, machines) => {
    const diagnosis = await look(lostOf(role, machines), nodeSubject(lostOf(role, machines), 'worker-2', 'rebooting'));

    const remedies = diagnosis.findings.flatMap(flat).flatMap((each) => each.remedies);
    expect(remedies.map((each) => each.command ?? '').join(' ')).not.toMatch(/delete/);
    expect(remedies.filter(({ risk }) => risk === 'outage')).toEqual([]);
    expect(remedies.filter(({ risk }) => risk === 'data-loss').map(({ title }) => title)).toContainEqual(
      expect.stringContaining('procedure of your release for an unhealthy etcd member, one node at a time'),
    );
  });
});
