import { describe, expect, test } from 'vitest';
import { requestOf } from './certificate-requests.ts';
import { codes, drainOf, look, withCode } from './look.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPod,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  nodeSubject,
  refused,
  type World,
} from './world.ts';

/** worker-2 is drained, and the drain says this. */
function aDrain(error: string, change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
    machines: [drainFailing('worker-2', error)],
    pods: [aPod('web-a', { node: 'worker-2' })],
    ...change,
  });
}

const lost = { status: 'Unknown', message: 'Kubelet stopped posting node status.' };

describe('a sibling that is unhealthy because of where it runs', () => {
  const onLostNode = aPod('web-b', { node: 'worker-5', ready: false });

  test('[S1-5] [N-12] leads to its node (C6), which is to be mended first', async () => {
    const world = aDrain(refused('web-a'), {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-5', { ready: lost })],
      pods: [aPod('web-a', { node: 'worker-2' }), onLostNode],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'C6', 'S2']);
    expect(withCode(diagnosis, 'C6').sentence).toBe(
      'web-b counts as unhealthy because it runs on worker-5, which is in trouble itself.',
    );
    expect(withCode(diagnosis, 'C6').remedies.map(({ title }) => title)).toEqual(['Bring node worker-5 back first']);
  });

  test('[S1-4] [N-12] leads on to the certificate that its node waits for (S16)', async () => {
    const request = {
      metadata: { name: 'csr-1', creationTimestamp: minutesAgo(30) },
      spec: {
        username: 'system:node:worker-5',
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        request: requestOf('worker-5'),
      },
    };
    const world = aDrain(refused('web-a'), {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-5', { ready: lost })],
      pods: [aPod('web-a', { node: 'worker-2' }), onLostNode],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
      others: { '/apis/certificates.k8s.io/v1/certificatesigningrequests': [request] },
    });

    expect(codes(await drainOf(world))).toEqual(['D1', 'P3', 'C6', 'S2', 'S16']);
  });

  test('is not taken for one that is starting when the node was lost just after it had started', async () => {
    const notHeardOf = [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False', lastTransitionTime: minutesAgo(1) },
    ];
    const young = aPod('web-b', { node: 'worker-5', conditions: notHeardOf, startTime: minutesAgo(1) });
    const world = aDrain(refused('web-a'), {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-5', { ready: lost })],
      pods: [aPod('web-a', { node: 'worker-2' }), young],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
    });

    expect(codes(await drainOf(world))).toEqual(['D1', 'P3', 'C6', 'S2']);
  });

  test('on a node that answers is explained by its own probe', async () => {
    const world = aDrain(refused('web-a'), {
      pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1', ready: false })],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'C4']);
  });
});

describe('an admission webhook that stands in the way', () => {
  const unreachable = `error when evicting pods/"web-a" -n "shop": Internal error occurred: failed calling webhook "guard.acme.io": no endpoints available for service "guard"`;
  const denied = `error when evicting pods/"web-a" -n "shop": admission webhook "guard.acme.io" denied the request: not on weekdays`;
  const hooks = {
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      {
        metadata: { name: 'guard' },
        webhooks: [{ name: 'guard.acme.io', clientConfig: { service: { namespace: 'guards', name: 'guard' } } }],
      },
    ],
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': [],
  };
  const endpoints = (ready: boolean): Readonly<Record<string, readonly Json[]>> => ({
    '/apis/discovery.k8s.io/v1/namespaces/guards/endpointslices': [
      {
        metadata: { name: 'guard-x', labels: { 'kubernetes.io/service-name': 'guard' } },
        endpoints: [{ conditions: { ready } }],
      },
    ],
  });

  test('[S1-5] [N-12] is certain where its Service has no ready endpoint (T5)', async () => {
    const diagnosis = await drainOf(aDrain(unreachable, { others: { ...hooks, ...endpoints(false) } }));

    expect(codes(diagnosis)).toEqual(['D3', 'T5']);
    expect(withCode(diagnosis, 'T5')).toMatchObject({ confidence: 'certain' });
    expect(withCode(diagnosis, 'T5').sentence).toContain('(its Service guards/guard has no ready endpoint)');
    expect(withCode(diagnosis, 'T5').remedies[0]?.title).toBe(
      'Bring the pods of Service guards/guard back: nobody answers this webhook',
    );
  });

  test('with somebody behind it is named without blaming the Service', async () => {
    const diagnosis = await drainOf(aDrain(unreachable, { others: { ...hooks, ...endpoints(true) } }));

    expect(withCode(diagnosis, 'T5')).toMatchObject({ confidence: 'strong' });
    expect(withCode(diagnosis, 'T5').sentence).not.toContain('endpoint)');
  });

  test('that answers and denies is no dead one: its reason counts', async () => {
    const diagnosis = await drainOf(aDrain(denied, { others: { ...hooks, ...endpoints(false) } }));

    expect(withCode(diagnosis, 'T5').sentence).toContain('denies evicting shop/web-a');
    expect(withCode(diagnosis, 'T5').sentence).toContain('not on weekdays');
    expect(withCode(diagnosis, 'T5').remedies[0]?.title).toBe(
      'Do what the webhook asks for, or let it leave evictions alone',
    );
  });

  test('whose registration may not be read is told with less confidence, and what was not seen', async () => {
    const diagnosis = await drainOf(
      aDrain(unreachable, { refused: [{ path: /webhookconfigurations/, why: 'forbidden' }] }),
    );

    expect(withCode(diagnosis, 'T5')).toMatchObject({ confidence: 'possible' });
    expect(withCode(diagnosis, 'T5').sentence).toContain('Not read: the validating webhooks could not be read');
  });
});

describe('a namespace that is being deleted', () => {
  const doomed = `error when evicting pods/"web-a" -n "shop" from terminating namespace "shop": pods "web-a" is forbidden`;

  test('[N-12] is told with what remains in it (T8)', async () => {
    const others = {
      '/api/v1/namespaces': [
        {
          metadata: { name: 'shop' },
          status: {
            phase: 'Terminating',
            conditions: [
              {
                type: 'NamespaceContentRemaining',
                status: 'True',
                message: 'Some resources are remaining: pods. has 1 resource instances',
              },
              { type: 'NamespaceFinalizersRemaining', status: 'False', message: '' },
            ],
          },
        },
      ],
    };

    const diagnosis = await drainOf(aDrain(doomed, { others }));

    expect(withCode(diagnosis, 'T8')).toMatchObject({ confidence: 'certain' });
    expect(withCode(diagnosis, 'T8').sentence).toBe(
      'Namespace shop is being deleted and does not finish, so web-a in it cannot be evicted: Some resources are remaining: pods. has 1 resource instances.',
    );
  });
});

describe('a pod that comes back on the cordoned node', () => {
  const tolerant = (name: string, startTime: string, change: Parameters<typeof aPod>[1] = {}) =>
    aPod(name, {
      ...change,
      node: 'worker-2',
      startTime,
      spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
    });

  test('[N-12] is named with its toleration (T9)', async () => {
    const diagnosis = await drainOf(aDrain(refused('web-z'), { pods: [tolerant('web-b', minutesAgo(1))] }));

    expect(codes(diagnosis)).toEqual(['D0', 'T9']);
    expect(withCode(diagnosis, 'T9').sentence).toBe(
      'Deployment shop/web tolerates the cordon, so each pod that is evicted from worker-2 is made again there (web-b, 1 min ago).',
    );
    expect(withCode(diagnosis, 'T9')).toMatchObject({ class: 'structural', confidence: 'strong' });
  });

  const ending = aPod('web-a', {
    node: 'worker-2',
    metadata: { deletionTimestamp: minutesAgo(-5), deletionGracePeriodSeconds: 600 },
  });
  const metadata = { deletionTimestamp: minutesAgo(-5) };

  test('[N-12] is the cause also while the one before it shuts down: to wait for that one ends nothing', async () => {
    const pods = [ending, tolerant('web-b', minutesAgo(1))];

    const diagnosis = await drainOf(aDrain(accepted('web-a'), { pods }));

    expect(codes(diagnosis)).toEqual(['D2', 'T1', 'T9']);
    expect(diagnosis.findings).toMatchObject([{ class: 'structural' }]);
    expect(withCode(diagnosis, 'T1').remedies).toEqual([]);
  });

  test('[N-12] is one also when it was made in the second in which the drain began: Kubernetes writes whole seconds', async () => {
    const began = new Date(Date.parse(minutesAgo(1)) + 900).toISOString();
    const machine = drainFailing('worker-2', refused('web-z'), began);

    const world = aDrain('', { machines: [machine], pods: [tolerant('web-b', minutesAgo(1))] });

    expect(codes(await look(world, { ...nodeSubject(world, 'worker-2', 'draining'), since: began }))).toEqual([
      'D0',
      'T9',
    ]);
  });

  test.each([
    ['is of another workload', tolerant('api-b', minutesAgo(1), { app: 'api' })],
    ['is shutting down itself', tolerant('web-b', minutesAgo(1), { metadata })],
    ['does not tolerate the cordon', aPod('web-b', { node: 'worker-2', startTime: minutesAgo(1) })],
  ])('[decoy] and %s, is no cause while a pod shuts down', async (_, other) => {
    const diagnosis = await drainOf(aDrain(accepted('web-a'), { pods: [ending, other] }));

    expect(codes(diagnosis)).toEqual(['D2', 'T1']);
  });

  test('and was there before the drain began, is no such pod', async () => {
    const diagnosis = await drainOf(aDrain(refused('web-z'), { pods: [tolerant('web-b', minutesAgo(90))] }));

    expect(codes(diagnosis)).toEqual(['D0']);
  });
});

describe('a virtual machine', () => {
  const launcher = aPod('virt-launcher-db-x', {
    node: 'worker-2',
    app: 'web',
    labels: { 'vm.kubevirt.io/name': 'db' },
    owner: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'db', controller: true },
  });
  const guard = aBudget('kubevirt-disruption-budget-1', {
    spec: { minAvailable: 1 },
    status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 },
    metadata: { ownerReferences: [{ kind: 'VirtualMachineInstance', name: 'db', controller: true }] },
  });
  const machine = (status: string) => ({
    '/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstances': [
      {
        metadata: { name: 'db', namespace: 'shop' },
        status: {
          conditions: [
            { type: 'LiveMigratable', status, reason: 'DisksNotLiveMigratable', message: 'PVC db-disk is not shared' },
          ],
        },
      },
    ],
  });

  test('[N-12] that cannot migrate says why (T10), and its budget is left alone', async () => {
    const diagnosis = await drainOf(
      aDrain(refused('virt-launcher-db-x'), { pods: [launcher], budgets: [guard], others: machine('False') }),
    );

    expect(codes(diagnosis)).toEqual(['D1', 'P8', 'T10']);
    expect(withCode(diagnosis, 'T10').sentence).toBe(
      'The virtual machine shop/db cannot be migrated: PVC db-disk is not shared.',
    );
    expect(withCode(diagnosis, 'P8').remedies.every(({ command }) => command === undefined)).toBe(true);
  });

  test('that can migrate is its operator’s business', async () => {
    const diagnosis = await drainOf(
      aDrain(refused('virt-launcher-db-x'), { pods: [launcher], budgets: [guard], others: machine('True') }),
    );

    expect(codes(diagnosis)).toEqual(['D1', 'P8']);
  });
});

test.each([
  ['T6', 'Internal error occurred: etcdserver: request timed out', 'self-healing'],
  ['T7', 'pods "web-a" is forbidden: exceeded quota', 'external'],
])('[N-12] %s an eviction that the API server itself refuses is quoted: %s', async (code, text, class_) => {
  const diagnosis = await drainOf(aDrain(`error when evicting pods/"web-a" -n "shop": ${text}`));

  expect(codes(diagnosis)).toEqual(['D0', code]);
  expect(withCode(diagnosis, code)).toMatchObject({ class: class_, confidence: 'likely' });
  expect(withCode(diagnosis, code).sentence).toContain(text);
});

test('[N-12] an eviction that is put off, that no budget covers, in a namespace that ends, is put off by that (T8)', async () => {
  const message = 'Failed to delete all resource types, 1 remaining: denied by a webhook';
  const conditions = [{ type: 'NamespaceDeletionContentFailure', status: 'True', message }];
  const ending = { metadata: { name: 'shop' }, status: { phase: 'Terminating', conditions } };
  const others = { '/api/v1/namespaces': [ending] };

  const diagnosis = await drainOf(aDrain(refused('web-a'), { budgets: [], others }));

  expect(codes(diagnosis)).toEqual(['D0', 'T8']);
  expect(withCode(diagnosis, 'T8')).toMatchObject({
    confidence: 'certain',
    sentence: expect.stringContaining(message),
  });
});

test('[N-12] an eviction that is put off and that no budget covers is put off by the API server (T6)', async () => {
  const diagnosis = await drainOf(aDrain(refused('web-a'), { budgets: [] }));

  expect(codes(diagnosis)).toEqual(['D0', 'T6']);
  expect(withCode(diagnosis, 'T6')).toMatchObject({ class: 'self-healing', confidence: 'likely' });
});

test.each([
  [
    'the refusal names a budget, which is gone since',
    "Cannot evict pod as it would violate the pod's disruption budget.",
  ],
  ['nothing is said', ''],
])('[N-12] [decoy] %s: nothing is claimed of the API server', async (_why, text) => {
  const diagnosis = await drainOf(aDrain(`error when evicting pods/"web-a" -n "shop": ${text}`, { budgets: [] }));

  expect(codes(diagnosis)).toEqual(['D1']);
});

test('[N-12] a sibling behind a scheduling gate is no matter of nodes (U9)', async () => {
  const gated = aPod('web-b', {
    phase: 'Pending',
    ready: false,
    containers: [],
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'waits for acme.io/quota' },
    ],
  });
  const world = aDrain(refused('web-a'), {
    pods: [aPod('web-a', { node: 'worker-2' }), gated],
    budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } })],
  });

  const diagnosis = await drainOf(world);

  expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U9']);
});
