import { type Kube, type KubeObject, KubeRefusal } from './kube.ts';
import { paths } from './paths.ts';
import { deadContainer, type PodFate, podStatus, readyCondition } from './pod-status.ts';

/**
 * A STAND-IN for the kubelets of nodes that tests make. Each renews its lease, makes the pods that the scheduler gives
 * it run, and lets deleted ones end. It can be told what becomes of the pods of a node, and to fall silent.
 */
export interface Kubelets {
  /** Makes a node and keeps it alive until {@link Kubelets.remove} or the end. */
  readonly add: (node: NodeDraft) => Promise<void>;
  /** What becomes of pods that come to this node, or end on it, from now on. Pods that it had made ready are judged
   *  again. */
  readonly fate: (node: string, fate: PodFate) => Promise<void>;
  /** Nothing is heard of the node any more. */
  readonly silence: (node: string) => void;
  readonly remove: (node: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface NodeDraft {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly cpu?: string;
  readonly fate?: PodFate;
}

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** Often enough for the twelve seconds after which the real controller gives a node up, also on a busy machine. */
const renewMs = 2_500;
/** A container of a small application ends so fast. */
const endsAfterMs = 50;

export async function startKubelets(kube: Kube): Promise<Kubelets> {
  const nodes = new Map<string, { fate: PodFate; silent: boolean }>();
  const pods = new Map<string, KubeObject>();
  const stopped = new AbortController();
  const ending = new Set<string>();
  const jobs = new Set<Promise<void>>();

  /** A pod that goes while it is tended, and a write that somebody else won, are no failures: the watch tells what
   *  is now. */
  function begin(job: () => Promise<unknown>): void {
    const done = job()
      .then(
        () => undefined,
        (cause: unknown) => {
          const lost = cause instanceof KubeRefusal && [404, 409].includes(cause.status);
          if (!lost && !stopped.signal.aborted) console.error('kubelets:', cause);
        },
      )
      .finally(() => jobs.delete(done));
    jobs.add(done);
  }

  function tend(pod: KubeObject): void {
    const node = nodes.get(pod.spec.nodeName ?? '');
    if (node === undefined || node.silent || stopped.signal.aborted) return;
    if (pod.metadata['deletionTimestamp'] !== undefined) end(pod, node.fate);
    else if (pod.status?.startTime === undefined) begin(() => report(pod, node.fate));
  }

  async function report(pod: KubeObject, fate: PodFate): Promise<void> {
    const status = podStatus(pod, fate, new Date());
    await kube.patch(`${pathOf(pod)}/status`, { status }, { type: 'strategic', fieldManager: 'kubelet' });
    if (fate === 'unready') await kube.post(paths.in(pod.metadata.namespace ?? '').events, probeFailed(pod));
  }

  function end(pod: KubeObject, fate: PodFate): void {
    const uid = pod.metadata.uid ?? '';
    if (fate === 'never ends' || ending.has(uid)) return;
    ending.add(uid);
    begin(async () => {
      await new Promise((resolve) => setTimeout(resolve, endsAfterMs));
      const options = { fieldManager: 'kubelet', type: 'strategic' } as const;
      if (fate === 'volume stays') await kube.patch(`${pathOf(pod)}/status`, { status: deadContainer(pod) }, options);
      else await kube.delete(`${pathOf(pod)}?gracePeriodSeconds=0`);
    });
  }

  const watching = (async () => {
    while (!stopped.signal.aborted) {
      await kube
        .watch(
          '/api/v1/pods',
          ({ type, object }) => {
            const uid = object.metadata.uid ?? '';
            if (type === 'DELETED') pods.delete(uid);
            else if (type === 'ADDED' || type === 'MODIFIED') {
              pods.set(uid, object);
              tend(object);
            }
          },
          stopped.signal,
        )
        .catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
    }
  })();

  const renewing = setInterval(() => {
    for (const [name, node] of nodes) {
      const spec = { renewTime: microTime(new Date()) };
      if (!node.silent) begin(() => kube.patch(`${leases}/${name}`, { spec }, { fieldManager: 'kubelet' }));
    }
  }, renewMs);

  async function remove(name: string): Promise<void> {
    nodes.delete(name);
    await kube.delete(`${leases}/${name}`);
    await kube.delete(`${paths.nodes}/${name}`);
  }

  return {
    add: async ({ name, labels, annotations, taints, cpu = '4', fate = 'ready' }) => {
      const metadata = { name, labels: { 'kubernetes.io/hostname': name, ...labels }, annotations };
      await kube.post(leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name },
        spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime(new Date()) },
      });
      const capacity = { cpu, memory: '8Gi', pods: '110' };
      await kube.post(paths.nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata,
        spec: { taints },
        status: { capacity, allocatable: capacity, conditions: [readyCondition(new Date())], nodeInfo },
      });
      nodes.set(name, { fate, silent: false });
    },
    fate: async (name, fate) => {
      const node = nodes.get(name);
      if (node !== undefined) node.fate = fate;
      const mine = [...pods.values()].filter(
        (pod) => pod.spec.nodeName === name && pod.metadata['deletionTimestamp'] === undefined,
      );
      for (const pod of mine) begin(() => report(pod, fate));
    },
    silence: (name) => {
      const node = nodes.get(name);
      if (node !== undefined) node.silent = true;
    },
    remove,
    stop: async () => {
      clearInterval(renewing);
      await Promise.all([...nodes.keys()].map(remove));
      stopped.abort();
      await watching;
      await Promise.all(jobs);
    },
  };
}

const nodeInfo = {
  architecture: 'amd64',
  bootID: '3d1f9b3e-0000-4000-8000-000000000001',
  containerRuntimeVersion: 'cri-o://1.34.0',
  kernelVersion: '5.14.0',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.34.4',
  machineID: 'lab',
  operatingSystem: 'linux',
  osImage: 'stand-in',
  systemUUID: 'lab',
} as const;

/** The words of a real kubelet. */
function probeFailed(pod: KubeObject): unknown {
  const { name, namespace, uid } = pod.metadata;
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    type: 'Warning',
    reason: 'Unhealthy',
    message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
    source: { component: 'kubelet' },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 14,
  };
}

function pathOf(pod: KubeObject): string {
  return `${paths.in(pod.metadata.namespace ?? '').pods}/${pod.metadata.name}`;
}

/** As the API server wants a MicroTime. */
function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
