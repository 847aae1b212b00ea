import { requestOf } from '../../functions/core/diagnose/certificate-requests.ts';
import {
  aDrainingNode,
  aLiveNode,
  aMachine,
  aPod,
  aWorld,
  type Json,
  minutesAgo,
  newConfig,
  oldConfig,
} from '../../functions/core/diagnose/world.ts';
import { aPoolObject, aRollingPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';
const silent = {
  status: 'Unknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: minutesAgo(20),
};
const waiting = { annotations: { desiredConfig: newConfig } };
const working = { annotations: { desiredConfig: newConfig, state: 'Working' } };
const rebooting = {
  annotations: { desiredConfig: newConfig, state: 'Working', 'post-config-action': 'Rebooting' },
};
const byKubectl = {
  unschedulable: true,
  taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: minutesAgo(3 * 24 * 60) }],
  managedFields: [
    {
      manager: 'kubectl',
      operation: 'Update',
      time: minutesAgo(3 * 24 * 60),
      fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
    },
  ],
};

function daemonOn(node: string, change: Parameters<typeof aPod>[1] = {}): Json {
  return aPod(`machine-config-daemon-${node}`, {
    namespace: 'openshift-machine-config-operator',
    node,
    labels: { 'k8s-app': 'machine-config-daemon' },
    owner: { kind: 'DaemonSet', name: 'machine-config-daemon', controller: true },
    ...change,
  });
}

function controller(change: Parameters<typeof aPod>[1] = {}): Json {
  return aPod('machine-config-controller-0', {
    namespace: 'openshift-machine-config-operator',
    node: 'master-0',
    app: 'mcc',
    labels: { 'k8s-app': 'machine-config-controller' },
    ...change,
  });
}

/** A container of the MCO's image.
 *  @param digit of which its digest is made */
function runs(name: string, digit: string): Json {
  const image = `quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:${digit.repeat(64)}`;
  return { name, ready: true, restartCount: 0, state: { running: {} }, image, imageID: image };
}

/** Paused by Poolkeeper, let go of, and the render does not list what the sync applied. */
const awaiting = aPoolObject({
  paused: true,
  metadata: {
    annotations: {
      'poolkeeper.dev/holds': JSON.stringify({
        v: 1,
        pause: 'ours',
        pausedSince: minutesAgo(10),
        holds: [],
        release: {
          since: minutesAgo(5),
          finishedAt: minutesAgo(5),
          machineConfigs: ['99-worker-chrony'],
          why: 'synced',
        },
      }),
    },
  },
});
const firstSeen = { 'worker|unrendered': minutesAgo(4) };

function inBothPools(): Json {
  return aLiveNode('worker-7', {
    labels: { 'node-role.kubernetes.io/infra': '', 'node-role.kubernetes.io/gpu': '' },
  });
}

/** Nothing is Degraded, and yet nothing moves. */
export const standstills: readonly Situation[] = [
  situation({
    id: 'cordoned-by-hand',
    title: 'the budget of unavailable nodes is used up by a node that somebody cordoned days ago',
    after: sources.nodeController,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S1',
      about: 'Node worker-7',
      named: ['worker-7', 'cordoned'],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', byKubectl), aLiveNode('worker-3')] },
  }),
  situation({
    id: 'unreachable-node-stops-the-rollout',
    title: 'the budget is used up by a node that does not answer',
    after: sources.nodes,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S2',
      about: 'Node worker-7',
      named: ['worker-7', 'Kubelet stopped'],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent }), aLiveNode('worker-3')] },
  }),
  situation({
    id: 'unreachable-node-at-rest',
    title: 'a node does not answer, and nothing is rolled out',
    after: sources.nodes,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S2',
      about: 'Node worker-7',
      named: ['worker-7', 'Kubelet stopped'],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent }), aLiveNode('worker-3')] },
    pools: [aPoolObject({ counts: { updated: 3, ready: 2, unavailable: 1 } })],
  }),
  situation({
    id: 'did-not-come-back',
    title: 'the node rebooted for the update and is silent since',
    after: sources.rebootRunbook,
    expected: { pool: 'worker', kind: 'node-lost', code: 'S3', about: 'Node worker-2', named: ['worker-2', 'reboot'] },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })] },
  }),
  situation({
    id: 'certificate-not-approved',
    title: 'the node rebooted, and nobody has approved the certificate that its kubelet asks for',
    after: sources.certificateRequests,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S16',
      about: 'CertificateSigningRequest csr-8b2x7',
      named: ['worker-2', 'csr-8b2x7'],
    },
    world: {
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })],
      others: {
        '/apis/certificates.k8s.io/v1/certificatesigningrequests': [
          {
            metadata: { name: 'csr-8b2x7', creationTimestamp: minutesAgo(20) },
            spec: {
              username: 'system:node:worker-2',
              signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
              request: requestOf('worker-2'),
            },
            status: {},
          },
        ],
      },
    },
  }),
  situation({
    id: 'revert-does-not-reach-the-node',
    title: 'the change was reverted, and the node that it took down is never given the reverted config',
    after: sources.nodeController,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S17',
      about: 'Node worker-2',
      named: ['worker-2', newConfig],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })] },
    pools: [
      aRollingPoolObject(
        aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })] }),
        { target: 'rendered-worker-aaa' },
      ),
    ],
  }),
  situation({
    id: 'newer-config-waits-behind-the-pause',
    title: 'the node did not come back, and what was rendered since waits behind the pause of its pool',
    after: sources.nodeController,
    expected: { pool: 'worker', kind: 'node-lost', code: 'S3', about: 'Node worker-2', named: ['worker-2'] },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })] },
    pools: [
      aRollingPoolObject(
        aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { ...rebooting, ready: silent })] }),
        { target: 'rendered-worker-ccc', paused: true },
      ),
    ],
  }),
  situation({
    id: 'came-back-without-network',
    title: 'the node came back and its network plug-in did not',
    after: sources.nodes,
    expected: {
      pool: 'worker',
      kind: 'node-lost',
      code: 'S3',
      about: 'Node worker-2',
      named: ['worker-2', 'NetworkPluginNotReady'],
    },
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-2', {
          ...rebooting,
          ready: {
            status: 'False',
            message: 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady',
            lastTransitionTime: minutesAgo(20),
          },
        }),
      ],
    },
  }),
  situation({
    id: 'no-config-daemon',
    title: 'no config daemon runs on the node that was targeted',
    after: sources.poolRunbook,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S4',
      about: 'Node worker-2',
      named: ['machine-config-daemon'],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', waiting)] },
  }),
  situation({
    id: 'daemon-of-another-release',
    title: 'the update of the cluster has replaced the controller, and not the config daemon of the node',
    after: sources.operatorSync,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S18',
      about: 'Pod openshift-machine-config-operator/machine-config-daemon-worker-2',
      named: ['worker-2', 'machine-config-controller'],
    },
    world: {
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', waiting)],
      pods: [
        daemonOn('worker-2', { containers: [runs('machine-config-daemon', 'a')] }),
        controller({ containers: [runs('machine-config-controller', 'b')] }),
      ],
    },
  }),
  situation({
    id: 'config-daemon-cannot-start',
    title: 'the image of the config daemon cannot be pulled',
    after: sources.poolRunbook,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S4',
      about: 'Node worker-2',
      named: ['machine-config-daemon-worker-2'],
    },
    world: {
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', waiting)],
      pods: [
        daemonOn('worker-2', {
          ready: false,
          containers: [
            {
              name: 'machine-config-daemon',
              state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } },
            },
          ],
        }),
      ],
    },
  }),
  situation({
    id: 'paused-by-an-operator',
    title: 'an operator has paused the pool for nine hours, and a change waits',
    after:
      'https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/machine_configuration/machine-config-index',
    expected: {
      pool: 'worker',
      kind: 'paused-too-long',
      code: 'S6',
      about: 'MachineConfigPool worker',
      named: ['sriov-network-config-daemon'],
    },
    world: { nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')] },
    pools: [
      aRollingPoolObject(aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')] }), {
        paused: true,
        conditions: [{ type: 'Updating', status: 'False' }],
        metadata: {
          managedFields: [
            {
              manager: 'sriov-network-config-daemon',
              operation: 'Update',
              time: minutesAgo(540),
              fieldsV1: { 'f:spec': { 'f:paused': {} } },
            },
          ],
        },
      }),
    ],
  }),
  situation({
    id: 'node-in-two-custom-pools',
    title: 'two custom pools select the node, so it belongs to none',
    after: sources.nodeController,
    expected: {
      pool: 'gpu',
      kind: 'no-progress',
      code: 'S7',
      about: 'MachineConfigPool gpu',
      alsoOf: ['infra'],
      named: ['worker-7'],
    },
    world: { nodes: [inBothPools()] },
    pools: [
      aRollingPoolObject({ nodes: [] }, { name: 'infra', counts: { machines: 1 } }),
      aPoolObject({ name: 'gpu' }),
    ],
  }),
  situation({
    id: 'node-in-no-pool',
    title: 'the role label of the node was taken away, so it is in no pool',
    after: sources.nodeController,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S8',
      about: 'MachineConfigPool worker',
      named: ['worker-7'],
    },
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-7', { role: 'storage', annotations: { currentConfig: oldConfig, desiredConfig: oldConfig } }),
      ],
    },
    pools: [aPoolObject({ counts: { machines: 1, updated: 1, ready: 1 } })],
  }),
  situation({
    id: 'custom-pool-on-the-control-plane',
    title: 'a custom pool selects a node of the control plane, which stays there',
    after: sources.poolRunbook,
    expected: { pool: 'infra', kind: 'no-progress', code: 'S9', about: 'MachineConfigPool infra', named: ['master-0'] },
    world: { nodes: [aLiveNode('master-0', { role: 'master', labels: { 'node-role.kubernetes.io/infra': '' } })] },
    pools: [
      aPoolObject({ name: 'master' }),
      aPoolObject({ name: 'infra', counts: { machines: 0, updated: 0, ready: 0 } }),
    ],
  }),
  situation({
    id: 'controller-config-not-complete',
    title: 'the MCO has not finished its own templates, so nothing is rendered and nobody says so',
    after: sources.render,
    expected: {
      pool: 'worker',
      kind: 'render-failed',
      code: 'S10',
      about: 'ControllerConfig machine-config-controller',
      named: ['no such template'],
    },
    world: {
      nodes: [aLiveNode('worker-1')],
      others: {
        [`${mco}/controllerconfigs`]: [
          {
            metadata: { name: 'machine-config-controller' },
            status: {
              conditions: [{ type: 'TemplateControllerFailing', status: 'True', message: 'no such template' }],
            },
          },
        ],
      },
    },
    pools: [awaiting],
    firstSeen,
    waitsForRender: ['worker'],
  }),
  situation({
    id: 'kubelet-config-not-accepted',
    title: 'a KubeletConfig sets what may not be set, and every render of the pool waits for it',
    after: sources.kubeletConfig,
    expected: {
      pool: 'worker',
      kind: 'render-failed',
      code: 'R9',
      about: 'KubeletConfig max-pods',
      named: ['max-pods'],
    },
    world: {
      nodes: [aLiveNode('worker-1')],
      others: {
        [`${mco}/kubeletconfigs`]: [
          {
            metadata: { name: 'max-pods' },
            status: {
              conditions: [
                {
                  type: 'Failure',
                  status: 'False',
                  message: 'Error: KubeletConfiguration: clusterDNS is not allowed to be set, but contains: [10.0.0.1]',
                },
              ],
            },
          },
        ],
      },
    },
    pools: [awaiting],
    firstSeen,
    waitsForRender: ['worker'],
  }),
  situation({
    id: 'kubelet-config-refused-by-newer-releases',
    title: 'the same as OpenShift 4.23 writes it: an Accepted that is False, and a Failure that is True',
    after: sources.kubeletConfig,
    expected: {
      pool: 'worker',
      kind: 'render-failed',
      code: 'R9',
      about: 'KubeletConfig max-pods',
      named: ['max-pods'],
    },
    world: {
      nodes: [aLiveNode('worker-1')],
      others: {
        [`${mco}/kubeletconfigs`]: [
          {
            metadata: { name: 'max-pods' },
            status: {
              conditions: [
                {
                  type: 'Accepted',
                  status: 'False',
                  message: 'Error: KubeletConfiguration: failSwapOn is not allowed',
                },
                { type: 'Failure', status: 'True', message: 'Error: KubeletConfiguration: failSwapOn is not allowed' },
              ],
            },
          },
        ],
      },
    },
    pools: [awaiting],
    firstSeen,
    waitsForRender: ['worker'],
  }),
  situation({
    id: 'disk-pressure',
    title: 'a node is out of disk space and takes no pods, and the rollout waits for it',
    after: sources.nodes,
    expected: { pool: 'worker', kind: 'node-lost', code: 'S11', about: 'Node worker-7', named: ['worker-7', 'disk'] },
    world: {
      nodes: [
        aLiveNode('worker-1'),
        aLiveNode('worker-7', {
          taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }],
          conditions: [{ type: 'DiskPressure', status: 'True', message: 'kubelet has disk pressure' }],
        }),
      ],
    },
  }),
  situation({
    id: 'nobody-is-missing',
    title: 'the pool waits, every node is well, and nothing is seen that stops it: nothing is claimed',
    after: sources.nodeController,
    expected: {
      pool: 'worker',
      kind: 'no-progress',
      code: 'S12',
      about: 'MachineConfigPool worker',
      named: ['worker'],
    },
    world: {
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')],
      pods: [controller()],
    },
  }),
  situation({
    id: 'step-takes-too-long',
    title: 'files are being written for 25 minutes, and no error is told: nothing is claimed',
    after: sources.daemon,
    expected: { pool: 'worker', kind: 'no-progress', code: 'W1', about: 'Node worker-2', named: ['worker-2'] },
    world: {
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', working)],
      pods: [daemonOn('worker-2'), controller()],
      machines: [
        aMachine('worker-2', [
          {
            type: 'AppliedFilesAndOS',
            status: 'Unknown',
            message: 'Applying files and new OS config to node.',
            lastTransitionTime: minutesAgo(25),
          },
        ]),
      ],
    },
  }),
  situation({
    id: 'second-node-waits-behind-a-lost-one',
    title: 'one node did not come back, and another waits for its turn',
    after: sources.rebootRunbook,
    expected: { pool: 'worker', kind: 'node-lost', code: 'S3', about: 'Node worker-2', named: ['worker-2', 'reboot'] },
    world: {
      nodes: [
        aDrainingNode('worker-2', {
          annotations: { lastAppliedDrain: `drain-${newConfig}`, 'post-config-action': 'Rebooting' },
          ready: silent,
        }),
        aLiveNode('worker-1'),
        aLiveNode('worker-3', { annotations: { currentConfig: newConfig, desiredConfig: newConfig } }),
      ],
    },
  }),
];
