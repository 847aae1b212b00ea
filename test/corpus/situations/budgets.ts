import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  anEvent,
  aPod,
  aWorld,
  drainFailing,
  minutesAgo,
  now,
  refused,
} from '../../functions/core/diagnose/world.ts';
import { aRollingPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { aBlockedDrain, drainCause, short } from './blocked-drain.ts';

const budget = 'PodDisruptionBudget shop/web';
const alone = { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 };
const crashing = {
  name: 'main',
  ready: false,
  restartCount: 14,
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
  lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
};

/** Why a budget refuses, where it is the budget itself that is to be blamed. */
export const budgets: readonly Situation[] = [
  situation({
    id: 'budget-wants-all',
    title: 'minAvailable 2 of 2 pods: no pod can ever be evicted',
    after: sources.drainRunbook,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain(),
  }),
  situation({
    id: 'budget-spares-none',
    title: 'maxUnavailable 0',
    after: sources.budgets,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({ budgets: [aBudget('web', { spec: { minAvailable: undefined, maxUnavailable: 0 } })] }),
  }),
  situation({
    id: 'budget-of-all-percent',
    title: 'minAvailable 100 %',
    after: sources.budgets,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({ budgets: [aBudget('web', { spec: { minAvailable: '100%' } })] }),
  }),
  situation({
    id: 'budget-known-from-an-event',
    title: 'before OpenShift 4.19: no MachineConfigNode, the blocker stands in an event of the node',
    after: sources.drainLogs,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({
      machines: [],
      events: [
        anEvent(
          { kind: 'Node', name: 'worker-2' },
          'DrainThresholdExceeded',
          `Drain threshold exceeded: ${refused('web-a')}`,
        ),
      ],
    }),
  }),
  situation({
    id: 'budget-known-from-the-pods',
    title: 'nobody names a pod: neither MachineConfigNode nor event',
    after: sources.drainHour,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({ machines: [] }),
  }),
  situation({
    id: 'budget-named-last',
    title: 'the drain names four pods that have ended since before the one that the budget holds',
    after: sources.kubectlDrain,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({
      machines: [
        drainFailing(
          'worker-2',
          `[${['a', 'b', 'c', 'd'].map((name) => accepted(`batch-${name}`)).join(', ')}, ${refused('web-a')}]`,
        ),
      ],
    }),
  }),
  situation({
    id: 'drain-given-up',
    title: 'after an hour the daemon marks the node Degraded and says: see the logs',
    after: sources.drainHour,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2', {
          annotations: {
            state: 'Degraded',
            reason:
              'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs for more information',
          },
        }),
      ],
    }),
  }),
  situation({
    id: 'single-replica',
    title: 'one replica, and its budget forbids losing it',
    after: sources.gardenerBudget,
    expected: drainCause('P2', budget, ['shop/web']),
    world: aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [aBudget('web', { spec: { minAvailable: 1 }, status: alone })],
    }),
  }),
  situation({
    id: 'budget-used-by-another-pool',
    title: 'the budget is used up by the drain of a node of another pool',
    after: sources.budgets,
    expected: drainCause('T1', 'Pod shop/web-b', ['web-b']),
    world: aBlockedDrain({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aDrainingNode('infra-9', { role: 'infra' })],
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPod('web-b', {
          node: 'infra-9',
          metadata: {
            deletionTimestamp: new Date(Date.parse(now) + 60_000).toISOString(),
            deletionGracePeriodSeconds: 90,
          },
        }),
      ],
      budgets: [aBudget('web', { status: short })],
    }),
    pools: [aRollingPoolObject(aWorld({ nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')] }))],
  }),
  situation({
    id: 'two-budgets',
    title: 'two budgets select the pod, one of them all pods of the namespace',
    after: sources.budgets,
    expected: drainCause('P5', 'Pod shop/web-a', ['web', 'all']),
    world: aBlockedDrain({ budgets: [aBudget('web'), aBudget('all', { spec: { selector: {} } })] }),
  }),
  situation({
    id: 'budget-not-computed',
    title: 'a percentage over pods without a scalable owner: the controller cannot compute it',
    after: sources.budgets,
    expected: drainCause('P6', budget, ['found no controllers']),
    world: aBlockedDrain({
      budgets: [
        aBudget('web', {
          status: {
            conditions: [
              {
                type: 'DisruptionAllowed',
                status: 'False',
                reason: 'SyncFailed',
                message: 'found no controllers for pod "web-a"',
              },
            ],
          },
        }),
      ],
    }),
  }),
  situation({
    id: 'broken-pod-guarded',
    title: 'the pod on the node crashes, and its budget guards broken pods as well',
    after: sources.unhealthyPods,
    expected: drainCause('C1', 'Pod shop/web-a', ['web-a']),
    world: aBlockedDrain({
      pods: [
        aPod('web-a', { node: 'worker-2', ready: false, containers: [crashing] }),
        aPod('web-b', { node: 'worker-1' }),
      ],
      budgets: [aBudget('web', { status: { currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 } })],
    }),
  }),
  situation({
    id: 'etcd-guard',
    title: "the platform's guard of etcd: another control-plane node is not healthy",
    after: sources.drainRunbook,
    expected: drainCause('P8', 'PodDisruptionBudget openshift-etcd/etcd-guard-pdb', ['etcd-guard-pdb']),
    world: {
      nodes: [aDrainingNode('worker-2'), aLiveNode('worker-1')],
      machines: [drainFailing('worker-2', refused('etcd-guard-0', 'openshift-etcd'))],
      pods: [
        aPod('etcd-guard-0', { namespace: 'openshift-etcd', node: 'worker-2', labels: { app: 'guard' }, owner: null }),
      ],
      budgets: [
        aBudget('etcd-guard-pdb', {
          namespace: 'openshift-etcd',
          spec: { selector: { matchLabels: { app: 'guard' } } },
        }),
      ],
    },
  }),
  situation({
    id: 'ceph-recovers',
    title: 'Ceph recovers, and its operator holds the budget on purpose',
    after: sources.gardenerBudget,
    expected: drainCause('P8', 'PodDisruptionBudget openshift-storage/rook-ceph-osd', ['ceph']),
    world: {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      machines: [drainFailing('worker-2', refused('rook-ceph-osd-1-x', 'openshift-storage'))],
      pods: [aPod('rook-ceph-osd-1-x', { namespace: 'openshift-storage', node: 'worker-2', app: 'rook-ceph-osd' })],
      budgets: [
        aBudget('rook-ceph-osd', {
          namespace: 'openshift-storage',
          spec: { selector: { matchLabels: { app: 'rook-ceph-osd' } } },
          metadata: {
            ownerReferences: [{ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'ceph', controller: true }],
          },
        }),
      ],
    },
  }),
  situation({
    id: 'operator-wants-all',
    title: 'maxUnavailable 0 by an operator outside of the platform: its own resource is to be changed',
    after: sources.strimziDrain,
    expected: drainCause('P1', 'PodDisruptionBudget data/kafka', ['kafka']),
    world: {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      machines: [drainFailing('worker-2', refused('kafka-0', 'data'))],
      pods: [aPod('kafka-0', { namespace: 'data', node: 'worker-2', app: 'kafka' })],
      budgets: [
        aBudget('kafka', {
          namespace: 'data',
          spec: { minAvailable: undefined, maxUnavailable: 0, selector: { matchLabels: { app: 'kafka' } } },
          metadata: {
            ownerReferences: [
              { apiVersion: 'kafka.strimzi.io/v1beta2', kind: 'StrimziPodSet', name: 'kafka', controller: true },
            ],
          },
        }),
      ],
    },
  }),
  situation({
    id: 'budget-with-a-mark',
    title: 'a budget that demands all pods, with the label of an operator that has nothing to do with it',
    after: sources.budgets,
    expected: drainCause('P1', budget, ['shop/web']),
    world: aBlockedDrain({
      budgets: [aBudget('web', { metadata: { labels: { 'app.kubernetes.io/managed-by': 'cluster-etcd-operator' } } })],
    }),
  }),
  situation({
    id: 'pod-comes-back',
    title: 'the workload tolerates the cordon: what is evicted is made again on the same node',
    after: sources.taints,
    expected: drainCause('T9', 'Pod shop/web-b', ['web']),
    world: aBlockedDrain({
      machines: [drainFailing('worker-2', refused('web-z'))],
      pods: [
        aPod('web-b', {
          node: 'worker-2',
          startTime: minutesAgo(1),
          spec: {
            tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }],
          },
        }),
      ],
      budgets: [],
    }),
  }),
];
