import { describe, expect, test } from 'vitest';
import { codes, drainOf, look, withCode } from './look.ts';
import {
  aBudget,
  aController,
  aDrainingNode,
  aLiveNode,
  aPod,
  aWorld,
  drainFailing,
  minutesAgo,
  nodeSubject,
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
