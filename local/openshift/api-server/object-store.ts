import { deepFreeze } from './json.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** One change of one object. */
export interface ObjectChange<T extends KubernetesObject = KubernetesObject> {
  readonly kind: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly type: ResourceType;
  readonly object: T;
  /** What it was before; absent when it is new. */
  readonly previous?: T;
  readonly revision: number;
}

/** How many changes a watch may be behind before it has to list again. */
const historyLength = 20_000;

/** The objects and the order in which they changed; what etcd is to the real server. It checks nothing. */
export interface ObjectStore {
  /** The revision of the newest change. */
  revision(): number;
  get<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** By namespace and name, as etcd's keys are ordered. */
  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): T[];
  /** Stores the object under a new revision; the stored one is frozen and shared. */
  put<T extends KubernetesObject>(type: ResourceType<T>, object: T): T;
  remove<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** Listeners hear of changes in order, one at a time, also of those that a listener makes. */
  subscribe(listener: (change: ObjectChange) => void): () => void;
  /** The changes after `revision`; `undefined` when they are no longer known. */
  changesSince(revision: number): readonly ObjectChange[] | undefined;
  /** The oldest revision a watch may start at. */
  oldestRevision(): number;
}

export function createObjectStore(): ObjectStore {
  const shelves = new Map<string, Map<string, KubernetesObject>>();
  /** Keys in order, kept until one comes or goes. */
  const orders = new Map<Map<string, KubernetesObject>, readonly string[]>();
  const listeners = new Set<(change: ObjectChange) => void>();
  const history: ObjectChange[] = [];
  const untold: ObjectChange[] = [];
  let revision = 1;
  let oldest = 1;
  let telling = false;

  function shelf(type: ResourceType): Map<string, KubernetesObject> {
    const name = `${type.group}/${type.plural}`;
    const existing = shelves.get(name);
    if (existing) return existing;
    const made = new Map<string, KubernetesObject>();
    shelves.set(name, made);
    return made;
  }

  function tell(change: ObjectChange): void {
    history.push(change);
    if (history.length > historyLength) oldest = history.shift()?.revision ?? oldest;
    untold.push(change);
    if (telling) return;
    telling = true;
    try {
      for (let next = untold.shift(); next; next = untold.shift())
        for (const listener of [...listeners]) listener(next);
    } finally {
      telling = false;
    }
  }

  return {
    revision: () => revision,
    oldestRevision: () => oldest,
    get: <T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey) =>
      shelf(type).get(shelfKey(key)) as T | undefined,
    list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string) {
      const objects = shelf(type);
      const keys = orders.get(objects) ?? [...objects.keys()].sort();
      orders.set(objects, keys);
      const chosen = namespace ? keys.filter((key) => key.startsWith(`${namespace}/`)) : keys;
      return chosen.map((key) => objects.get(key) as T);
    },
    put(type, object) {
      const key = shelfKey(keyOf(object));
      const previous = shelf(type).get(key);
      if (!previous) orders.delete(shelf(type));
      revision += 1;
      const stored = deepFreeze(structuredClone(object));
      const written = deepFreeze({ ...stored, metadata: { ...stored.metadata, resourceVersion: String(revision) } });
      shelf(type).set(key, written);
      tell(
        previous
          ? { kind: 'MODIFIED', type, object: written, previous, revision }
          : { kind: 'ADDED', type, object: written, revision },
      );
      return written;
    },
    remove<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey) {
      const previous = shelf(type).get(shelfKey(key)) as T | undefined;
      if (!previous) return undefined;
      shelf(type).delete(shelfKey(key));
      orders.delete(shelf(type));
      revision += 1;
      const last = deepFreeze({ ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } });
      tell({ kind: 'DELETED', type, object: last, previous, revision });
      return last;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    changesSince: (since) => (since < oldest ? undefined : history.filter((change) => change.revision > since)),
  };
}

function shelfKey({ name, namespace }: ObjectKey): string {
  return `${namespace}/${name}`;
}
