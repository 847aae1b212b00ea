import { Approve } from '../../functions/core/configuration/approve.ts';
import type { KnownApplication } from '../../functions/core/diagnose/managed-by.ts';
import type { TroubleKind } from '../../functions/core/findings/trouble.ts';
import { aCondition, aHold, anApplication, anOperation, aPool, aRecord } from '../fakes/builders.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aMaster,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  now,
  refused,
} from '../functions/core/diagnose/world.ts';
import type { Scene } from '../functions/core/judge/pass-over.ts';

/** A situation whose message is drawn. Nothing of the message is written here: rules, judgement and renderers make
 *  it. */
export interface MessageScene {
  /** Of the files. */
  readonly name: string;
  /** Code of the root cause that the rules must find. */
  readonly code: string;
  readonly kind: TroubleKind;
  readonly title: string;
  /** Minutes that it has been going on. */
  readonly minutes: number;
  readonly scene: Scene;
}

const shop: KnownApplication = {
  ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'shop' },
  sources: [{ repoURL: 'https://github.com/acme/shop', path: 'apps/web', targetRevision: 'main', chart: '' }],
  selfHeal: true,
};
const nodes: KnownApplication = {
  ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' },
  sources: [{ repoURL: 'https://github.com/acme/platform', path: 'nodes', targetRevision: 'main', chart: '' }],
  selfHeal: true,
};

const machineApi = '/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api';
const tracked = (id: string): Json => ({ annotations: { 'argocd.argoproj.io/tracking-id': id } });
const pinned = { spec: { nodeSelector: { disk: 'ssd' } } };
const masters = ['master-1', 'master-2', 'master-3'].map(aMaster);
const twoOfTwo = { spec: { minAvailable: 1 }, status: { desiredHealthy: 1, currentHealthy: 1 } };

const deadlock: MessageScene = {
  name: 'self-deadlock',
  code: 'self-deadlock',
  kind: 'drain-blocked',
  title: 'A drain and the replacement pod wait for each other',
  minutes: 12,
  scene: {
    pools: [aRollingPool()],
    world: aWorld({
      nodes: [...masters, aDrainingNode('worker-2', { labels: { disk: 'ssd' } }), aLiveNode('worker-3')],
      pods: [
        aPod('web-a', { node: 'worker-2', ...pinned }),
        aPendingPod(
          'web-b',
          "0/5 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match Pod's node affinity/selector, 3 node(s) had untolerated taint(s).",
          pinned,
        ),
      ],
      budgets: [aBudget('web', twoOfTwo)],
      machines: [drainFailing('worker-2', refused('web-a'))],
      others: {
        [`${machineApi}/machinesets`]: [
          {
            metadata: { name: 'worker-ssd', namespace: 'openshift-machine-api' },
            spec: { replicas: 1, template: { spec: { metadata: { labels: { disk: 'ssd' } } } } },
          },
        ],
        [`${machineApi}/machines`]: [],
      },
    }),
  },
};

const budget: MessageScene = {
  name: 'budget-without-spare',
  code: 'P1',
  kind: 'drain-blocked',
  title: 'A budget that never spares a pod, kept by Argo CD',
  minutes: 12,
  scene: {
    known: [shop],
    pools: [aRollingPool({ maxUnavailable: '2' })],
    world: aWorld({
      nodes: [aDrainingNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      pods: ['worker-1', 'worker-2', 'worker-3'].map((node) => aPod(`web-${node}`, { node })),
      budgets: [
        aBudget('web', {
          metadata: tracked('shop:policy/PodDisruptionBudget:shop/web'),
          spec: { minAvailable: 3 },
          status: { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3 },
        }),
      ],
      replicaSets: [
        { metadata: { name: 'web-5d5f6c7b8', namespace: 'shop' }, spec: { replicas: 3 }, status: { replicas: 3 } },
      ],
      machines: ['worker-1', 'worker-2'].map((node) => drainFailing(node, refused(`web-${node}`))),
      others: {
        '/apis/apps/v1/namespaces/shop/deployments': [
          { metadata: { name: 'web', namespace: 'shop', ...tracked('shop:apps/Deployment:shop/web') } },
        ],
      },
    }),
  },
};

const crashing: MessageScene = {
  name: 'sibling-crashes',
  code: 'C1',
  kind: 'drain-blocked',
  title: 'The other replica crashes, so the budget has none to spare',
  minutes: 14,
  scene: {
    pools: [aRollingPool()],
    world: aWorld({
      nodes: [aDrainingNode('worker-2'), aLiveNode('worker-3')],
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPod('web-b', {
          node: 'worker-3',
          ready: false,
          containers: [
            {
              name: 'main',
              ready: false,
              restartCount: 14,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
            },
          ],
        }),
      ],
      budgets: [aBudget('web', twoOfTwo)],
      machines: [drainFailing('worker-2', refused('web-a'))],
    }),
  },
};

const finalizer: MessageScene = {
  name: 'finalizer',
  code: 'T2',
  kind: 'drain-blocked',
  title: 'An evicted pod is held by a finalizer',
  minutes: 16,
  scene: {
    pools: [aRollingPool()],
    world: aWorld({
      nodes: [aDrainingNode('worker-2'), aLiveNode('worker-3')],
      pods: [
        aPod('job-7', {
          namespace: 'batch',
          node: 'worker-2',
          owner: { apiVersion: 'batch/v1', kind: 'Job', name: 'job', controller: true },
          metadata: {
            deletionTimestamp: minutesAgo(11),
            deletionGracePeriodSeconds: 0,
            finalizers: ['acme.io/export'],
          },
        }),
      ],
      machines: [drainFailing('worker-2', accepted('job-7', 'batch'))],
    }),
  },
};

const drift: MessageScene = {
  name: 'config-drift',
  code: 'N1',
  kind: 'node-degraded',
  title: 'A file on a node was edited by hand',
  minutes: 8,
  scene: {
    pools: [
      aPool({
        counts: { machines: 3, updated: 2, ready: 2, unavailable: 1, degraded: 1 },
        conditions: [aCondition({ type: 'NodeDegraded', status: 'True', since: minutesAgo(8) })],
      }),
    ],
    world: aWorld({
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-2', {
          annotations: {
            state: 'Degraded',
            reason:
              'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"',
          },
        }),
        aLiveNode('worker-3'),
      ],
    }),
  },
};

const pull: MessageScene = {
  name: 'image-pull',
  code: 'N5',
  kind: 'node-degraded',
  title: 'Three nodes cannot pull the operating system image',
  minutes: 9,
  scene: {
    pools: [aRollingPool({ maxUnavailable: '3' })],
    world: aWorld({
      nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) =>
        aLiveNode(name, {
          annotations: {
            state: 'Degraded',
            desiredConfig: newConfig,
            reason:
              'failed to update OS to registry.acme.example/rhcos@sha256:4f0e: error: unauthorized: authentication required',
          },
        }),
      ),
    }),
  },
};

const unrenderable =
  'Failed to render configuration for pool POOL: reconciliation failed between current config "rendered-aaa" and base config "99-disk": ignition disks section contains changes';

const render: MessageScene = {
  name: 'cannot-render',
  code: 'R3',
  kind: 'render-failed',
  title: 'A change that no running node can take, in two pools',
  minutes: 6,
  scene: {
    known: [nodes],
    pools: ['worker', 'infra'].map((name) =>
      aPool({
        name,
        conditions: [
          aCondition({
            type: 'RenderDegraded',
            status: 'True',
            since: minutesAgo(6),
            message: unrenderable.replace('POOL', name),
          }),
        ],
      }),
    ),
    world: aWorld({
      machineConfigs: [
        {
          metadata: {
            name: '99-disk',
            creationTimestamp: minutesAgo(7),
            ...tracked('nodes:machineconfiguration.openshift.io/MachineConfig:openshift-gitops/99-disk'),
          },
        },
      ],
    }),
  },
};

const lost: MessageScene = {
  name: 'lost-after-reboot',
  code: 'S15',
  kind: 'node-lost',
  title: 'A node that does not come back, because its machine has failed',
  minutes: 20,
  scene: {
    pools: [aRollingPool()],
    world: aWorld({
      nodes: [
        withMachine(
          aLiveNode('worker-2', {
            ready: {
              status: 'Unknown',
              message: 'Kubelet stopped posting node status.',
              lastTransitionTime: minutesAgo(19),
            },
            annotations: { state: 'Working', desiredConfig: newConfig, 'post-config-action': 'Rebooting' },
          }),
        ),
        aLiveNode('worker-3'),
      ],
      others: {
        [`${machineApi}/machines`]: [
          {
            metadata: {
              name: 'worker-ssd-x7k2p',
              namespace: 'openshift-machine-api',
              labels: { 'machine.openshift.io/cluster-api-machineset': 'worker-ssd' },
            },
            status: { phase: 'Failed', errorMessage: 'instance i-0af3 was terminated by its provider' },
          },
        ],
      },
    }),
  },
};

const cordoned: MessageScene = {
  name: 'cordoned-by-hand',
  code: 'S1',
  kind: 'no-progress',
  title: 'A rollout stands still behind a cordon',
  minutes: 25,
  scene: {
    pools: [aRollingPool({ counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 0 } })],
    world: aWorld({
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-3'),
        aLiveNode('worker-7', {
          unschedulable: true,
          taints: [
            { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: minutesAgo(3 * 24 * 60) },
          ],
          managedFields: [
            {
              manager: 'kubectl',
              operation: 'Update',
              time: minutesAgo(3 * 24 * 60),
              fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
            },
          ],
        }),
      ],
    }),
  },
};

const failedSync: MessageScene = {
  name: 'sync-failed',
  code: 'A1',
  kind: 'run-failed',
  title: 'A sync failed and its pool stays paused',
  minutes: 5,
  scene: {
    pools: [
      aPool({
        paused: true,
        record: {
          kind: 'record',
          record: aRecord({ pausedSince: minutesAgo(6), holds: [aHold({ phase: 'failed', since: minutesAgo(6) })] }),
        },
      }),
    ],
    applications: [
      {
        kind: 'seen',
        application: anApplication({
          operation: anOperation({
            phase: 'Failed',
            message: 'one or more objects failed to apply',
            startedAt: minutesAgo(5.5),
            finishedAt: minutesAgo(5),
            results: [
              {
                group: 'machineconfiguration.openshift.io',
                kind: 'MachineConfig',
                namespace: '',
                name: '99-worker-ssh',
                status: 'SyncFailed',
                message: 'admission webhook "mc.acme.io" denied the request: mode 0777 is not allowed',
                hookType: '',
              },
            ],
          }),
        }),
      },
    ],
  },
};

const rendered = 'rendered-worker-5c1f9d6b7e2a48c3b0d49f6e8a7c2b15';

const approvalNeeded: MessageScene = {
  name: 'approval-needed',
  code: 'A10',
  kind: 'approval-needed',
  title: 'A change waits for two approvals',
  minutes: 12,
  scene: {
    pools: [
      aPool({
        paused: true,
        target: { name: rendered, sources: ['00-worker', '99-worker-ssh'] },
        counts: { machines: 12, ready: 12, updated: 0, unavailable: 0, degraded: 0 },
        record: {
          kind: 'record',
          record: aRecord({
            pause: 'ours',
            holds: [],
            pausedSince: minutesAgo(14),
            release: {
              since: minutesAgo(12),
              finishedAt: minutesAgo(12),
              machineConfigs: ['99-worker-ssh'],
              why: 'Argo CD synced openshift-gitops/nodes',
              pushers: ['carol'],
            },
          }),
        },
      }),
    ],
    approval: {
      worker: {
        kind: 'asked',
        approve: Approve.parse({ by: ['slack:U024BE7LH', 'slack:U0G9QF9C6'], needed: 2 }),
        approvals: [
          {
            cluster: 'prod',
            pool: 'worker',
            config: rendered,
            who: 'slack:U024BE7LH',
            name: 'alice',
            verb: 'approve',
            at: minutesAgo(4),
            reason: '',
          },
        ],
        change: rendered,
        minutesPerNode: 9,
        gate: {
          why: `${rendered} needs 2 approvals: slack:U024BE7LH (alice) approved`,
          timeout: { at: minutesAgo(-228), action: 'alert' },
          approves: rendered,
        },
      },
    },
    change: {
      worker: {
        from: 'rendered-worker-aaa',
        to: rendered,
        class: 'reboot',
        parts: ['file /etc/ssh/sshd_config.d/40-platform.conf', 'kernel argument audit=1'],
        partsInAll: 2,
        security: ['sshd'],
        causes: [
          {
            kind: 'git',
            sources: ['99-worker-ssh'],
            why: 'MachineConfig 99-worker-ssh of Application openshift-gitops/nodes, commit 4f2a9c1d',
          },
        ],
      },
    },
  },
};

function withMachine(node: Json): Json {
  const metadata = Object(node['metadata']);
  const machine = { 'machine.openshift.io/machine': 'openshift-machine-api/worker-ssd-x7k2p' };
  return { ...node, metadata: { ...metadata, annotations: { ...metadata.annotations, ...machine } } };
}

/** The ten causes that people meet most, in the order in which they are likely, and what people are asked. */
export const scenes: readonly MessageScene[] = [
  deadlock,
  budget,
  crashing,
  finalizer,
  drift,
  pull,
  render,
  lost,
  cordoned,
  failedSync,
  approvalNeeded,
];

/** When they are told. */
export const sceneNow = new Date(now);
