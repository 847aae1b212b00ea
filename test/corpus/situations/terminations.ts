import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPod,
  drainFailing,
  type Json,
  minutesAgo,
  now,
  refused,
} from '../../functions/core/diagnose/world.ts';
import { type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { aBlockedDrain, drainCause } from './blocked-drain.ts';

const pod = 'Pod data/db-0';

function lingering(metadata: Json, change: { readonly node?: Json; readonly containers?: readonly Json[] } = {}) {
  return {
    nodes: [change.node ?? aDrainingNode('worker-2'), aLiveNode('worker-1')],
    machines: [drainFailing('worker-2', accepted('db-0', 'data'))],
    pods: [
      aPod('db-0', {
        namespace: 'data',
        node: 'worker-2',
        metadata,
        owner: { kind: 'StatefulSet', name: 'db', controller: true },
        ...(change.containers === undefined ? {} : { containers: change.containers }),
      }),
    ],
  };
}

function failingWith(text: string, others: Readonly<Record<string, readonly Json[]>> = {}) {
  return aBlockedDrain({
    machines: [drainFailing('worker-2', `error when evicting pods/"web-a" -n "shop": ${text}`)],
    pods: [aPod('web-a', { node: 'worker-2' })],
    budgets: [],
    others,
  });
}

const hooks = '/apis/admissionregistration.k8s.io/v1';
const guard: Readonly<Record<string, readonly Json[]>> = {
  [`${hooks}/validatingwebhookconfigurations`]: [
    {
      metadata: { name: 'guard' },
      webhooks: [{ name: 'guard.acme.io', clientConfig: { service: { namespace: 'guards', name: 'guard' } } }],
    },
  ],
  [`${hooks}/mutatingwebhookconfigurations`]: [],
};

function endpoints(ready: boolean): Readonly<Record<string, readonly Json[]>> {
  return {
    '/apis/discovery.k8s.io/v1/endpointslices': [
      {
        metadata: { name: 'guard-x', namespace: 'guards', labels: { 'kubernetes.io/service-name': 'guard' } },
        endpoints: [{ conditions: { ready } }],
      },
    ],
  };
}

const launcher = aPod('virt-launcher-db-x', {
  node: 'worker-2',
  labels: { 'vm.kubevirt.io/name': 'db' },
  owner: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'db', controller: true },
});
const machineGuard = aBudget('kubevirt-disruption-budget-1', {
  spec: { minAvailable: 1 },
  status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 },
  metadata: { ownerReferences: [{ kind: 'VirtualMachineInstance', name: 'db', controller: true }] },
});

/** The eviction was accepted and the pod stays, or something other than a budget refuses it. */
export const terminations: readonly Situation[] = [
  situation({
    id: 'in-its-grace',
    title: 'the pod shuts down within the time it may take',
    after: sources.podLife,
    expected: drainCause('T1', pod, ['db-0']),
    world: lingering({
      deletionTimestamp: new Date(Date.parse(now) + 240_000).toISOString(),
      deletionGracePeriodSeconds: 600,
    }),
  }),
  situation({
    id: 'finalizer',
    title: 'a finalizer keeps the pod',
    after: sources.finalizers,
    expected: drainCause('T2', pod, ['acme.io/backup']),
    world: lingering({
      deletionTimestamp: minutesAgo(9),
      deletionGracePeriodSeconds: 0,
      finalizers: ['acme.io/backup'],
    }),
  }),
  situation({
    id: 'process-does-not-end',
    title: 'the process does not end',
    after: sources.podLife,
    expected: drainCause('T3', pod, ['db-0']),
    world: lingering({ deletionTimestamp: minutesAgo(9) }),
  }),
  situation({
    id: 'volume-is-not-let-go',
    title: 'all containers have ended, and the pod is still there',
    after: sources.volumes,
    expected: drainCause('T3', pod, ['db-0']),
    world: lingering(
      { deletionTimestamp: minutesAgo(9) },
      { containers: [{ name: 'main', ready: false, restartCount: 0, state: { terminated: { reason: 'Completed' } } }] },
    ),
  }),
  situation({
    id: 'kubelet-is-silent',
    title: 'nobody can confirm that the pod is dead: its kubelet does not answer',
    after: sources.nodes,
    expected: drainCause('T4', pod, ['worker-2']),
    world: lingering(
      { deletionTimestamp: minutesAgo(9) },
      {
        node: aDrainingNode('worker-2', {
          ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' },
        }),
      },
    ),
  }),
  situation({
    id: 'webhook-denies',
    title: 'an admission webhook denies the eviction, for a reason',
    after: sources.webhooks,
    expected: drainCause('T5', 'Webhook guard.acme.io', ['guard.acme.io']),
    world: failingWith('admission webhook "guard.acme.io" denied the request: not on weekdays', {
      ...guard,
      ...endpoints(true),
    }),
  }),
  situation({
    id: 'webhook-is-dead',
    title: 'nobody stands behind an admission webhook',
    after: sources.webhooks,
    expected: drainCause('T5', 'Webhook guard.acme.io', ['guard']),
    world: failingWith(
      'Internal error occurred: failed calling webhook "guard.acme.io": no endpoints available for service "guard"',
      { ...guard, ...endpoints(false) },
    ),
  }),
  situation({
    id: 'api-server-times-out',
    title: 'the API server itself fails',
    after: sources.eviction,
    expected: drainCause('T6', 'Pod shop/web-a', ['etcdserver']),
    world: failingWith('Internal error occurred: etcdserver: request timed out'),
  }),
  situation({
    id: 'api-server-sheds-evictions',
    title: 'evictions are put off again and again, and no budget covers the pod',
    after: 'https://kubernetes.io/docs/concepts/cluster-administration/flow-control/',
    expected: drainCause('T6', 'Pod shop/web-a', ['no PDB covers']),
    world: failingWith('global timeout reached: 1m30s'),
  }),
  situation({
    id: 'eviction-forbidden',
    title: 'permissions forbid the eviction',
    after: sources.eviction,
    expected: drainCause('T7', 'Pod shop/web-a', ['forbidden']),
    world: failingWith('pods "web-a" is forbidden: exceeded quota'),
  }),
  situation({
    id: 'namespace-is-deleted',
    title: 'the namespace is being deleted and does not finish',
    after: sources.finalizers,
    expected: drainCause('T8', 'Namespace shop', ['shop']),
    world: aBlockedDrain({
      machines: [
        drainFailing(
          'worker-2',
          'error when evicting pods/"web-a" -n "shop" from terminating namespace "shop": pods "web-a" is forbidden',
        ),
      ],
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [],
      others: {
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
              ],
            },
          },
        ],
      },
    }),
  }),
  situation({
    id: 'machine-cannot-migrate',
    title: 'a virtual machine cannot be migrated live',
    after: sources.kubevirt,
    expected: drainCause('T10', 'VirtualMachineInstance shop/db', ['db']),
    world: aBlockedDrain({
      machines: [drainFailing('worker-2', refused('virt-launcher-db-x'))],
      pods: [launcher],
      budgets: [machineGuard],
      others: {
        '/apis/kubevirt.io/v1/virtualmachineinstances': [
          {
            metadata: { name: 'db', namespace: 'shop' },
            status: {
              conditions: [
                {
                  type: 'LiveMigratable',
                  status: 'False',
                  reason: 'DisksNotLiveMigratable',
                  message: 'cannot migrate VMI: PVC db-disk is not shared',
                },
              ],
            },
          },
        ],
      },
    }),
  }),
];
