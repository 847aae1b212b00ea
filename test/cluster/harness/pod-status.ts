import type { KubeObject } from './kube.ts';

/** What becomes of a pod on a node. `crashing`, `image`, `config`: its container waits, in a real kubelet's words.
 *  `unready`: it runs and its probe fails. `starting`: it has just come. `young`: ready, and started just now.
 *  `never ends`: ready, and asked to end it does not. `volume stays`: its containers end and it stays. All but
 *  `starting` and `young` are told to have begun ten minutes ago. */
export type PodFate =
  | 'ready'
  | 'young'
  | 'starting'
  | 'crashing'
  | 'image'
  | 'config'
  | 'unready'
  | 'never ends'
  | 'volume stays';

const tenMinutesMs = 600_000;

/** The status that a kubelet would write, as a strategic merge patch. */
export function podStatus(pod: KubeObject, fate: PodFate, now: Date): unknown {
  const young = fate === 'starting' || fate === 'young';
  const startTime = time(young ? now : new Date(now.getTime() - tenMinutesMs));
  const ready = ['ready', 'young', 'never ends', 'volume stays'].includes(fate);
  const names: readonly string[] = pod.spec.containers.map(({ name }: { readonly name: string }) => name);
  const notReady = { reason: 'ContainersNotReady', message: `containers with unready status: [${names.join(' ')}]` };
  const condition = (type: string, holds: boolean) => ({
    type,
    status: holds ? 'True' : 'False',
    lastTransitionTime: startTime,
    ...(holds ? {} : notReady),
  });
  const created = ready || fate === 'crashing' || fate === 'unready';
  return {
    phase: created ? 'Running' : 'Pending',
    startTime,
    podIP: '10.1.0.1',
    conditions: [condition('Initialized', true), condition('ContainersReady', ready), condition('Ready', ready)],
    containerStatuses: names.map((name) => ({
      name,
      image: 'example.com/app',
      imageID: '',
      ready,
      started: ready,
      restartCount: fate === 'crashing' ? 14 : 0,
      ...containerState(name, fate, startTime),
    })),
  };
}

function containerState(name: string, fate: PodFate, startedAt: string): object {
  const waits = (reason: string, message: string) => ({ state: { waiting: { reason, message } } });
  switch (fate) {
    case 'crashing':
      return {
        ...waits('CrashLoopBackOff', `back-off 5m0s restarting failed container=${name}`),
        lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, startedAt, finishedAt: startedAt } },
      };
    case 'image':
      return waits(
        'ImagePullBackOff',
        'Back-off pulling image "example.com/app": ErrImagePull: reading manifest latest in example.com/app: unauthorized',
      );
    case 'config':
      return waits('CreateContainerConfigError', 'secret "db-cred" not found');
    case 'starting':
      return waits('ContainerCreating', '');
    case 'ready':
    case 'young':
    case 'unready':
    case 'never ends':
    case 'volume stays':
      return { state: { running: { startedAt } } };
    default:
      return fate satisfies never;
  }
}

/** Its containers have ended; the pod has not. */
export function deadContainer(pod: KubeObject): unknown {
  const at = time(new Date());
  return {
    containerStatuses: pod.spec.containers.map(({ name }: { readonly name: string }) => ({
      name,
      image: 'example.com/app',
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { terminated: { reason: 'Completed', exitCode: 0, startedAt: at, finishedAt: at } },
    })),
  };
}

export function readyCondition(now: Date): unknown {
  const at = time(now);
  return {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    message: 'kubelet is posting ready status',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
}

function time(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}
