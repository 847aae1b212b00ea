import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPod,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  refused,
} from '../../functions/core/diagnose/world.ts';
import { aPoolObject, aRollingPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { drainCause } from './blocked-drain.ts';

const mcoNamespace = 'openshift-machine-config-operator';
const builds = '/apis/machineconfiguration.openshift.io/v1/machineosbuilds';
const nodes = ['worker-1', 'worker-2', 'worker-3'].map((name) => aLiveNode(name));

interface BuildDraft {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly about?: string;
  readonly named: readonly string[];
  readonly condition: Json;
  readonly build?: Json;
  readonly pods?: readonly Json[];
}

function image({
  id,
  title,
  code,
  about = 'MachineOSBuild worker-abc',
  named,
  condition,
  build,
  pods = [],
}: BuildDraft) {
  return situation({
    id,
    title,
    after: sources.build,
    expected: { pool: 'worker', kind: 'build-failed', code, about, named },
    world: {
      nodes,
      pods,
      ...(build === undefined
        ? {}
        : { others: { [builds]: [{ metadata: { name: 'worker-abc' }, status: { conditions: [build] } }] } }),
    },
    pools: [aRollingPoolObject({ nodes }, { conditions: [{ lastTransitionTime: minutesAgo(100), ...condition }] })],
  });
}

function failed(words: string): Json {
  return {
    type: 'ImageBuildDegraded',
    status: 'True',
    message: `Failed to build OS image for pool worker (MachineOSBuild: worker-abc): ${words}`,
  };
}

function waits(message: string): Json {
  return { type: 'Updating', status: 'True', message };
}

const running = aPod('machine-os-builder-x', {
  namespace: mcoNamespace,
  labels: { 'k8s-app': 'machine-os-builder' },
  owner: null,
});

function sick(name: string, message: string): Readonly<Record<string, readonly Json[]>> {
  return {
    '/apis/config.openshift.io/v1/clusteroperators': [
      {
        metadata: { name },
        status: { conditions: [{ type: 'Degraded', status: 'True', message, lastTransitionTime: minutesAgo(20) }] },
      },
    ],
  };
}

function withMachine(node: Json, machine: string): Json {
  const { metadata } = node as { readonly metadata: { readonly annotations: Json } };
  return {
    ...node,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, 'machine.openshift.io/machine': `openshift-machine-api/${machine}` },
    },
  };
}

/** What the platform around the nodes does to them. */
export const platform: readonly Situation[] = [
  situation({
    id: 'etcd-member-unhealthy',
    title: 'the guard of etcd holds its node, because another member is not healthy, as etcd itself says',
    after: sources.drainRunbook,
    expected: drainCause('K1', 'ClusterOperator etcd', ['etcd', 'master-1']),
    world: {
      nodes: [aDrainingNode('worker-2'), aLiveNode('worker-1')],
      machines: [drainFailing('worker-2', refused('etcd-guard-0', 'openshift-etcd'))],
      pods: [aPod('etcd-guard-0', { namespace: 'openshift-etcd', node: 'worker-2', app: 'guard', owner: null })],
      budgets: [
        aBudget('etcd-guard-pdb', {
          namespace: 'openshift-etcd',
          spec: { selector: { matchLabels: { app: 'guard' } } },
          status: { expectedPods: 3, desiredHealthy: 2, currentHealthy: 2 },
        }),
      ],
      others: sick('etcd', 'EtcdMembersDegraded: 2 of 3 members are available, member master-1 is unhealthy'),
    },
  }),
  situation({
    id: 'cordon-taken-away',
    title: 'an operator uncordons the node while it is drained',
    after: sources.drainController,
    expected: drainCause('D6', 'Node worker-2', ['sriov-network-config-daemon']),
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2', {
          unschedulable: false,
          taints: [],
          managedFields: [
            {
              manager: 'sriov-network-config-daemon',
              operation: 'Update',
              time: minutesAgo(2),
              fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
            },
          ],
        }),
      ],
    },
  }),
  situation({
    id: 'controller-does-not-run',
    title: 'a change waits and nobody moves the nodes: the machine-config-controller does not run',
    after: sources.nodeController,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S13',
      about: `Deployment ${mcoNamespace}/machine-config-controller`,
      named: ['machine-config-controller'],
    },
    world: {
      nodes,
      pods: [
        aPod('machine-config-controller-x', {
          namespace: mcoNamespace,
          labels: { 'k8s-app': 'machine-config-controller' },
          node: 'master-1',
          ready: false,
          containers: [
            {
              name: 'machine-config-controller',
              ready: false,
              restartCount: 3,
              state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
            },
          ],
        }),
      ],
    },
  }),
  situation({
    id: 'machine-failed',
    title: 'the node did not come back, because its machine was taken away by the provider',
    after: sources.rebootRunbook,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S15',
      about: 'Machine openshift-machine-api/worker-d-x',
      named: ['worker-d-x'],
    },
    world: {
      nodes: [
        aLiveNode('worker-1'),
        withMachine(
          aLiveNode('worker-2', {
            annotations: { desiredConfig: newConfig, state: 'Working', 'post-config-action': 'Rebooting' },
            ready: {
              status: 'Unknown',
              message: 'Kubelet stopped posting node status.',
              lastTransitionTime: minutesAgo(20),
            },
          }),
          'worker-d-x',
        ),
      ],
      others: {
        '/apis/machine.openshift.io/v1beta1/machines': [
          {
            metadata: {
              name: 'worker-d-x',
              namespace: 'openshift-machine-api',
              labels: { 'machine.openshift.io/cluster-api-machineset': 'worker-d' },
            },
            status: { phase: 'Failed', errorMessage: 'instance was terminated by the provider' },
          },
        ],
      },
    },
  }),
  image({
    id: 'containerfile-fails',
    title: 'a step of the Containerfile fails',
    code: 'L1',
    named: ['dnf install nope'],
    condition: failed('error building at STEP "RUN dnf install nope": exit status 1'),
  }),
  image({
    id: 'image-not-pushed',
    title: 'the image was built, and its registry refuses it, as only the MachineOSBuild says',
    code: 'L2',
    named: ['quota exceeded'],
    condition: failed('BuildFailed'),
    build: { type: 'Failed', status: 'True', message: 'error pushing image: quota exceeded' },
  }),
  image({
    id: 'build-interrupted',
    title: 'the MachineOSConfig was edited while its image was built',
    code: 'L3',
    named: ['MachineOSConfig'],
    condition: waits('Pool is waiting for OS image build to complete (mosb: worker-abc)'),
    build: { type: 'Interrupted', status: 'True', message: 'MachineOSConfig was changed' },
  }),
  image({
    id: 'nobody-builds',
    title: 'an image should be built, and the builder does not run',
    code: 'L4',
    about: `Deployment ${mcoNamespace}/machine-os-builder`,
    named: ['machine-os-builder'],
    condition: waits('Pool is waiting for a new OS image build to start (mosc: worker)'),
  }),
  image({
    id: 'build-evicted',
    title: 'the pod of the build was evicted',
    code: 'L5',
    named: ['evicted'],
    condition: failed('pod build-worker-abc was evicted'),
  }),
  image({
    id: 'image-does-not-come',
    title: 'the image is being built for an hour and forty minutes, and nobody says why: nothing is claimed',
    code: 'L0',
    about: 'MachineConfigPool worker',
    named: ['worker-abc'],
    condition: waits('Pool is waiting for OS image build to complete (mosb: worker-abc)'),
    pods: [running],
  }),
  situation({
    id: 'decoy-operator-degraded-for-itself',
    title: 'a part of the platform is degraded, and no pool waits for it',
    after: sources.nodes,
    expected: 'nothing',
    world: { nodes, others: sick('monitoring', 'UpdatingPrometheusFailed: timed out') },
    pools: [aPoolObject()],
  }),
];
