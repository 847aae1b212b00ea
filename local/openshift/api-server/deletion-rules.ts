import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** Seconds an object is given to end. Only a pod that a kubelet runs is given any. */
export function graceSecondsOf(type: ResourceType, current: KubernetesObject, asked: number | undefined): number {
  if (type.kind !== 'Pod') return 0;
  const { spec } = current as KubernetesObject & {
    spec: { nodeName?: string; terminationGracePeriodSeconds?: number };
  };
  return spec.nodeName ? (asked ?? spec.terminationGracePeriodSeconds ?? 30) : 0;
}

/** Marked objects stay until somebody is done with them: a finalizer, a kubelet, the emptying of a namespace. */
export function isHeld(type: ResourceType, { metadata }: KubernetesObject, graceSeconds: number): boolean {
  return (metadata.finalizers ?? []).length > 0 || graceSeconds > 0 || type.kind === 'Namespace';
}

/** The object as it waits for its end. */
export function marked<T extends KubernetesObject>(
  current: T,
  { time, graceSeconds }: { readonly time: string; readonly graceSeconds: number },
): T {
  const object = structuredClone(current);
  object.metadata.deletionTimestamp = time;
  object.metadata.deletionGracePeriodSeconds = graceSeconds;
  if (object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (object.kind === 'Namespace') Object.assign(object, { status: { phase: 'Terminating' } });
  return object;
}

/** A marked object whose last finalizer is gone. Pods end by their kubelet, namespaces by their content. */
export function isFinished({ kind, metadata }: KubernetesObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    kind !== 'Pod' &&
    kind !== 'Namespace'
  );
}
