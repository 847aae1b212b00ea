import type { Node, Pod } from '../api-server/cluster-objects.ts';
import type { JsonObject } from '../api-server/json.ts';
import { type Condition, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes, pods } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';

/** Milliseconds of the cluster's time. Small applications on a warm node. */
const podStartMs = 1_500;
const podStopMs = 1_000;

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
  readonly rebootMs: number;
}

/** The kubelets of all nodes, and what can be done to them. */
export interface Kubelets {
  /** Down and up again; resolves when the node is ready. A node told never to return stays down until it is
   *  restored. */
  reboot(nodeName: string): Promise<void>;
  /** The next reboots of this node do not come back. */
  neverReturn(nodeName: string): void;
  /** The node answers no more: its Ready turns Unknown, and nothing on it starts or ends. */
  loseContact(nodeName: string): void;
  /** Ends `neverReturn` and `loseContact`. */
  restore(nodeName: string): void;
  /** Pods that match never become ready; `reason` is what their containers wait with. */
  failPods(matches: (pod: Pod) => boolean, failure: { readonly reason: string; readonly message: string }): void;
  /** Pods that match are asked to end and do not. */
  hangPods(matches: (pod: Pod) => boolean): void;
  /** Ends `failPods` and `hangPods`. */
  healPods(): void;
}

const manager = 'kubelet';

export function startKubelets({ registry, pace, random, rebootMs }: Parts): Kubelets {
  const lost = new Set<string>();
  const waitingForReturn = new Map<string, () => void>();
  let failing: { readonly matches: (pod: Pod) => boolean; readonly reason: string; readonly message: string }[] = [];
  let hanging: ((pod: Pod) => boolean)[] = [];

  registry.subscribe(({ type, kind, object }) => {
    if (type !== pods || kind === 'DELETED') return;
    const pod = object as Pod;
    if (!pod.spec.nodeName) return;
    if (pod.metadata.deletionTimestamp) pace.after(podStopMs, () => end(pod));
    else if (pod.status?.phase === 'Pending') pace.after(podStartMs, () => start(pod));
  });

  function current(pod: Pod): Pod | undefined {
    const found = registry.get(pods, pod.metadata.name, pod.metadata.namespace);
    return found?.metadata.uid === pod.metadata.uid ? found : undefined;
  }

  function isUp(nodeName: string | undefined): boolean {
    const node = registry.get(nodes, nodeName ?? '');
    return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  }

  function start(pod: Pod): void {
    const now = current(pod);
    if (!now || now.metadata.deletionTimestamp || !isUp(now.spec.nodeName)) return;
    const failure = failing.find(({ matches }) => matches(now));
    setStatus(now, { ready: failure === undefined, ...(failure && { failure }) });
  }

  function end(pod: Pod): void {
    const now = current(pod);
    if (!now || !isUp(now.spec.nodeName) || hanging.some((matches) => matches(now))) return;
    registry.delete(pods, keyOf(now), { manager, gracePeriodSeconds: 0 });
  }

  function setStatus(
    pod: Pod,
    { ready, failure }: { ready: boolean; failure?: { reason: string; message: string } },
  ): void {
    const time = pace.timestamp();
    const set = (draft: Pod) => {
      const before = draft.status?.conditions ?? [];
      draft.status = {
        ...draft.status,
        phase: 'Running',
        startTime: draft.status?.startTime ?? time,
        conditions: podConditions(before, { ready, time }),
        containerStatuses: draft.spec.containers.map((container) =>
          containerStatus(container, { ready, time, failure }),
        ),
      };
    };
    registry.modify(pods, keyOf(pod), set, { manager, subresource: 'status' });
  }

  function setReady(nodeName: string, { status, reason, message, bootID }: Condition & { bootID?: string }): void {
    if (!registry.get(nodes, nodeName)) return;
    const time = pace.timestamp();
    const set = (draft: Node) => {
      draft.status ??= {};
      const others = (draft.status.conditions ?? []).filter(({ type }) => type !== 'Ready');
      draft.status.conditions = [
        ...others,
        {
          type: 'Ready',
          status,
          reason: reason ?? '',
          message: message ?? '',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        },
      ];
      if (bootID) draft.status.nodeInfo = { ...draft.status.nodeInfo, bootID };
    };
    registry.modify(nodes, { name: nodeName, namespace: '' }, set, { manager, subresource: 'status' });
    for (const pod of registry.list(pods).filter(({ spec }) => spec.nodeName === nodeName))
      followNode(pod, status === 'True');
  }

  function followNode(pod: Pod, up: boolean): void {
    if (pod.metadata.deletionTimestamp) {
      if (up) pace.after(podStopMs, () => end(pod));
    } else if (up) pace.after(podStartMs, () => start(pod));
    else if (pod.status?.phase === 'Running') setStatus(pod, { ready: false });
  }

  function comeUp(nodeName: string): void {
    setReady(nodeName, {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      bootID: random.uid(),
    });
  }

  return {
    async reboot(nodeName) {
      setReady(nodeName, {
        type: 'Ready',
        status: 'False',
        reason: 'KubeletNotReady',
        message: 'node is shutting down',
      });
      await pace.sleep(rebootMs);
      if (lost.has(nodeName)) await new Promise<void>((resolve) => waitingForReturn.set(nodeName, resolve));
      comeUp(nodeName);
    },
    neverReturn: (nodeName) => void lost.add(nodeName),
    loseContact(nodeName) {
      lost.add(nodeName);
      setReady(nodeName, {
        type: 'Ready',
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      });
    },
    restore(nodeName) {
      lost.delete(nodeName);
      const resolve = waitingForReturn.get(nodeName);
      waitingForReturn.delete(nodeName);
      if (resolve) resolve();
      else comeUp(nodeName);
    },
    failPods: (matches, failure) => void failing.push({ matches, ...failure }),
    hangPods: (matches) => void hanging.push(matches),
    healPods() {
      failing = [];
      hanging = [];
      for (const pod of registry.list(pods)) if (pod.spec.nodeName) followNode(pod, isUp(pod.spec.nodeName));
    },
  };
}

function podConditions(before: readonly Condition[], { ready, time }: { ready: boolean; time: string }): Condition[] {
  const is = ready ? ('True' as const) : ('False' as const);
  const own = ['Initialized', 'Ready', 'ContainersReady'];
  const others = before.filter(({ type }) => !own.includes(type));
  const mine = own.map((type): Condition => {
    const status = type === 'Initialized' ? 'True' : is;
    const was = before.find((condition) => condition.type === type);
    const why = status === 'False' ? { reason: 'ContainersNotReady', message: 'containers with unready status' } : {};
    return {
      type,
      status,
      ...why,
      lastProbeTime: null,
      lastTransitionTime: was?.status === status ? (was.lastTransitionTime ?? time) : time,
    };
  });
  return [...others, ...mine];
}

interface ContainerView {
  readonly ready: boolean;
  readonly time: string;
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
}

function containerStatus(
  { name, image = '' }: { name: string; image?: string },
  { ready, time, failure }: ContainerView,
): JsonObject {
  const { reason = '', message = '' } = failure ?? {};
  const state: JsonObject = failure ? { waiting: { reason, message } } : { running: { startedAt: time } };
  return { name, image, ready, started: ready, restartCount: failure ? 5 : 0, state };
}
