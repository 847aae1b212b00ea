import type { Node, Pod } from '../api-server/cluster-objects.ts';
import { type Condition, keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes, pods } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { endedPod, isToEnd, type PodRun, shortRun } from './pod-run.ts';
import { containerStatus, type PodReport, podConditions } from './pod-status.ts';

/** Milliseconds of the cluster's time: small applications on a node that has their images. */
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
  /** Takes the node down and up again; resolves when it is ready. After `neverReturn` it stays down until it is
   *  restored. */
  reboot(nodeName: string): Promise<void>;
  /** The node does not come back from its next reboot. */
  neverReturn(nodeName: string): void;
  /** The node no longer responds: its Ready turns Unknown, and nothing on it starts or ends. */
  loseContact(nodeName: string): void;
  /** Ends `neverReturn` and `loseContact`. */
  restore(nodeName: string): void;
  /** Matching pods never become ready; `reason` is what their containers wait with. */
  failPods(matches: (pod: Pod) => boolean, failure: PodFailure): void;
  /** Matching pods do not terminate when they are deleted. */
  hangPods(matches: (pod: Pod) => boolean): void;
  /** How matching pods of Jobs end; the newest word about a pod counts. Otherwise they succeed after 5 s. */
  runPods(matches: (pod: Pod) => boolean, run: PodRun): void;
  /** What the containers of a pod have written; undefined: nothing is known. */
  logOf(namespace: string, name: string): string | undefined;
  /** Ends `failPods` and `hangPods`. */
  healPods(): void;
}

function isEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

type PodFailure = NonNullable<PodReport['failure']>;

const manager = 'kubelet';

export function startKubelets(parts: Parts): Kubelets {
  const kubelets = new SimulatedKubelets(parts);
  kubelets.start();
  return kubelets;
}

class SimulatedKubelets implements Kubelets {
  private readonly parts: Parts;
  /** Names of the nodes that do not come up. */
  private readonly lost = new Set<string>();
  /** Reboots that wait until their node is restored. */
  private readonly waitingForReturn = new Map<string, () => void>();
  private failing: ({ readonly matches: (pod: Pod) => boolean } & PodFailure)[] = [];
  private hanging: ((pod: Pod) => boolean)[] = [];
  private readonly runs: ({ readonly matches: (pod: Pod) => boolean } & PodRun)[] = [];

  constructor(parts: Parts) {
    this.parts = parts;
  }

  start(): void {
    const { registry, pace } = this.parts;
    registry.subscribe(({ type, kind, object }) => {
      if (type !== pods || kind === 'DELETED') return;
      const pod = object as Pod;
      if (!pod.spec.nodeName) return;
      if (pod.metadata.deletionTimestamp) pace.after(podStopMs, () => this.endPod(pod));
      else if (pod.status?.phase === 'Pending') pace.after(podStartMs, () => this.startPod(pod));
    });
  }

  async reboot(nodeName: string): Promise<void> {
    const { pace, rebootMs } = this.parts;
    this.setReady(nodeName, { status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' });
    await pace.sleep(rebootMs);
    if (this.lost.has(nodeName)) await new Promise<void>((resolve) => this.waitingForReturn.set(nodeName, resolve));
    this.comeUp(nodeName);
  }

  neverReturn(nodeName: string): void {
    this.lost.add(nodeName);
  }

  loseContact(nodeName: string): void {
    this.lost.add(nodeName);
    this.setReady(nodeName, {
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
  }

  restore(nodeName: string): void {
    this.lost.delete(nodeName);
    const resolve = this.waitingForReturn.get(nodeName);
    this.waitingForReturn.delete(nodeName);
    if (resolve) resolve();
    else this.comeUp(nodeName);
  }

  failPods(matches: (pod: Pod) => boolean, failure: PodFailure): void {
    this.failing.push({ matches, ...failure });
  }

  hangPods(matches: (pod: Pod) => boolean): void {
    this.hanging.push(matches);
  }

  runPods(matches: (pod: Pod) => boolean, run: PodRun): void {
    this.runs.push({ matches, ...run });
  }

  logOf(namespace: string, name: string): string | undefined {
    const pod = this.parts.registry.get(pods, name, namespace);
    return pod && pod.status?.phase !== 'Pending' ? this.runOf(pod).log : undefined;
  }

  healPods(): void {
    this.failing = [];
    this.hanging = [];
    for (const pod of this.parts.registry.list(pods))
      if (pod.spec.nodeName) this.followNode(pod, this.isUp(pod.spec.nodeName));
  }

  private startPod(pod: Pod): void {
    const now = this.current(pod);
    if (!now || now.metadata.deletionTimestamp || !this.isUp(now.spec.nodeName)) return;
    const failure = this.failing.find(({ matches }) => matches(now));
    if (isEnded(now)) return;
    this.setPodStatus(now, { ready: failure === undefined, failure });
    const { forMs } = this.runOf(now);
    if (isToEnd(now) && failure === undefined && Number.isFinite(forMs))
      this.parts.pace.after(forMs, () => this.finishPod(now));
  }

  private finishPod(pod: Pod): void {
    const { registry, pace } = this.parts;
    const now = this.current(pod);
    if (!now || isEnded(now) || now.metadata.deletionTimestamp || !this.isUp(now.spec.nodeName)) return;
    const status = endedPod(now, this.runOf(now), pace.timestamp());
    registry.modify(pods, keyOf(now), (draft) => Object.assign(draft, { status }), { manager, subresource: 'status' });
  }

  private runOf(pod: Pod): PodRun {
    return this.runs.findLast(({ matches }) => matches(pod)) ?? shortRun;
  }

  private endPod(pod: Pod): void {
    const now = this.current(pod);
    if (!now || !this.isUp(now.spec.nodeName) || this.hanging.some((matches) => matches(now))) return;
    this.parts.registry.delete(pods, keyOf(now), { manager, gracePeriodSeconds: 0 });
  }

  /** The pod as it is now; undefined when it is gone, even if another one has its name. */
  private current(pod: Pod): Pod | undefined {
    const found = this.parts.registry.get(pods, pod.metadata.name, pod.metadata.namespace);
    return found?.metadata.uid === pod.metadata.uid ? found : undefined;
  }

  private isUp(nodeName: string | undefined): boolean {
    const node = this.parts.registry.get(nodes, nodeName ?? '');
    return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  }

  private setPodStatus(pod: Pod, state: Omit<PodReport, 'time'>): void {
    const { registry, pace } = this.parts;
    const report = { ...state, time: pace.timestamp() };
    const set = (draft: Pod) => {
      draft.status = {
        ...draft.status,
        phase: 'Running',
        startTime: draft.status?.startTime ?? report.time,
        conditions: podConditions(draft.status?.conditions ?? [], report),
        containerStatuses: draft.spec.containers.map((container) => containerStatus(container, report)),
      };
    };
    registry.modify(pods, keyOf(pod), set, { manager, subresource: 'status' });
  }

  private comeUp(nodeName: string): void {
    this.setReady(nodeName, {
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      bootID: this.parts.random.uid(),
    });
  }

  private setReady(nodeName: string, { status, reason, message, bootID }: Readiness): void {
    const { registry, pace } = this.parts;
    if (!registry.get(nodes, nodeName)) return;
    const time = pace.timestamp();
    const ready = { type: 'Ready', status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time };
    const set = (draft: Node) => {
      draft.status ??= {};
      const others = (draft.status.conditions ?? []).filter(({ type }) => type !== 'Ready');
      draft.status.conditions = [...others, ready];
      if (bootID) draft.status.nodeInfo = { ...draft.status.nodeInfo, bootID };
    };
    registry.modify(nodes, { name: nodeName, namespace: '' }, set, { manager, subresource: 'status' });
    for (const pod of registry.list(pods).filter(({ spec }) => spec.nodeName === nodeName))
      this.followNode(pod, status === 'True');
  }

  /** Applies the node's going up or down to one of its pods. */
  private followNode(pod: Pod, up: boolean): void {
    const { pace } = this.parts;
    if (pod.metadata.deletionTimestamp) {
      if (up) pace.after(podStopMs, () => this.endPod(pod));
    } else if (up) pace.after(podStartMs, () => this.startPod(pod));
    else if (pod.status?.phase === 'Running') this.setPodStatus(pod, { ready: false });
  }
}

interface Readiness {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
  /** Set after a reboot. */
  readonly bootID?: string;
}
