import { frozenJson } from './json.ts';
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

/** How many changes are kept: a watch that is further behind has to list again. */
const historyLength = 20_000;

/** The objects and the order of their changes: what etcd is to the real server. It validates nothing. */
export interface ObjectStore {
  /** The revision of the newest change. */
  revision(): number;
  get<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** By namespace and name, as etcd's keys are ordered. */
  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): T[];
  /** Stores the object under a new revision; the stored one is frozen and shared. */
  put<T extends KubernetesObject>(type: ResourceType<T>, object: T): T;
  remove<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** Listeners are called for every change in order, one at a time, including changes that a listener makes. */
  subscribe(listener: (change: ObjectChange) => void): () => void;
  /** The changes after `revision`; undefined when some are no longer kept. */
  changesSince(revision: number): readonly ObjectChange[] | undefined;
  /** The oldest revision a watch may start at. */
  oldestRevision(): number;
}

export function createObjectStore(): ObjectStore {
  return new InMemoryStore();
}

/** The objects of one kind by their keys. */
type Table = Map<string, KubernetesObject>;

class InMemoryStore implements ObjectStore {
  private readonly tables = new Map<string, Table>();
  /** Keys in order, kept until an object comes or goes. */
  private readonly sortedKeys = new Map<Table, readonly string[]>();
  private readonly listeners = new Set<(change: ObjectChange) => void>();
  private readonly history: ObjectChange[] = [];
  /** Changes that listeners have yet to hear of. */
  private readonly undelivered: ObjectChange[] = [];
  private newest = 1;
  private oldest = 1;
  private delivering = false;

  revision(): number {
    return this.newest;
  }

  oldestRevision(): number {
    return this.oldest;
  }

  get<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined {
    return this.table(type).get(tableKey(key)) as T | undefined;
  }

  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): T[] {
    const objects = this.table(type);
    const keys = this.sortedKeys.get(objects) ?? [...objects.keys()].sort();
    this.sortedKeys.set(objects, keys);
    const chosen = namespace ? keys.filter((key) => key.startsWith(`${namespace}/`)) : keys;
    return chosen.map((key) => objects.get(key) as T);
  }

  put<T extends KubernetesObject>(type: ResourceType<T>, object: T): T {
    const objects = this.table(type);
    const key = tableKey(keyOf(object));
    const previous = objects.get(key);
    if (!previous) this.sortedKeys.delete(objects);
    this.newest += 1;
    const revision = this.newest;
    const written = frozenJson({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
    objects.set(key, written);
    this.publish(
      previous
        ? { kind: 'MODIFIED', type, object: written, previous, revision }
        : { kind: 'ADDED', type, object: written, revision },
    );
    return written;
  }

  remove<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T | undefined {
    const objects = this.table(type);
    const previous = objects.get(tableKey(key)) as T | undefined;
    if (!previous) return undefined;
    objects.delete(tableKey(key));
    this.sortedKeys.delete(objects);
    this.newest += 1;
    const revision = this.newest;
    const last = frozenJson({ ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } });
    this.publish({ kind: 'DELETED', type, object: last, previous, revision });
    return last;
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changesSince(revision: number): readonly ObjectChange[] | undefined {
    return revision < this.oldest ? undefined : this.history.filter((change) => change.revision > revision);
  }

  private table(type: ResourceType): Table {
    const name = `${type.group}/${type.plural}`;
    const existing = this.tables.get(name);
    if (existing) return existing;
    const made: Table = new Map();
    this.tables.set(name, made);
    return made;
  }

  /** A change that a listener makes is queued until all listeners have heard of the current one. */
  private publish(change: ObjectChange): void {
    this.history.push(change);
    if (this.history.length > historyLength) this.oldest = this.history.shift()?.revision ?? this.oldest;
    this.undelivered.push(change);
    if (this.delivering) return;
    this.delivering = true;
    try {
      for (let next = this.undelivered.shift(); next; next = this.undelivered.shift())
        for (const listener of [...this.listeners]) listener(next);
    } finally {
      this.delivering = false;
    }
  }
}

function tableKey({ name, namespace }: ObjectKey): string {
  return `${namespace}/${name}`;
}
