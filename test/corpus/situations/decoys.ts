import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  anEvent,
  aPendingPod,
  aPod,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
  refused,
} from '../../functions/core/diagnose/world.ts';
import { aPoolObject, aRollingPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { aBlockedDrain, drainCause, short, withPending } from './blocked-drain.ts';
import { targeted } from './targeted.ts';

const atRest = ['worker-1', 'worker-2', 'worker-3'].map((name) => aLiveNode(name));
const cordoned = aLiveNode('worker-1', { unschedulable: true });
const elsewhere = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.";

/** Things that look like the cause, or like trouble, and are neither. */
export const decoys: readonly Situation[] = [
  situation({
    id: 'decoy-budget-at-its-limit',
    title: 'nothing is rolled out, and a healthy budget happens to have nothing to spare',
    after: sources.budgets,
    expected: 'nothing',
    world: {
      nodes: atRest,
      pods: [aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-2' })],
      budgets: [aBudget('web')],
    },
    pools: [aPoolObject()],
  }),
  situation({
    id: 'decoy-node-of-somebody-else',
    title: 'a node is in no pool, and the MCO has never configured it',
    after: sources.nodeController,
    expected: 'nothing',
    world: {
      nodes: [...atRest, aLiveNode('edge-1', { role: 'edge', annotations: { currentConfig: '', desiredConfig: '' } })],
    },
    pools: [aPoolObject()],
  }),
  situation({
    id: 'decoy-pending-pod-elsewhere',
    title: 'nothing is rolled out, and a pod somewhere finds no node',
    after: sources.scheduling,
    expected: 'nothing',
    world: {
      nodes: atRest,
      pods: [aPendingPod('batch-x', elsewhere, { namespace: 'batch', spec: { nodeSelector: { gpu: 'yes' } } })],
    },
    pools: [aPoolObject()],
  }),
  situation({
    id: 'decoy-cordon-alone',
    title: 'a cordon by hand turns the pool to Updating, though no configuration changes',
    after: sources.cordonUpdating,
    expected: 'nothing',
    world: { nodes: [cordoned, aLiveNode('worker-2'), aLiveNode('worker-3')] },
    pools: [
      aPoolObject({
        conditions: [
          { type: 'Updated', status: 'False' },
          { type: 'Updating', status: 'True', message: 'All nodes are updating to MachineConfig rendered-worker-aaa' },
        ],
        counts: { updated: 3, ready: 2, unavailable: 1 },
      }),
    ],
  }),
  situation({
    id: 'decoy-paused-on-purpose',
    title: 'the pool is paused, a change waits for an hour, and that is what the pause is for',
    after: sources.cordonCounts,
    expected: 'nothing',
    world: { nodes: atRest },
    pools: [
      aRollingPoolObject(aWorld({ nodes: atRest }), {
        paused: true,
        conditions: [{ type: 'Updating', status: 'False' }],
        metadata: {
          managedFields: [
            {
              manager: 'kubectl-patch',
              operation: 'Update',
              time: minutesAgo(60),
              fieldsV1: { 'f:spec': { 'f:paused': {} } },
            },
          ],
        },
      }),
    ],
  }),
  situation({
    id: 'decoy-reboot-in-time',
    title: 'a node reboots, and is not ready as one would expect',
    after: sources.rebootRunbook,
    expected: 'nothing',
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2', {
          annotations: { lastAppliedDrain: `drain-${newConfig}`, 'post-config-action': 'Rebooting' },
          ready: {
            status: 'Unknown',
            message: 'Kubelet stopped posting node status.',
            lastTransitionTime: minutesAgo(3),
          },
          managedFields: [targeted(5)],
        }),
      ],
    },
  }),
  situation({
    id: 'decoy-drain-just-begun',
    title: 'a drain began half a minute ago, and a budget will refuse it: it is not known yet whether for good',
    after: sources.drainController,
    expected: 'nothing',
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2', {
          managedFields: [targeted(0.5)],
        }),
      ],
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [aBudget('web')],
    },
  }),
  situation({
    id: 'decoy-image-is-built',
    title: 'the pool waits while its image is being built',
    after: sources.build,
    expected: 'nothing',
    world: { nodes: atRest },
    pools: [
      aRollingPoolObject(aWorld({ nodes: atRest }), {
        conditions: [
          {
            type: 'Updating',
            status: 'True',
            message: 'Pool is waiting for OS image build to complete (mosb: worker-abc)',
          },
        ],
      }),
    ],
  }),
  situation({
    id: 'decoy-upgrade-has-begun',
    title: 'parts of two versions, for five minutes: so it is in every upgrade',
    after: sources.render,
    expected: 'nothing',
    world: { nodes: atRest },
    pools: [
      aPoolObject({
        conditions: [
          { type: 'Degraded', status: 'True', message: '' },
          {
            type: 'RenderDegraded',
            status: 'True',
            message:
              'Failed to render configuration for pool worker: ignoring controller config generated from 4.20 by 4.21',
            lastTransitionTime: minutesAgo(5),
          },
        ],
      }),
    ],
  }),
  situation({
    id: 'decoy-cordoned-node-would-not-fit',
    title: 'the scheduler counts a cordoned node first; it would not fit without its cordon either',
    after: sources.scheduling,
    expected: drainCause('U2', 'Pod shop/web-b', ['disk=ssd']),
    world: withPending(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector.",
      { spec: { nodeSelector: { disk: 'ssd' } } },
    ),
  }),
  situation({
    id: 'decoy-other-budget-at-its-limit',
    title: 'another budget of the namespace is at its limit as well, and covers other pods',
    after: sources.budgets,
    expected: drainCause('P1', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      budgets: [aBudget('db', { spec: { selector: { matchLabels: { app: 'db' } } } }), aBudget('web')],
    }),
  }),
  situation({
    id: 'decoy-budget-by-half-its-selector',
    title: 'a budget that shares one label with the pod, and not the other',
    after: sources.budgets,
    expected: drainCause('P1', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      budgets: [
        aBudget('web-canary', { spec: { selector: { matchLabels: { app: 'web', track: 'canary' } } } }),
        aBudget('web'),
      ],
    }),
  }),
  situation({
    id: 'decoy-same-name-in-another-namespace',
    title: 'a budget of the same name and selector in another namespace',
    after: sources.budgets,
    expected: drainCause('P1', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      budgets: [aBudget('web', { namespace: 'stage', spec: { maxUnavailable: 0 } }), aBudget('web')],
    }),
  }),
  situation({
    id: 'decoy-unrelated-crash',
    title: 'a pod of another application crashes on the very node that cannot be drained',
    after: sources.podLife,
    expected: drainCause('P1', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPod('web-b', { node: 'worker-1' }),
        aPod('job-x', {
          namespace: 'batch',
          node: 'worker-2',
          ready: false,
          containers: [
            {
              name: 'main',
              ready: false,
              restartCount: 9,
              state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
            },
          ],
        }),
      ],
    }),
  }),
  situation({
    id: 'decoy-unrelated-lost-node',
    title: 'a node of another pool is lost, and has nothing to do with it',
    after: sources.nodes,
    expected: drainCause('P1', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2'),
        aLiveNode('worker-3'),
        aLiveNode('storage-1', {
          role: 'storage',
          ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' },
        }),
      ],
    }),
  }),
  situation({
    id: 'decoy-budget-spares-one-again',
    title: 'the budget refused a minute ago, and spares one now',
    after: sources.budgets,
    expected: drainCause('P0', 'PodDisruptionBudget shop/web', ['shop/web']),
    world: aBlockedDrain({
      budgets: [aBudget('web', { status: { disruptionsAllowed: 1, currentHealthy: 3, expectedPods: 3 } })],
    }),
  }),
  situation({
    id: 'decoy-old-event',
    title: 'an event of yesterday names a pod that runs elsewhere by now',
    after: sources.drainLogs,
    expected: { pool: 'worker', kind: 'drain-blocked', code: 'D0', about: 'Node worker-2', named: ['worker-2'] },
    world: aBlockedDrain({
      machines: [],
      events: [
        anEvent({ kind: 'Node', name: 'worker-2' }, 'DrainFailed', `Drain failed: ${refused('web-a')}`, {
          at: minutesAgo(170),
        }),
      ],
      pods: [aPod('web-a', { node: 'worker-1' })],
    }),
  }),
  situation({
    id: 'decoy-operator-that-guards-too-much',
    title: 'a budget that spares none, but belongs to an operator: it is not to be edited',
    after: sources.gardenerBudget,
    expected: drainCause('P8', 'PodDisruptionBudget data/kafka', ['kafka']),
    world: {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      machines: [drainFailing('worker-2', refused('kafka-0', 'data'))],
      pods: [aPod('kafka-0', { namespace: 'data', node: 'worker-2', app: 'kafka' })],
      budgets: [
        aBudget('kafka', {
          namespace: 'data',
          spec: { selector: { matchLabels: { app: 'kafka' } } },
          status: short,
          metadata: {
            ownerReferences: [
              { apiVersion: 'kafka.strimzi.io/v1beta2', kind: 'StrimziPodSet', name: 'kafka', controller: true },
            ],
          },
        }),
      ],
    },
  }),
];
