import { copyJson } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** Grace period in seconds. Only a pod on a node has one. */
export function graceSecondsOf(type: ResourceType, current: KubernetesObject, asked: number | undefined): number {
  if (type.kind !== 'Pod') return 0;
  const { spec } = current as KubernetesObject & {
    spec: { nodeName?: string; terminationGracePeriodSeconds?: number };
  };
  return spec.nodeName ? (asked ?? spec.terminationGracePeriodSeconds ?? 30) : 0;
}

/** Whether a deletion only gives the object a deletion timestamp, because a finalizer, a kubelet or the contents of a
 *  namespace keep it. */
export function isOnlyMarked(type: ResourceType, { metadata }: KubernetesObject, graceSeconds: number): boolean {
  return (metadata.finalizers ?? []).length > 0 || graceSeconds > 0 || type.kind === 'Namespace';
}

/** The object with the finalizer by which the garbage collector is asked to see to its dependents first. */
export function withFinalizerFor<T extends KubernetesObject>(
  dependents: 'Background' | 'Foreground' | 'Orphan' = 'Background',
  current: T,
): T {
  if (dependents === 'Background' || current.metadata.deletionTimestamp !== undefined) return current;
  const finalizer = dependents === 'Orphan' ? 'orphan' : 'foregroundDeletion';
  const object = copyJson(current);
  object.metadata.finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
  return object;
}

/** The object with its deletion timestamp. */
export function withDeletionTimestamp<T extends KubernetesObject>(
  current: T,
  { time, graceSeconds }: { readonly time: string; readonly graceSeconds: number },
): T {
  const object = copyJson(current);
  object.metadata.deletionTimestamp = time;
  object.metadata.deletionGracePeriodSeconds = graceSeconds;
  if (object.metadata.generation !== undefined) object.metadata.generation += 1;
  if (object.kind === 'Namespace') Object.assign(object, { status: { phase: 'Terminating' } });
  return object;
}

/** Whether an object being deleted goes now, because its last finalizer is gone. Pods are removed by their kubelet,
 *  namespaces once empty. */
export function mayBeRemoved({ kind, metadata }: KubernetesObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    kind !== 'Pod' &&
    kind !== 'Namespace'
  );
}
