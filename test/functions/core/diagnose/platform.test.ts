import { describe, expect, test } from 'vitest';
import { codes, drainOf, look, withCode } from './look.ts';
import {
  aBudget,
  aController,
  aDrainingNode,
  aLiveNode,
  aMachine,
  aPod,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
  nodeSubject,
  oldConfig,
  refused,
  type World,
} from './world.ts';

const operators = '/apis/config.openshift.io/v1/clusteroperators';

function sick(name: string, message: string): World['others'] {
  const conditions = [
    { type: 'Available', status: 'True' },
    { type: 'Degraded', status: 'True', message, lastTransitionTime: minutesAgo(20) },
  ];
  return { [operators]: [{ metadata: { name }, status: { conditions } }] };
}

describe('[S3-15] what the platform says of its own parts stands behind a finding (K1)', () => {
  const guard = aPod('etcd-guard-master-2', {
    namespace: 'openshift-etcd',
    node: 'master-2',
    app: 'guard',
    owner: null,
  });
  const budget = aBudget('etcd-guard-pdb', {
    namespace: 'openshift-etcd',
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'guard' } } },
    status: { expectedPods: 3, desiredHealthy: 2, currentHealthy: 2 },
  });
  const world = aWorld({
    nodes: [aDrainingNode('master-2')],
    pods: [guard],
    budgets: [budget],
    machines: [drainFailing('master-2', refused('etcd-guard-master-2', 'openshift-etcd'))],
  });

  test('an etcd guard that holds its node leads to what etcd itself says', async () => {
    const diagnosis = await drainOf(
      { ...world, others: sick('etcd', 'EtcdMembersDegraded: member master-1 is unhealthy.') },
      'master-2',
    );

    expect(codes(diagnosis)).toContain('K1');
    expect(withCode(diagnosis, 'K1').sentence).toBe(
      'Cluster operator etcd has been degraded for 20 min: EtcdMembersDegraded: member master-1 is unhealthy.',
    );
    expect(withCode(diagnosis, 'K1').remedies[0]?.command).toBe('oc describe clusteroperator etcd');
  });

  test('[decoy] a part that is well, or that cannot be seen, adds nothing', async () => {
    const well = {
      [operators]: [{ metadata: { name: 'etcd' }, status: { conditions: [{ type: 'Available', status: 'True' }] } }],
    };

    const [seen, unseen] = await Promise.all([
      drainOf({ ...world, others: well }, 'master-2'),
      drainOf(world, 'master-2'),
    ]);

    expect(codes(seen)).not.toContain('K1');
    expect(codes(unseen)).toEqual(codes(seen));
  });

  test('an eviction that the API server refuses leads to the API server or etcd', async () => {
    const refusedByServer = aWorld({
      nodes: [aDrainingNode('worker-2')],
      pods: [aPod('web-a', { node: 'worker-2' })],
      machines: [
        drainFailing(
          'worker-2',
          'error when evicting pods/"web-a" -n "shop": Internal error occurred: etcdserver: request timed out',
        ),
      ],
      others: sick('etcd', 'EtcdEndpointsDegraded: no leader'),
    });

    expect(codes(await drainOf(refusedByServer))).toEqual(['D0', 'T6', 'K1']);
  });

  test('a node without its network plugin leads to the network operator', async () => {
    const notReady = {
      status: 'False',
      message: 'container runtime network not ready: NetworkPluginNotReady',
      lastTransitionTime: minutesAgo(20),
    };
    const offline = aWorld({
      nodes: [aLiveNode('worker-2', { ready: notReady, annotations: { 'post-config-action': 'Rebooting' } })],
      others: sick('network', 'DaemonSet ovnkube-node rollout is not making progress'),
    });

    const diagnosis = await look(offline, nodeSubject(offline, 'worker-2', 'rebooting'));

    expect(codes(diagnosis)).toEqual(['S3', 'K1']);
  });
});

describe('the MCO controller', () => {
  test('[S3-15] that does not run explains a node that is done and not uncordoned (D5, S13)', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-2', { unschedulable: true })], pods: [aController(false)] });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'uncordoning'));

    expect(codes(diagnosis)).toEqual(['D5', 'S13']);
  });

  test('[decoy] that runs explains nothing', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-2', { unschedulable: true })], pods: [aController(true)] });

    expect(codes(await look(world, nodeSubject(world, 'worker-2', 'uncordoning')))).toEqual(['D5']);
  });
});

describe.each([
  [
    'a webhook',
    'T5',
    'Internal error occurred: failed calling webhook "validate.example.com": no endpoints available for service "guard"',
  ],
  ['a webhook that denies it', 'T5', 'admission webhook "nodes.example.com" denied the request: not in business hours'],
  ['the API server', 'T6', 'etcdserver: request timed out'],
])('a cordon that %s does not let the MCO take away', (_who, code, error) => {
  const refusedUncordon = (annotations: Readonly<Record<string, string>>) =>
    aWorld({
      nodes: [
        aLiveNode('worker-2', {
          unschedulable: true,
          annotations: {
            currentConfig: oldConfig,
            desiredConfig: newConfig,
            desiredDrain: `uncordon-${newConfig}`,
            lastAppliedDrain: `drain-${newConfig}`,
            ...annotations,
          },
        }),
      ],
      pods: [aController(true)],
      machines: [
        aMachine('worker-2', [
          {
            type: 'UpdateComplete',
            status: 'Unknown',
            message: 'Failed to Uncordon Node as part of completing upgrade phase',
            lastTransitionTime: minutesAgo(5),
          },
          {
            type: 'Uncordoned',
            status: 'Unknown',
            message: `Error: Failed to UnCordon node. Error is: ${error} The node is reporting Unschedulable = true`,
            lastTransitionTime: minutesAgo(5),
          },
        ]),
      ],
    });

  test('[S1-5] [N-12] is the cause while the daemon waits for it', async () => {
    const world = refusedUncordon({ state: 'Working' });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'uncordoning'));

    expect(codes(diagnosis)).toEqual(['D5', code]);
    expect(diagnosis.findings[0]).toMatchObject({ class: 'external', confidence: 'strong' });
    expect(diagnosis.findings[0]?.sentence).toContain(error);
    expect(diagnosis.findings[0]?.sentence).not.toContain('no error is reported');
    expect(withCode(diagnosis, code).sentence).toContain(
      'The MCO cannot uncordon worker-2, so its update does not end',
    );
  });

  test('[S1-5] [N-12] is the cause once the daemon has given up, and nobody is sent to the log', async () => {
    const reason =
      'failed to uncordon node: worker-2 after 10 minutes. Please see machine-config-controller logs for more information';
    const world = refusedUncordon({ state: 'Degraded', reason });

    const diagnosis = await look(world, nodeSubject(world, 'worker-2', 'failing'));

    expect(codes(diagnosis)).toEqual(['D5', code]);
    expect(withCode(diagnosis, 'D5').remedies).toEqual([]);
    expect(withCode(diagnosis, code).sentence).toContain(error);
  });
});

test('[S3-15] a controller that does not run explains a node whose daemon has given up on it (D5, S13)', async () => {
  const reason = 'failed to uncordon node: worker-2 after 10 minutes. Please see machine-config-controller logs';
  const world = aWorld({
    nodes: [aLiveNode('worker-2', { unschedulable: true, annotations: { state: 'Degraded', reason } })],
    pods: [aController(false)],
  });

  expect(codes(await look(world, nodeSubject(world, 'worker-2', 'failing')))).toEqual(['D5', 'S13']);
});

describe('a node that is drained and not cordoned (D6)', () => {
  function drained(manager: string): World {
    const node = aDrainingNode('worker-2', {
      unschedulable: false,
      managedFields: [
        {
          manager,
          operation: 'Update',
          time: minutesAgo(2),
          fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
        },
      ],
    });
    return aWorld({ nodes: [node] });
  }

  test('[N-12] names what takes the cordon away', async () => {
    const diagnosis = await drainOf(drained('sriov-network-config-daemon'));

    expect(codes(diagnosis)).toEqual(['D6']);
    expect(withCode(diagnosis, 'D6').sentence).toContain('sriov-network-config-daemon has taken the cordon away');
  });

  test('[decoy] is only about to be cordoned where nobody but the MCO has touched it', async () => {
    expect(codes(await drainOf(drained('machine-config-controller')))).toEqual(['D0']);
  });
});
