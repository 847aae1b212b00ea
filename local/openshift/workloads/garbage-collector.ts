import { isNotFound } from '../api-server/api-error.ts';
import { type KubernetesObject, keyOf } from '../api-server/kubernetes-object.ts';
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
    if (kind === 'MODIFIED' && object.metadata.deletionTimestamp) {
      if (hasFinalizer(object, 'orphan')) pace.after(20, () => orphan(type, object));
      if (hasFinalizer(object, 'foregroundDeletion')) pace.after(20, () => inForeground(type, object));
    }
  });

  /** The dependents lose their owner and stay. */
  function orphan(type: ResourceType, owner: KubernetesObject): void {
    for (const { type: kind, object } of dependentsOf(owner))
      registry.modify(
        kind,
        keyOf(object),
        ({ metadata }) => {
          metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
        },
        { manager },
      );
    removeFinalizer(type, owner, 'orphan');
  }

  /** The owner goes when its dependents are gone. */
  function inForeground(type: ResourceType, owner: KubernetesObject): void {
    const dependents = dependentsOf(owner);
    if (dependents.length === 0) {
      removeFinalizer(type, owner, 'foregroundDeletion');
      return;
    }
    for (const { type: kind, object } of dependents)
      if (!object.metadata.deletionTimestamp) discard(kind, keyOf(object));
    pace.after(500, () => inForeground(type, owner));
  }

  function dependentsOf({ metadata: { uid: owner } }: KubernetesObject) {
    return resourceTypes.flatMap((type) =>
      registry
        .list(type)
        .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner))
        .map((object) => ({ type, object })),
    );
  }

  function removeFinalizer(
    type: ResourceType,
    { metadata: { uid, name, namespace = '' } }: KubernetesObject,
    finalizer: string,
  ): void {
    const now = registry.get(type, name, namespace);
    if (now?.metadata.uid !== uid || !hasFinalizer(now, finalizer)) return;
    registry.modify(
      type,
      keyOf(now),
      ({ metadata }) => {
        metadata.finalizers = metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
      },
      { manager },
    );
  }

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

function hasFinalizer({ metadata }: KubernetesObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}
