import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aMaster,
  anEvent,
  aPod,
  minutesAgo,
  silentFor,
} from '../../functions/core/diagnose/world.ts';
import { aRollingPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { drainCause, short, withPending } from './blocked-drain.ts';
import { targeted } from './targeted.ts';

const ssd = { spec: { nodeSelector: { disk: 'ssd' } } };
const pod = 'Pod shop/web-b';
const otherLabels =
  "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
const oneUnreachable =
  "0/2 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

function onHost(app: string) {
  return {
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
          ],
        },
      },
    },
  };
}

/** Why what should stand in for an evicted pod has no node. */
export const placements: readonly Situation[] = [
  situation({
    id: 'deadlock-by-label',
    title: 'the replacement fits only the node that is being drained for this update',
    after: sources.scheduling,
    expected: drainCause('self-deadlock', pod, ['web-b', 'worker-2']),
    world: withPending(otherLabels, ssd, {
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2', { labels: { disk: 'ssd' } }), aLiveNode('worker-3')],
    }),
  }),
  situation({
    id: 'deadlock-on-the-only-worker',
    title: 'three control-plane nodes that take no workloads, one worker, and a budget that needs a second node',
    after: sources.drainRunbook,
    expected: drainCause('self-deadlock', pod, ['web-b', 'worker-2']),
    world: withPending(
      '0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
      {},
      { nodes: [aMaster('master-0'), aMaster('master-1'), aMaster('master-2'), aDrainingNode('worker-2')] },
    ),
    pools: [aRollingPoolObject({ nodes: [aDrainingNode('worker-2')] })],
  }),
  situation({
    id: 'deadlock-with-the-newest-words',
    title: 'the same, in the words of a scheduler that hides the key of the taint',
    after: sources.taints,
    expected: drainCause('self-deadlock', pod, ['web-b', 'worker-2']),
    world: withPending(
      '0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
      {},
      { nodes: [aMaster('master-0'), aMaster('master-1'), aMaster('master-2'), aDrainingNode('worker-2')] },
    ),
    pools: [aRollingPoolObject({ nodes: [aDrainingNode('worker-2')] })],
  }),
  situation({
    id: 'neighbours-on-every-node',
    title: 'every node has a sibling from which it must keep apart, the drained one too',
    after: sources.scheduling,
    expected: drainCause('U5', pod, ['web-b', 'anti-affinity']),
    world: withPending(
      "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match pod anti-affinity rules.",
      {},
      {
        nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')],
        pods: [
          aPod('web-a', { node: 'worker-2' }),
          aPod('web-c', { node: 'worker-1' }),
          aPod('web-b', {
            phase: 'Pending',
            ready: false,
            containers: [],
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message:
                  "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match pod anti-affinity rules.",
              },
            ],
            ...onHost('web'),
          }),
        ],
      },
    ),
  }),
  situation({
    id: 'fits-a-node-cordoned-by-hand',
    title: 'the replacement fits a node that somebody has cordoned',
    after: sources.scheduling,
    expected: drainCause('U1', pod, ['worker-1']),
    world: withPending(otherLabels, ssd, {
      nodes: [
        aLiveNode('worker-1', { labels: { disk: 'ssd' }, unschedulable: true }),
        aDrainingNode('worker-2'),
        aLiveNode('worker-3'),
      ],
    }),
  }),
  situation({
    id: 'fits-a-node-that-reboots',
    title: 'the replacement fits a node that is being updated and comes back',
    after: sources.nodeController,
    expected: drainCause('U1', pod, ['worker-1']),
    world: withPending(oneUnreachable, ssd, {
      nodes: [
        aDrainingNode('worker-1', {
          labels: { disk: 'ssd' },
          annotations: { lastAppliedDrain: 'drain-rendered-worker-bbb', 'post-config-action': 'Rebooting' },
          ready: {
            status: 'Unknown',
            message: 'Kubelet stopped posting node status.',
            lastTransitionTime: minutesAgo(2),
          },
          taints: silentFor(2),
          managedFields: [targeted(4)],
        }),
        aDrainingNode('worker-2'),
      ],
    }),
  }),
  situation({
    id: 'no-node-has-the-label',
    title: 'no node has the label, the cordoned one neither',
    after: sources.scheduling,
    expected: drainCause('U2', pod, ['disk=ssd']),
    world: withPending(otherLabels, ssd),
  }),
  situation({
    id: 'no-node-fits-the-affinity',
    title: 'required node affinity that no node fulfils',
    after: sources.scheduling,
    expected: drainCause('U2', pod, ['zone']),
    world: withPending(otherLabels, {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
            },
          },
        },
      },
    }),
  }),
  situation({
    id: 'taints-everywhere',
    title: 'every node with the label bears a taint that it does not tolerate, the drained one too',
    after: sources.taints,
    expected: drainCause('U3', pod, ['dedicated']),
    world: withPending(
      '0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) had untolerated taint {dedicated: gpu}.',
      {},
      {
        nodes: [
          aLiveNode('worker-1', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }),
          aDrainingNode('worker-2', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] }),
        ],
      },
    ),
  }),
  situation({
    id: 'no-room',
    title: 'the free nodes lack CPU',
    after: sources.scheduling,
    expected: drainCause('U4', pod, ['Insufficient cpu']),
    world: withPending('0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.'),
  }),
  situation({
    id: 'room-is-coming',
    title: 'the free nodes lack memory, and the autoscaler adds one',
    after: sources.autoscaler,
    expected: drainCause('U4', pod, ['Insufficient memory']),
    world: withPending(
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient memory.',
      {},
      {
        events: [
          anEvent({ kind: 'Pod', name: 'web-b' }, 'TriggeredScaleUp', 'pod triggered scale-up', {
            namespace: 'shop',
            type: 'Normal',
          }),
        ],
      },
    ),
  }),
  situation({
    id: 'anti-affinity-of-others',
    title: 'other pods keep it away from the free nodes, as only the scheduler can say',
    after: sources.scheduling,
    expected: drainCause('U5', pod, ['anti-affinity']),
    world: withPending(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy existing pods anti-affinity rules.",
    ),
  }),
  situation({
    id: 'spread',
    title: 'topology spread constraints leave no node',
    after: sources.spread,
    expected: drainCause('U6', pod, ['spread']),
    world: withPending(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints.",
    ),
  }),
  situation({
    id: 'volume-in-another-zone',
    title: 'the volume cannot be used from any free node',
    after: sources.volumes,
    expected: drainCause('U7', pod, ['volume']),
    world: withPending(
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict.',
    ),
  }),
  situation({
    id: 'claim-not-found',
    title: 'its PersistentVolumeClaim does not exist',
    after: sources.volumes,
    expected: drainCause('U7', pod, ['persistentvolumeclaim']),
    world: withPending('0/3 nodes are available: persistentvolumeclaim "web-data" not found.'),
  }),
  situation({
    id: 'host-port-taken',
    title: 'its host port is taken on every free node',
    after: sources.scheduling,
    expected: drainCause('U8', pod, ['port']),
    world: withPending(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't have free ports for the requested pod ports.",
    ),
  }),
  situation({
    id: 'scheduling-gate',
    title: 'a scheduling gate holds the replacement back',
    after: sources.gates,
    expected: drainCause('U9', pod, ['gate']),
    world: withPending('', {
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
    }),
  }),
  situation({
    id: 'no-nodes',
    title: 'the scheduler sees no node at all, though there are some',
    after: sources.scheduling,
    expected: drainCause('U10', pod, ['no nodes']),
    world: withPending('no nodes available to schedule pods'),
  }),
  situation({
    id: 'about-to-be-scheduled',
    title: 'a node fits now, and the scheduler has not tried again',
    after: sources.scheduling,
    expected: drainCause('U11', pod, ['web-b']),
    world: withPending('0/3 nodes are available: 3 node(s) were unschedulable.'),
  }),
  situation({
    id: 'unknown-words-of-the-scheduler',
    title: 'a plug-in of the scheduler says something that nobody knows',
    after: sources.scheduling,
    expected: drainCause('U11', pod, ['gang']),
    world: withPending(
      '0/3 nodes are available: 3 gang scheduling waits for its group.',
      {},
      {
        budgets: [aBudget('web', { status: short })],
      },
    ),
  }),
];
