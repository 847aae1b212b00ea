import { isNotFound } from '../api-server/api-error.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { namespaces, type ResourceType, resourceTypes } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';

const manager = 'kube-controller-manager';

/** Deletes the dependents of a deleted object, and what is in a deleted namespace before the namespace itself. */
export function startGarbageCollector({ registry, pace }: { readonly registry: Registry; readonly pace: Pace }): void {
  registry.subscribe(({ type, kind, object }) => {
    if (kind === 'DELETED')
      pace.after(20, () =>
        collect(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid) ?? false),
      );
    if (type === namespaces && kind === 'MODIFIED' && object.metadata.deletionTimestamp)
      pace.after(20, () => empty(object.metadata.name));
  });

  function collect(belongs: (object: ReturnType<typeof registry.list>[number]) => boolean): void {
    for (const type of resourceTypes)
      for (const object of registry.list(type).filter(belongs)) discard(type, keyOf(object));
  }

  function discard(type: ResourceType, key: { name: string; namespace: string }): void {
    try {
      registry.delete(type, key, { manager });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  function empty(namespace: string): void {
    for (const type of resourceTypes) {
      if (type.namespaced) for (const object of registry.list(type, namespace)) discard(type, keyOf(object));
    }
    const left = resourceTypes.some((type) => type.namespaced && registry.list(type, namespace).length > 0);
    if (left) pace.after(1_000, () => empty(namespace));
    else registry.finalize(namespaces, { name: namespace, namespace: '' });
  }
}
