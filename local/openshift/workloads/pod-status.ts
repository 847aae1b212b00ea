import type { JsonObject } from '../api-server/json.ts';
import type { Condition } from '../api-server/kubernetes-object.ts';

/** What a kubelet reports about a pod. */
export interface PodReport {
  readonly ready: boolean;
  readonly time: string;
  /** What its containers wait with. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}

/** The kubelet's own conditions of a pod, after those of others. */
export function podConditions(before: readonly Condition[], { ready, time }: PodReport): Condition[] {
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

export function containerStatus(
  { name, image = '' }: { name: string; image?: string },
  { ready, time, failure }: PodReport,
): JsonObject {
  const { reason = '', message = '' } = failure ?? {};
  const state: JsonObject = failure ? { waiting: { reason, message } } : { running: { startedAt: time } };
  return { name, image, ready, started: ready, restartCount: failure ? 5 : 0, state };
}
