import type { Pod } from '../api-server/cluster-objects.ts';
import type { JsonObject } from '../api-server/json.ts';

/** How the containers of a pod that is to end do end. */
export interface PodRun {
  /** Cluster milliseconds; `Infinity`: it hangs. */
  readonly forMs: number;
  readonly exitCode: number;
  readonly log?: string;
}

/** What a pod does of which no scenario says anything. */
export const shortRun: PodRun = { forMs: 5_000, exitCode: 0 };

/** Whether the pod's containers are expected to end: those of Jobs. */
export function isToEnd({ spec }: Pod): boolean {
  return spec['restartPolicy'] === 'Never' || spec['restartPolicy'] === 'OnFailure';
}

/** The status of a pod whose containers have ended. */
export function endedPod(pod: Pod, { exitCode }: PodRun, time: string): NonNullable<Pod['status']> {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const condition = (type: string, status: 'True' | 'False') => ({
    type,
    status,
    ...(status === 'False' && { reason: exitCode === 0 ? 'PodCompleted' : 'PodFailed' }),
    lastProbeTime: null,
    lastTransitionTime: time,
  });
  const own = ['Initialized', 'Ready', 'ContainersReady'];
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !own.includes(type));
  return {
    ...pod.status,
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: [
      ...others,
      condition('Initialized', 'True'),
      condition('Ready', 'False'),
      condition('ContainersReady', 'False'),
    ],
    containerStatuses: pod.spec.containers.map(({ name, image = '' }): JsonObject => {
      const startedAt = pod.status?.startTime ?? time;
      const terminated = { exitCode, reason, startedAt, finishedAt: time };
      return { name, image, ready: false, started: false, restartCount: 0, state: { terminated } };
    }),
  };
}
