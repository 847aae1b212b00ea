import type { Pace } from '../pace.ts';
import { wholeSeconds } from '../pace.ts';
import type { Random } from '../random.ts';
import { alreadyExists, notFound } from './api-error.ts';
import { changedObject, contentOf, movesGeneration } from './changed-object.ts';
import {
  graceSecondsOf,
  isOnlyMarked,
  mayBeRemoved,
  withDeletionTimestamp,
  withFinalizerFor,
} from './deletion-rules.ts';
import { copyJson, sameJson } from './json.ts';
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
  /** `status`: only the status is written. */
  readonly subresource?: 'status';
  /** Keeps the status of a new object, which only the cluster builder may do. */
  readonly withStatus?: boolean;
}

export interface Deletion extends Omit<Write, 'subresource'> {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** What becomes of the objects that it owns. Default `Background`: the garbage collector deletes them afterwards. */
  readonly dependents?: 'Background' | 'Foreground' | 'Orphan';
}

/** A write as an admission rule sees it. */
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

/** The server behind the HTTP API: the same rules for clients on the wire and for the simulated controllers. */
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
  /** `gone`: false while a finalizer or a grace period keeps the object. */
  delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    deletion: Deletion,
  ): { readonly object: T; readonly gone: boolean };
  /** Removes an object that was only waiting for that. */
  finalize(type: ResourceType, key: ObjectKey): void;
  subscribe(listener: (change: ObjectChange) => void): () => void;
  /** Adds a rule that every write must pass; the returned function removes it. */
  admit(rule: AdmissionRule): () => void;
  revision(): number;
  oldestRevision(): number;
  changesSince(revision: number): readonly ObjectChange[] | undefined;
}

interface Parts {
  readonly pace: Pace;
  readonly random: Random;
}

export function createRegistry(parts: Parts): Registry {
  return new StoreRegistry(parts);
}

class StoreRegistry implements Registry {
  private readonly parts: Parts;
  private readonly store = createObjectStore();
  private readonly rules = new Set<AdmissionRule>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get<T extends KubernetesObject>(type: ResourceType<T>, name: string, namespace = ''): T | undefined {
    return this.store.get(type, { name, namespace });
  }

  list<T extends KubernetesObject>(type: ResourceType<T>, namespace?: string): T[] {
    return this.store.list(type, namespace);
  }

  create<T extends KubernetesObject>(type: ResourceType<T>, given: NewObject<T>, write: Write): T {
    const { pace, random } = this.parts;
    const object = newObject(type, given, { random, time: pace.timestamp(), withStatus: write.withStatus ?? false });
    const key = keyOf(object);
    if (type.namespaced && !this.store.get(namespaces, { name: key.namespace, namespace: '' }))
      throw notFound(namespaces, key.namespace);
    refuseInvalid(type, contentOf(object));
    if (this.store.get(type, key)) throw alreadyExists(type, key.name);
    this.setManagedFields(type, object, { write });
    this.admitOrThrow({ verb: 'create', type, manager: write.manager, object });
    if (!write.dryRun) return this.store.put(type, object);
    const { resourceVersion, ...metadata } = object.metadata;
    return { ...object, metadata };
  }

  update<T extends KubernetesObject>(type: ResourceType<T>, given: T, write: Write): T {
    const { name, namespace = '' } = given.metadata;
    const key = { name, namespace: type.namespaced ? namespace : '' };
    const { manager, subresource } = write;
    const current = this.existing(type, key);
    refuseStale(type, current, given.metadata.resourceVersion);
    refuseOtherObject(type, current, given.metadata.uid);
    const next = changedObject(type, { current, given, subresource });
    refuseInvalid(type, contentOf(next), contentOf(current));
    if (sameJson(contentOf(next), contentOf(current))) return current;
    if (movesGeneration(type, current, next)) next.metadata.generation = (current.metadata.generation ?? 0) + 1;
    this.setManagedFields(type, next, { current, write });
    const previous = current;
    this.admitOrThrow({ verb: 'update', type, manager, object: next, previous, ...(subresource && { subresource }) });
    if (write.dryRun) return next;
    const stored = this.store.put(type, next);
    return mayBeRemoved(stored) ? (this.store.remove(type, key) ?? stored) : stored;
  }

  modify<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    change: (draft: T) => void,
    write: Write,
  ): T {
    const draft = copyJson(this.existing(type, key));
    change(draft);
    return this.update(type, draft, write);
  }

  delete<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    deletion: Deletion,
  ): { readonly object: T; readonly gone: boolean } {
    const { manager, dryRun, gracePeriodSeconds } = deletion;
    const current = withFinalizerFor(deletion.dependents, this.existing(type, key));
    refusePrecondition(type, current, deletion);
    this.admitOrThrow({ verb: 'delete', type, manager, previous: current });
    const graceSeconds = graceSecondsOf(type, current, gracePeriodSeconds);
    const onlyMarked = isOnlyMarked(type, current, graceSeconds);
    if (dryRun || (onlyMarked && current.metadata.deletionTimestamp)) return { object: current, gone: !onlyMarked };
    if (!onlyMarked) return { object: this.store.remove(type, key) ?? current, gone: true };
    const time = wholeSeconds(new Date(this.parts.pace.now().getTime() + graceSeconds * 1000));
    return { object: this.store.put(type, withDeletionTimestamp(current, { time, graceSeconds })), gone: false };
  }

  finalize(type: ResourceType, key: ObjectKey): void {
    this.store.remove(type, key);
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    return this.store.subscribe(listener);
  }

  admit(rule: AdmissionRule): () => void {
    this.rules.add(rule);
    return () => void this.rules.delete(rule);
  }

  revision(): number {
    return this.store.revision();
  }

  oldestRevision(): number {
    return this.store.oldestRevision();
  }

  changesSince(revision: number): readonly ObjectChange[] | undefined {
    return this.store.changesSince(revision);
  }

  private existing<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T {
    const found = this.store.get(type, key);
    if (!found) throw notFound(type, key.name);
    return found;
  }

  private admitOrThrow(request: Admission): void {
    for (const rule of this.rules) rule(request);
  }

  /** Changes `next`: who owns which fields after the write. */
  private setManagedFields<T extends KubernetesObject>(
    type: ResourceType<T>,
    next: T,
    { current, write }: { readonly current?: T; readonly write: Write },
  ): void {
    const before = current ? contentOf(current) : {};
    const entries = managedFieldsAfter(current?.metadata.managedFields ?? [], before, contentOf(next), {
      type,
      writer: writerOf(type, write),
      time: this.parts.pace.timestamp(),
    });
    if (entries.length > 0) next.metadata.managedFields = entries;
    else delete next.metadata.managedFields;
  }
}

function writerOf(type: ResourceType, { manager, subresource }: Write): Writer {
  return { manager, apiVersion: apiVersionOf(type), ...(subresource && { subresource }) };
}
