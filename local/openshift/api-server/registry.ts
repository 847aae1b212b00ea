import type { Pace } from '../pace.ts';
import { wholeSeconds } from '../pace.ts';
import type { Random } from '../random.ts';
import { alreadyExists, notFound } from './api-error.ts';
import { changedObject, contentOf, movesGeneration } from './changed-object.ts';
import { graceSecondsOf, isFinished, isHeld, marked } from './deletion-rules.ts';
import { sameJson } from './json.ts';
import { type KubernetesObject, keyOf, type NewObject, type ObjectKey } from './kubernetes-object.ts';
import { managedFieldsAfter, type Writer } from './managed-fields.ts';
import { newObject } from './new-object.ts';
import { createObjectStore, type ObjectChange } from './object-store.ts';
import { apiVersionOf, namespaces, type ResourceType } from './resource-types.ts';
import { refuseInvalid, refuseOtherObject, refusePrecondition, refuseStale } from './write-rules.ts';

/** Who writes, and how. */
export interface Write {
  /** Field manager. */
  readonly manager: string;
  readonly dryRun?: boolean;
  /** `status` writes the status and nothing else of the content. */
  readonly subresource?: 'status';
  /** Keeps the status that comes with a new object, which only makers of a world may do. */
  readonly withStatus?: boolean;
}

export interface Deletion extends Omit<Write, 'subresource'> {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** A write as a rule at the door sees it. */
export interface Admission {
  readonly verb: 'create' | 'update' | 'delete';
  readonly type: ResourceType;
  readonly manager: string;
  readonly subresource?: 'status';
  /** Absent on delete. */
  readonly object?: KubernetesObject;
  /** Absent on create. */
  readonly previous?: KubernetesObject;
}

/** Refuses a write by throwing an {@link ApiError}. */
export type AdmissionRule = (request: Admission) => void;

/** The server behind the HTTP dialect: the same rules for clients on the wire and for the simulated controllers. */
export interface Registry {
  get<T extends KubernetesObject>(type: ResourceType<T>, name: string, namespace?: string): T | undefined;
  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): T[];
  create<T extends KubernetesObject>(type: ResourceType<T>, object: NewObject<T>, write: Write): T;
  /** Replaces the object; a resourceVersion in it must be the newest. */
  update<T extends KubernetesObject>(type: ResourceType<T>, object: T, write: Write): T;
  /** Reads, changes and writes back in one go, so that it never conflicts. */
  modify<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    change: (draft: T) => void,
    write: Write,
  ): T;
  /** `gone` is false while a finalizer or a grace period holds the object. */
  delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    deletion: Deletion,
  ): { readonly object: T; readonly gone: boolean };
  /** Takes away an object that only waited for its end. */
  finalize(type: ResourceType, key: ObjectKey): void;
  subscribe(listener: (change: ObjectChange) => void): () => void;
  /** Adds a rule that every write passes; answers how to take it away. */
  admit(rule: AdmissionRule): () => void;
  revision(): number;
  oldestRevision(): number;
  changesSince(revision: number): readonly ObjectChange[] | undefined;
}

export function createRegistry({ pace, random }: { readonly pace: Pace; readonly random: Random }): Registry {
  const store = createObjectStore();
  const rules = new Set<AdmissionRule>();

  function existing<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T {
    const found = store.get(type, key);
    if (!found) throw notFound(type, key.name);
    return found;
  }

  function pass(request: Admission): void {
    for (const rule of rules) rule(request);
  }

  /** Who owns what after the write, and the newest sign of it. */
  function own<T extends KubernetesObject>(
    type: ResourceType<T>,
    next: T,
    { current, write }: { current?: T; write: Write },
  ): void {
    const before = current ? contentOf(current) : {};
    const writer = writerOf(type, write);
    const entries = managedFieldsAfter(current?.metadata.managedFields ?? [], before, contentOf(next), {
      type,
      writer,
      time: pace.timestamp(),
    });
    if (entries.length > 0) next.metadata.managedFields = entries;
    else delete next.metadata.managedFields;
  }

  function create<T extends KubernetesObject>(type: ResourceType<T>, given: NewObject<T>, write: Write): T {
    const object = newObject(type, given, { random, time: pace.timestamp(), withStatus: write.withStatus ?? false });
    const key = keyOf(object);
    if (type.namespaced && !store.get(namespaces, { name: key.namespace, namespace: '' }))
      throw notFound(namespaces, key.namespace);
    refuseInvalid(type, contentOf(object));
    if (store.get(type, key)) throw alreadyExists(type, key.name);
    own(type, object, { write });
    pass({ verb: 'create', type, manager: write.manager, object });
    if (!write.dryRun) return store.put(type, object);
    const { resourceVersion, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  function update<T extends KubernetesObject>(type: ResourceType<T>, given: T, write: Write): T {
    const { name, namespace = '' } = given.metadata;
    const key = { name, namespace: type.namespaced ? namespace : '' };
    const { manager, subresource } = write;
    const current = existing(type, key);
    refuseStale(type, current, given.metadata.resourceVersion);
    refuseOtherObject(type, current, given.metadata.uid);
    const next = changedObject(type, { current, given, subresource });
    refuseInvalid(type, contentOf(next));
    if (sameJson(contentOf(next), contentOf(current))) return current;
    if (movesGeneration(type, current, next)) next.metadata.generation = (current.metadata.generation ?? 0) + 1;
    own(type, next, { current, write });
    pass({ verb: 'update', type, manager, object: next, previous: current, ...(subresource && { subresource }) });
    if (write.dryRun) return next;
    const stored = store.put(type, next);
    return isFinished(stored) ? (store.remove(type, key) ?? stored) : stored;
  }

  function remove<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    deletion: Deletion,
  ): { object: T; gone: boolean } {
    const { manager, dryRun, gracePeriodSeconds } = deletion;
    const current = existing(type, key);
    refusePrecondition(type, current, deletion);
    pass({ verb: 'delete', type, manager, previous: current });
    const graceSeconds = graceSecondsOf(type, current, gracePeriodSeconds);
    const held = isHeld(type, current, graceSeconds);
    if (dryRun || (held && current.metadata.deletionTimestamp)) return { object: current, gone: !held };
    if (!held) return { object: store.remove(type, key) ?? current, gone: true };
    const time = wholeSeconds(new Date(pace.now().getTime() + graceSeconds * 1000));
    return { object: store.put(type, marked(current, { time, graceSeconds })), gone: false };
  }

  return {
    get: (type, name, namespace = '') => store.get(type, { name, namespace }),
    list: store.list,
    create,
    update,
    modify<T extends KubernetesObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      change: (draft: T) => void,
      write: Write,
    ) {
      const draft = structuredClone(existing(type, key));
      change(draft);
      return update(type, draft, write);
    },
    delete: remove,
    finalize: (type, key) => void store.remove(type, key),
    subscribe: store.subscribe,
    admit(rule) {
      rules.add(rule);
      return () => void rules.delete(rule);
    },
    revision: store.revision,
    oldestRevision: store.oldestRevision,
    changesSince: store.changesSince,
  };
}

function writerOf(type: ResourceType, { manager, subresource }: Write): Writer {
  return { manager, apiVersion: apiVersionOf(type), ...(subresource && { subresource }) };
}
