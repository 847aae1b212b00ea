import { execFile } from 'node:child_process';
import { request } from 'node:https';
import { promisify } from 'node:util';
import { apart, type DrainWorld, isReady } from './harness/drain-world.ts';
import { type Draft, type KubeObject, KubeRefusal } from './harness/kube.ts';
import { paths } from './harness/paths.ts';
import { until } from './harness/until.ts';

/** A cluster in which the node `a` cannot be drained, and what Poolkeeper must say of it. */
export interface Scenario {
  /** Namespace, pool and prefix of its nodes. */
  readonly world: string;
  readonly title: string;
  /** Requirements it proves. */
  readonly ids?: string;
  /** Codes from what is seen down to the root cause. */
  readonly chain: readonly string[];
  /** The sentence of the root cause. */
  readonly says: RegExp;
  /** Fields that the root cause is known by. */
  readonly evidence: readonly string[];
  readonly arrange: (world: DrainWorld) => Promise<void>;
}

/** Two pods on `a`, one may go; the replacement of the first then finds no node, for a reason that each scenario
 *  brings. */
async function replacementPending(world: DrainWorld, workload: Partial<Parameters<DrainWorld['deploy']>[0]> = {}) {
  await world.node('a');
  await world.deploy({ replicas: 2, ...workload });
  await world.budget({ minAvailable: 1 });
  return async (): Promise<void> => {
    await world.drain('a');
    await world.untilPods('a replacement without a node', (pods) => pods.some(isPending));
  };
}

/** One pod on `a` and one on `b`, of which one must stay. The one on `b` is not well. */
async function siblingOn(world: DrainWorld, fate: Parameters<DrainWorld['kubelets']['fate']>[1]): Promise<void> {
  await world.node('a');
  await world.node('b', { fate });
  await world.deploy({ replicas: 2, pod: apart, untilReady: 1 });
  await world.untilPods('both pods to have begun', (pods) => pods.every(({ status }) => status?.startTime));
  await world.budget({ minAvailable: 1 });
  await world.drain('a');
}

/** The same, and `b` does not answer any more. */
async function siblingOnLostNode(world: DrainWorld, fate: 'ready' | 'young'): Promise<void> {
  await world.node('a');
  await world.node('b', { fate });
  await world.deploy({ replicas: 2, pod: apart });
  await world.budget({ minAvailable: 1 });
  await untilLost(world, 'b');
  await untilSpared(world, 0);
  await world.drain('a');
}

/** One pod on `a`, guarded by nothing. */
async function onePod(world: DrainWorld, workload: Partial<Parameters<DrainWorld['deploy']>[0]> = {}): Promise<void> {
  await world.node('a');
  await world.deploy({ replicas: 1, ...workload });
}

/** A workload that may run on cordoned nodes, and whose pods take longer to end than an attempt lasts. */
async function slowAndTolerant(world: DrainWorld): Promise<void> {
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }];
  await onePod(world, { pod: { terminationGracePeriodSeconds: 600, tolerations } });
  await world.kubelets.fate(world.nodeName('a'), 'never ends');
  await world.drain('a');
  await world.untilPods(
    'another one to run',
    (pods) => pods.length === 2 && pods.some((pod) => isNew(pod) && isReady(pod)),
  );
}

function isNew({ metadata }: KubeObject): boolean {
  return metadata['deletionTimestamp'] === undefined;
}

const bootstrapper = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';

/** Has somebody ask for the client certificate of a node, with a request that openssl makes. Nobody approves it. */
async function askForCertificate(
  world: DrainWorld,
  name: string,
  { as, node }: { readonly as: string; readonly node: string },
): Promise<void> {
  const request = await requestFor(`/O=system:nodes/CN=system:node:${node}`);
  const asked = `${world.name}-${name}`;
  const { controlPlane } = world.lab;
  await world.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: asked },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: as }],
  });
  const kube = controlPlane.kubeAs(controlPlane.tokenFor({ name: as }));
  const draft = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: asked },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      request,
    },
  };
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  await until(
    () =>
      kube.post(requests, draft).then(
        () => true,
        (cause: unknown) => cause instanceof KubeRefusal && cause.reason === 'AlreadyExists',
      ),
    60_000,
    `${as} to be allowed to ask`,
  ).finally(kube.close);
}

/** PKCS #10 in PEM in base64, as the API has it. The key is thrown away. */
async function requestFor(subject: string): Promise<string> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', '/dev/null'];
  const { stdout } = await promisify(execFile)('openssl', ['req', '-new', '-batch', ...key, '-subj', subject]);
  return Buffer.from(stdout).toString('base64');
}

/** A pod on `a` that nobody makes again. */
async function barePod(world: DrainWorld, metadata: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await world.node('a');
  await world.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bare', namespace: world.name, labels: { app: 'web' }, ...metadata },
    spec: {
      nodeSelector: { world: world.name },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', image: 'example.com/app' }],
    },
  });
  await world.untilPods('the pod to be ready', (pods) => pods.length === 1 && pods.every(isReady));
}

function isPending({ spec, status, metadata }: KubeObject): boolean {
  return status?.phase === 'Pending' && spec.nodeName === undefined && metadata['deletionTimestamp'] === undefined;
}

const budgets: readonly Scenario[] = [
  {
    world: 'p0',
    title: 'the budget refused and would spare one now',
    chain: ['D1', 'P0'],
    says: /^PDB p0\/web refused the eviction and allows 1 now/,
    evidence: ['status.disruptionsAllowed=1'],
    arrange: async (world) => {
      await siblingOn(world, 'unready');
      await world.kubelets.fate(world.nodeName('b'), 'ready');
      await world.untilPods('both pods to be ready', (pods) => pods.every(isReady));
      await untilSpared(world, 1);
    },
  },
  {
    world: 'p1',
    title: 'the budget demands every pod',
    ids: '[S1-5] ',
    chain: ['D1', 'P1'],
    says: /^PDB p1\/web demands all 2 of 2 pods \(minAvailable 2\), so no pod of Deployment web can ever be evicted/,
    evidence: ['status.disruptionsAllowed=0', 'status.desiredHealthy=2', 'status.expectedPods=2'],
    arrange: async (world) => {
      await world.node('a');
      await world.deploy({ replicas: 2 });
      await world.budget({ minAvailable: 2 });
      await world.drain('a');
    },
  },
  {
    world: 'p1max',
    title: 'the budget forbids by maxUnavailable 0 %',
    chain: ['D1', 'P1'],
    says: /demands all 2 of 2 pods \(maxUnavailable 0%\)/,
    evidence: ['status.desiredHealthy=2', 'status.expectedPods=2'],
    arrange: async (world) => {
      await world.node('a');
      await world.deploy({ replicas: 2 });
      await world.budget({ maxUnavailable: '0%' });
      await world.drain('a');
    },
  },
  {
    world: 'p2',
    title: 'a single pod is guarded',
    chain: ['D1', 'P2'],
    says: /^Deployment web runs one pod and PDB p2\/web forbids losing it/,
    evidence: ['status.expectedPods=1'],
    arrange: async (world) => {
      await onePod(world);
      await world.budget({ minAvailable: 1 });
      await world.drain('a');
    },
  },
  {
    world: 'p4',
    title: 'the drain of another node uses the budget up',
    chain: ['D1', 'P4', 'T1'],
    says: /^web-\d is shutting down/,
    evidence: ['metadata.deletionGracePeriodSeconds=600'],
    arrange: async (world) => {
      await world.node('a');
      await world.node('b', { fate: 'never ends' });
      await world.deploy({
        kind: 'StatefulSet',
        replicas: 2,
        pod: { ...apart, terminationGracePeriodSeconds: 600 },
      });
      await world.budget({ maxUnavailable: 1 });
      await world.drain('b');
      await world.drain('a');
    },
  },
  {
    world: 'p5',
    title: 'two budgets cover the pod',
    chain: ['D1', 'P5'],
    says: /^Pod p5\/web-\S+ is covered by the PDBs all and web, and Kubernetes evicts no pod that more than one covers/,
    evidence: ['spec.selector={"matchLabels":{},"matchExpressions":[]}'],
    arrange: async (world) => {
      await onePod(world);
      await world.budget({ minAvailable: 0 });
      await world.budget({ maxUnavailable: '50%', selector: {} }, 'all');
      await world.drain('a');
    },
  },
  {
    world: 'p6',
    title: 'the budget cannot be computed for pods of an owner without a scale',
    chain: ['D1', 'P6'],
    says: /^PDB p6\/web cannot be evaluated, so it allows nothing: .*jobs\.batch does not implement the scale subresource/,
    evidence: ['status.conditions[DisruptionAllowed].message='],
    arrange: async (world) => {
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'example.com/app' }] } };
      const job = await world.create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'once', namespace: world.name },
        spec: { suspend: true, template },
      });
      await barePod(world, {
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'once', uid: job.metadata.uid, controller: true },
        ],
      });
      await world.budget({ maxUnavailable: 1 });
      // The API server asks to come again after 10 s here, and the drain library does so ten times before it says a
      // word.
      await world.beginDrain('a');
    },
  },
  {
    world: 'p6bare',
    title: 'the budget counts by owners, and the pod has none',
    chain: ['D1', 'P6'],
    says: /^PDB p6bare\/web counts by the owners of its pods \(maxUnavailable 1\), and bare has none: so it allows nothing/,
    evidence: ['status.expectedPods=0'],
    arrange: async (world) => {
      await barePod(world);
      await world.budget({ maxUnavailable: 1 });
      await world.drain('a');
    },
  },
  {
    world: 'p7',
    title: 'the pod on the node is itself broken, and guarded',
    chain: ['D1', 'P7', 'C1'],
    says: /^web-\S+ crashes again and again \(OOMKilled with code 137, 14 restarts\)/,
    evidence: ['status.containerStatuses[app].state.waiting.reason=CrashLoopBackOff'],
    arrange: async (world) => {
      await world.node('a', { fate: 'crashing' });
      await world.deploy({ replicas: 1, untilReady: 0 });
      await world.untilPods('the pod to have begun', (pods) => pods.some(({ status }) => status?.startTime));
      await world.budget({ minAvailable: 1 });
      await world.drain('a');
    },
  },
  {
    world: 'openshift-p8',
    title: 'a budget of the platform is left alone',
    chain: ['D1', 'P8'],
    says: /^PDB openshift-p8\/web belongs to the platform \(openshift-p8\), which holds this pod on purpose/,
    evidence: ['status.disruptionsAllowed=0'],
    arrange: async (world) => {
      await world.node('a');
      await world.deploy({ replicas: 3 });
      await world.budget({ minAvailable: 3 });
      await world.drain('a');
    },
  },
];

const placements: readonly Scenario[] = [
  {
    world: 'deadlock',
    title: 'the replacement can only run on the node that is drained',
    ids: '[S1-6] ',
    chain: ['D1', 'P3', 'self-deadlock'],
    says: /can only run on deadlock-a \(it asks for world=deadlock\), and that node is being drained for this very update: neither can proceed/,
    evidence: ['spec.unschedulable=true'],
    arrange: async (world) => {
      const drain = await replacementPending(world);
      await drain();
    },
  },
  {
    world: 'u1',
    title: 'the other node that fits is cordoned by hand',
    chain: ['D1', 'P3', 'U1'],
    says: /could run on u1-b, but that node is cordoned and not by this update/,
    evidence: ['spec.unschedulable=true'],
    arrange: async (world) => {
      const drain = await replacementPending(world);
      await world.node('b');
      await cordon(world, 'b');
      await drain();
    },
  },
  {
    world: 'u1back',
    title: 'the other node that fits is being updated and comes back',
    chain: ['D1', 'P3', 'U1'],
    says: /waits for u1back-b, which is being updated and comes back/,
    evidence: ['desiredConfig=rendered-u1back-new'],
    arrange: async (world) => {
      const drain = await replacementPending(world);
      await world.node('b');
      await world.drainAll('b');
      await drain();
    },
  },
  {
    world: 'u2',
    title: 'no node has the label any more',
    chain: ['D1', 'P3', 'U2'],
    says: /can run nowhere: no node has disk=ssd/,
    evidence: ['spec.nodeSelector=disk=ssd, world=u2'],
    arrange: async (world) => {
      await world.node('a', { labels: { disk: 'ssd' } });
      await world.node('b');
      await world.deploy({ replicas: 2, pod: { nodeSelector: { disk: 'ssd', world: 'u2' } } });
      await world.budget({ minAvailable: 1 });
      await world.lab.kube.patch(`${paths.nodes}/${world.nodeName('a')}`, { metadata: { labels: { disk: null } } });
      await world.drain('a');
    },
  },
  {
    world: 'u3',
    title: 'every node that fits bears a taint',
    chain: ['D1', 'P3', 'U3'],
    says: /can run nowhere: 2 nodes would fit but bear the taint reserved, which it does not tolerate/,
    evidence: ['spec.taints=reserved:NoSchedule'],
    arrange: async (world) => {
      const drain = await replacementPending(world);
      const taints = [{ key: 'reserved', value: 'yes', effect: 'NoSchedule' }];
      await world.node('b', { taints });
      await world.lab.kube.patch(`${paths.nodes}/${world.nodeName('a')}`, { spec: { taints } });
      await drain();
    },
  },
  {
    world: 'u4',
    title: 'the other node has no room',
    ids: '[S1-6] ',
    chain: ['D1', 'P3', 'U4'],
    says: /^There is no room for web-\S+: of \d+ nodes .*1 insufficient cpu/,
    evidence: ['status.conditions[PodScheduled].message=0/'],
    arrange: async (world) => {
      const drain = await replacementPending(world, { container: { resources: { requests: { cpu: '1' } } } });
      await world.node('b', { cpu: '500m' });
      await drain();
    },
  },
  {
    world: 'u5',
    title: 'each node already runs a pod that it must keep apart from',
    chain: ['D1', 'P3', 'U5'],
    says: /can run nowhere: each of the 2 nodes that fit already runs a pod it must keep apart from/,
    evidence: ['spec.affinity.podAntiAffinity=required, per kubernetes.io/hostname'],
    arrange: async (world) => {
      await world.node('a');
      await world.node('b');
      await world.deploy({ replicas: 3, pod: apart, untilReady: 2 });
      await world.budget({ minAvailable: 2 });
      await world.drain('a');
    },
  },
  {
    world: 'u5near',
    title: 'it must run beside a pod that is only where the drain is',
    chain: ['D1', 'P3', 'U5'],
    says: /has no node: of \d+ nodes .*kept apart by pod affinity/,
    evidence: ['status.conditions[PodScheduled].message=0/'],
    arrange: async (world) => {
      await world.node('a', { labels: { rack: 'r1' } });
      await world.deploy({ name: 'cache', kind: 'StatefulSet', replicas: 1, labels: { app: 'cache' } });
      const near = { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'cache' } } };
      const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [near] };
      await world.deploy({ replicas: 2, pod: { affinity: { podAffinity } } });
      await world.node('b', { labels: { rack: 'r2' } });
      await world.budget({ minAvailable: 1 });
      await world.budget({ minAvailable: 1, selector: { matchLabels: { app: 'cache' } } }, 'cache');
      await world.drain('a');
    },
  },
  {
    world: 'u6',
    title: 'spread rules leave no node',
    chain: ['D1', 'P3', 'U6'],
    says: /has no node: of \d+ nodes .*1 kept apart by spread rules/,
    evidence: ['status.conditions[PodScheduled].message=0/'],
    arrange: async (world) => {
      await world.node('a', { labels: { zone: 'z1' } });
      await world.node('b', { labels: { zone: 'z2' } });
      const evenly = {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      };
      // Three on each node: the scheduler may place one replacement before it hears that the pod it replaces is going,
      // and no second.
      await world.deploy({ replicas: 6, pod: { topologySpreadConstraints: [evenly] } });
      await world.budget({ minAvailable: 5 });
      await world.drain('a');
    },
  },
  {
    world: 'u7',
    title: 'the volume can only be used on the node that is drained',
    chain: ['D1', 'P3', 'U7'],
    says: /has no node: of \d+ nodes .*1 that cannot reach its volume/,
    evidence: ['status.conditions[PodScheduled].message=0/'],
    arrange: async (world) => {
      const volume = { name: `${world.name}-data` };
      await world.create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: volume,
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteMany'],
          storageClassName: 'manual',
          local: { path: '/data' },
          claimRef: { namespace: world.name, name: 'data' },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [world.nodeName('a')] }],
                },
              ],
            },
          },
        },
      });
      await world.create({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: world.name },
        spec: {
          accessModes: ['ReadWriteMany'],
          storageClassName: 'manual',
          volumeName: volume.name,
          resources: { requests: { storage: '1Gi' } },
        },
      });
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
      const drain = await replacementPending(world, { pod: { volumes } });
      await world.node('b');
      await drain();
    },
  },
  {
    world: 'u8',
    title: 'the host port is taken on the other node',
    chain: ['D1', 'P3', 'U8'],
    says: /has no node: of \d+ nodes .*1 without the free port/,
    evidence: ['status.conditions[PodScheduled].message=0/'],
    arrange: async (world) => {
      await world.node('a');
      await world.node('b');
      const container = { ports: [{ containerPort: 8080, hostPort: 8080 }] };
      await world.deploy({ replicas: 3, container, untilReady: 2 });
      await world.budget({ minAvailable: 2 });
      await world.drain('a');
    },
  },
  {
    world: 'u9',
    title: 'a scheduling gate holds it back',
    chain: ['D1', 'P3', 'U9'],
    says: /is held back by the scheduling gate example\.com\/approval/,
    evidence: ['status.conditions[PodScheduled].message='],
    arrange: async (world) => {
      await world.node('a');
      await world.deploy({ replicas: 1 });
      await world.deploy({
        name: 'next',
        replicas: 1,
        pod: { schedulingGates: [{ name: 'example.com/approval' }] },
        untilReady: 0,
      });
      await world.budget({ minAvailable: 1 });
      await world.drain('a');
    },
  },
  {
    world: 'u11',
    title: 'no scheduler takes it on',
    chain: ['D1', 'P3', 'U11'],
    says: /has no node: the scheduler nobody, which it asks for, has not looked at it yet/,
    evidence: ['spec.schedulerName=nobody'],
    arrange: async (world) => {
      await world.node('a');
      await world.deploy({ replicas: 1 });
      await world.node('b');
      await world.deploy({ name: 'next', replicas: 1, pod: { schedulerName: 'nobody' }, untilReady: 0 });
      await world.untilPods('both pods', (pods) => pods.length === 2);
      await world.budget({ minAvailable: 1 });
      await world.drain('a');
    },
  },
];

const siblings: readonly Scenario[] = [
  {
    world: 'c1',
    title: 'the other pod crashes',
    chain: ['D1', 'P3', 'C1'],
    says: /^web-\S+ crashes again and again \(OOMKilled with code 137, 14 restarts\)/,
    evidence: ['status.containerStatuses[app].restartCount=14'],
    arrange: (world) => siblingOn(world, 'crashing'),
  },
  {
    world: 'c2',
    title: 'the image of the other pod cannot be pulled',
    chain: ['D1', 'P3', 'C2'],
    says: /cannot start, ImagePullBackOff: .*unauthorized/,
    evidence: ['status.containerStatuses[app].state.waiting.reason=ImagePullBackOff'],
    arrange: (world) => siblingOn(world, 'image'),
  },
  {
    world: 'c3',
    title: 'the other pod lacks a secret',
    chain: ['D1', 'P3', 'C3'],
    says: /cannot start, CreateContainerConfigError: .*db-cred/,
    evidence: ['status.containerStatuses[app].state.waiting.reason=CreateContainerConfigError'],
    arrange: (world) => siblingOn(world, 'config'),
  },
  {
    world: 'c4',
    title: 'the probe of the other pod fails',
    chain: ['D1', 'P3', 'C4'],
    says: /runs but has not been ready for 10 min: .*statuscode: 503/,
    evidence: ['events[Unhealthy].message=Readiness probe failed'],
    arrange: (world) => siblingOn(world, 'unready'),
  },
  {
    world: 'c5',
    title: 'the other pod is just starting',
    chain: ['D1', 'P3', 'C5'],
    says: /was started \d+ s ago and is not ready yet/,
    evidence: ['status.startTime='],
    arrange: (world) => siblingOn(world, 'starting'),
  },
  {
    world: 'c6',
    title: 'the other pod is on a node that does not answer',
    chain: ['D1', 'P3', 'C6', 'S2'],
    says: /^c6-b is unreachable for \d+ s: .*Kubelet stopped posting node status/,
    evidence: ['status.conditions[Ready].status=Unknown'],
    arrange: (world) => siblingOnLostNode(world, 'ready'),
  },
  {
    world: 'c6young',
    title: 'the other pod had just started when its node was lost',
    chain: ['D1', 'P3', 'C6', 'S2'],
    says: /^c6young-b is unreachable for \d+ s: .*Kubelet stopped posting node status/,
    evidence: ['status.conditions[Ready].status=Unknown'],
    arrange: (world) => siblingOnLostNode(world, 'young'),
  },
  {
    world: 's16',
    title: 'the other pod is on a node whose kubelet waits for its certificate',
    ids: '[S1-4] ',
    chain: ['D1', 'P3', 'C6', 'S2', 'S16'],
    says: /^2 certificate signing requests of s16-b \(client\) are pending for \d+ s: without a certificate its kubelet may not talk/,
    evidence: ['status.conditions=none (system:node:s16-b)', `status.conditions=none (${bootstrapper})`],
    arrange: async (world) => {
      await siblingOnLostNode(world, 'ready');
      const node = world.nodeName('b');
      await askForCertificate(world, 'own', { as: `system:node:${node}`, node });
      await askForCertificate(world, 'first', { as: bootstrapper, node });
      // Neither is of this node, although both have its name in them.
      await askForCertificate(world, 'longer', { as: bootstrapper, node: `${node}.example` });
      await askForCertificate(world, 'other', { as: `system:node:${node}`, node: 'master-0' });
    },
  },
  {
    world: 'c7',
    title: 'a quota keeps the replacement from being made',
    chain: ['D1', 'P3', 'C7'],
    says: /^ReplicaSet web-\S+ cannot create pods: .*exceeded quota: pods/,
    evidence: ['status.conditions[ReplicaFailure].message='],
    arrange: async (world) => {
      await world.node('a');
      await world.node('b');
      await world.deploy({ replicas: 2, pod: apart });
      await world.budget({ minAvailable: 1 });
      const quota = { name: 'pods', namespace: world.name };
      await world.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: quota, spec: { hard: { pods: '1' } } });
      await until(
        async () =>
          (await world.lab.kube.get(`/api/v1/namespaces/${world.name}/resourcequotas/pods`)).status?.used?.pods === '2',
        60_000,
        'the quota to be counted',
      );
      await world.drainAll('b');
      await untilSpared(world, 0);
      await world.drain('a');
    },
  },
];

const terminations: readonly Scenario[] = [
  {
    world: 't1',
    title: 'the pod may take long to shut down',
    chain: ['D2', 'T1'],
    says: /is shutting down: it may take 10 min/,
    evidence: ['metadata.deletionGracePeriodSeconds=600'],
    arrange: async (world) => {
      await onePod(world, { pod: { terminationGracePeriodSeconds: 600 } });
      await world.kubelets.fate(world.nodeName('a'), 'never ends');
      await world.drain('a');
    },
  },
  {
    world: 't2',
    title: 'a finalizer holds the pod',
    chain: ['D2', 'T2'],
    says: /should be gone but is held by the finalizer example\.com\/cleanup/,
    evidence: ['metadata.finalizers=example.com/cleanup'],
    arrange: async (world) => {
      await onePod(world, { finalizers: ['example.com/cleanup'] });
      await world.drain('a');
    },
  },
  {
    world: 't3',
    title: 'its process does not end',
    chain: ['D2', 'T3'],
    says: /should have been gone \d+ s ago but still runs app/,
    evidence: ['metadata.deletionTimestamp='],
    arrange: async (world) => {
      await onePod(world);
      await world.kubelets.fate(world.nodeName('a'), 'never ends');
      await world.drain('a');
    },
  },
  {
    world: 't3volume',
    title: 'its containers have ended and it stays',
    chain: ['D2', 'T3'],
    says: /its containers have ended, so its volumes or its network are not let go/,
    evidence: ['metadata.deletionTimestamp='],
    arrange: async (world) => {
      await onePod(world);
      await world.kubelets.fate(world.nodeName('a'), 'volume stays');
      await world.drain('a');
    },
  },
  {
    world: 't4',
    title: 'the kubelet of the drained node does not answer',
    chain: ['D2', 'T4'],
    says: /cannot be confirmed dead: the kubelet of t4-a does not answer .*Kubelet stopped posting node status/,
    evidence: ['status.conditions[Ready].status=Unknown'],
    arrange: async (world) => {
      await onePod(world);
      await untilLost(world, 'a');
      await world.drain('a');
    },
  },
  {
    world: 't5',
    title: 'nobody answers an admission webhook',
    chain: ['D3', 'T5'],
    says: /webhook evictions\.example\.com stands in the way of evicting t5\/web-\S+ \(its Service t5\/gone has no ready endpoint\)/,
    evidence: ['ready endpoints=0'],
    arrange: async (world) => {
      await onePod(world);
      await world.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: world.name },
        webhooks: [
          {
            name: 'evictions.example.com',
            clientConfig: { service: { namespace: world.name, name: 'gone' } },
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.name } },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            timeoutSeconds: 1,
          },
        ],
      });
      await world.drain('a');
    },
  },
  {
    world: 't6',
    title: 'the API server sheds the evictions of whoever drains',
    chain: ['D0', 'T6'],
    says: /^The eviction of t6\/web-\S+ is put off again and again and no PDB covers the pod/,
    evidence: ['disruption budgets that cover it=0', 'drain error=global timeout reached'],
    arrange: async (world) => {
      await onePod(world);
      const letGo = await shedEvictionsBy(world, 't6-drainer');
      await world.drain('a', 't6-drainer').finally(letGo);
    },
  },
  {
    world: 't7',
    title: 'an admission policy forbids the eviction',
    chain: ['D0', 'T7'],
    says: /^The API server does not evict t7\/web-\S+: .*no evictions on Saturday/,
    evidence: ['drain error='],
    arrange: async (world) => {
      await onePod(world);
      await forbidden(world, {
        rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] },
        message: 'no evictions on Saturday',
      });
      await until(async () => !(await mayEvict(world)), 60_000, 'the policy to hold');
      await world.drain('a');
    },
  },
  {
    world: 't8',
    title: 'its namespace is being deleted, and a policy forbids to delete what is in it',
    ids: '[S1-6] ',
    chain: ['D0', 'T8'],
    says: /^Namespace t8 is being deleted and does not finish, so web-\S+ in it cannot be evicted: .*nothing is deleted on Sunday/,
    evidence: ['status.conditions[NamespaceDeletionContentFailure].message='],
    arrange: async (world) => {
      await onePod(world);
      await forbidden(world, {
        rule: { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] },
        message: 'nothing is deleted on Sunday',
      });
      await until(async () => !(await mayDelete(world)), 60_000, 'the policy to hold');
      await world.lab.kube.delete(`${paths.namespaces}/${world.name}`);
      await until(
        async () => isHeldUp(await world.lab.kube.get(`${paths.namespaces}/${world.name}`)),
        60_000,
        'the namespace to stay',
      );
      await world.drain('a');
    },
  },
  {
    world: 't9',
    title: 'the workload tolerates the cordon, so that each next attempt finds another pod',
    ids: '[S1-6] ',
    chain: ['D0', 'T9'],
    says: /^Deployment t9\/web tolerates the cordon, so each pod that is evicted from t9-a is made again there \(web-\S+, \d+ s ago\)/,
    evidence: ['spec.tolerations=node.kubernetes.io/unschedulable', 'metadata.creationTimestamp='],
    arrange: async (world) => {
      await slowAndTolerant(world);
      const ended = (await world.pods()).filter(({ metadata }) => metadata['deletionTimestamp'] !== undefined);
      for (const { metadata } of ended)
        await world.lab.kube.delete(`${paths.in(world.name).pods}/${metadata.name}?gracePeriodSeconds=0`);
      await world.untilPods('the pod that the drain named to be gone', (pods) => pods.length === 1);
    },
  },
  {
    world: 't9slow',
    title: 'the workload tolerates the cordon, and the pod before shuts down still',
    ids: '[S1-6] ',
    chain: ['D2', 'T1', 'T9'],
    says: /^Deployment t9slow\/web tolerates the cordon/,
    evidence: ['spec.tolerations=node.kubernetes.io/unschedulable'],
    arrange: slowAndTolerant,
  },
  {
    world: 't10',
    title: 'a virtual machine cannot be migrated',
    ids: '[S1-6] ',
    chain: ['D1', 'P2', 'T10'],
    says: /^The virtual machine t10\/vm-a cannot be migrated: .*not shared/,
    evidence: ['status.conditions[LiveMigratable]='],
    arrange: async (world) => {
      await world.create(virtualMachines);
      const metadata = { name: 'vm-a', namespace: world.name };
      const message =
        'cannot migrate VMI: PVC root is not shared, live migration requires that all PVCs must be shared';
      const migratable = { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message };
      const status = { phase: 'Running', conditions: [migratable] };
      await until(
        () =>
          world
            .create({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata, spec: {}, status })
            .then(() => true)
            .catch((cause: unknown) => cause instanceof KubeRefusal && cause.reason === 'AlreadyExists'),
        60_000,
        'the kind to be served',
      );
      await barePod(world, { labels: { app: 'web', 'vm.kubevirt.io/name': 'vm-a' } });
      await world.budget({ minAvailable: 1 });
      await world.drain('a');
    },
  },
];

/** KubeVirt's kind, as far as an explanation reads it. */
const virtualMachines: Draft = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'virtualmachineinstances.kubevirt.io' },
  spec: {
    group: 'kubevirt.io',
    scope: 'Namespaced',
    names: {
      plural: 'virtualmachineinstances',
      singular: 'virtualmachineinstance',
      kind: 'VirtualMachineInstance',
      listKind: 'VirtualMachineInstanceList',
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** An admission policy over the namespace of a world, as a cluster's administrator may have one. */
async function forbidden(
  world: DrainWorld,
  { rule, message }: { readonly rule: Readonly<Record<string, unknown>>; readonly message: string },
): Promise<void> {
  const api = 'admissionregistration.k8s.io/v1';
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': world.name } };
  await world.create({
    apiVersion: api,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: world.name },
    spec: {
      matchConstraints: { namespaceSelector, resourceRules: [rule] },
      validations: [{ expression: 'false', message }],
    },
  });
  await world.create({
    apiVersion: api,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: world.name },
    spec: { policyName: world.name, validationActions: ['Deny'] },
  });
}

async function mayDelete(world: DrainWorld): Promise<boolean> {
  const [pod] = await world.pods();
  if (pod === undefined) return false;
  const path = `${paths.in(world.name).pods}/${pod.metadata.name}?dryRun=All`;
  return world.lab.kube
    .delete(path)
    .then(() => true)
    .catch((cause: unknown) => {
      if (cause instanceof KubeRefusal) return false;
      throw cause;
    });
}

function isHeldUp({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some(
    (each: { readonly type: string; readonly status: string }) =>
      each.type === 'NamespaceDeletionContentFailure' && each.status === 'True',
  );
}

/** Asks the eviction API without doing anything. */
async function mayEvict(world: DrainWorld): Promise<boolean> {
  const [pod] = await world.pods();
  const { name, namespace } = pod?.metadata ?? {};
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return world.lab.kube.post(`${paths.in(world.name).pods}/${name}/eviction?dryRun=All`, eviction).then(
    () => true,
    () => false,
  );
}

/** A user who may do everything and whose evictions share a single seat at the API server, which somebody sits on:
 *  each is answered with 429 until the seat is let go. */
async function shedEvictionsBy(world: DrainWorld, user: string): Promise<() => void> {
  const { name } = world;
  const flow = 'flowcontrol.apiserver.k8s.io/v1';
  await world.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
  await world.create({
    apiVersion: flow,
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
    },
  });
  const evictions = { verbs: ['create'], apiGroups: [''], resources: ['pods/eviction'], namespaces: [name] };
  await world.create({
    apiVersion: flow,
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: { name },
      rules: [{ subjects: [{ kind: 'User', user: { name: user } }], resourceRules: [evictions] }],
    },
  });
  const { controlPlane } = world.lab;
  const asUser = controlPlane.kubeAs(controlPlane.tokenFor({ name: user, groups: [] }));
  const [pod] = await world.pods();
  const eviction = `${paths.in(name).pods}/${pod?.metadata.name}/eviction?dryRun=All`;
  let seated = () => {};
  await until(
    async () => {
      seated();
      seated = sitOn(eviction, controlPlane, controlPlane.tokenFor({ name: user, groups: [] }));
      const asked = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod?.metadata.name, namespace: name },
      };
      return asUser.post(eviction, asked).then(
        () => false,
        (cause: unknown) => cause instanceof KubeRefusal && cause.status === 429,
      );
    },
    60_000,
    'the evictions to be shed',
  ).finally(asUser.close);
  return () => seated();
}

/** A request that is never sent to its end: the API server waits for the rest of it. */
function sitOn(
  path: string,
  { server, ca }: { readonly server: string; readonly ca: string },
  token: string,
): () => void {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': 1000 };
  const held = request(`${server}${path}`, { method: 'POST', ca, headers, agent: false });
  held.on('error', () => undefined);
  held.write('{');
  return () => held.destroy();
}

async function cordon(world: DrainWorld, node: string): Promise<void> {
  const path = `${paths.nodes}/${world.nodeName(node)}`;
  await world.lab.kube.patch(path, { spec: { unschedulable: true } }, { fieldManager: 'kubectl-cordon' });
}

/** Until the budget of this world would spare so many pods. */
async function untilSpared(world: DrainWorld, pods: number): Promise<void> {
  await until(
    async () => (await world.lab.kube.get(`${paths.in(world.name).budgets}/web`)).status?.disruptionsAllowed === pods,
    60_000,
    `${world.name}: the budget to spare ${pods}`,
  );
}

/** Until the real node controller has given the node up. */
async function untilLost(world: DrainWorld, node: string): Promise<void> {
  world.kubelets.silence(world.nodeName(node));
  await until(
    async () => !isReady(await world.lab.kube.get(`${paths.nodes}/${world.nodeName(node)}`)),
    60_000,
    `${world.nodeName(node)} to be called unreachable`,
  );
}

export const scenarios = [...budgets, ...placements, ...siblings, ...terminations];
