import type { JsonObject } from './json.ts';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** One writer's share of an object, as `metadata.managedFields` lists it. */
export interface ManagedFieldsEntry {
  manager: string;
  operation: string;
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
  subresource?: string;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object as a client creates it; the server adds the rest. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  metadata: Partial<ObjectMeta>;
};

/** Where an object lives. */
export interface ObjectKey {
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  [key: string]: unknown;
}

export function keyOf(object: KubernetesObject): ObjectKey {
  return { name: object.metadata.name, namespace: object.metadata.namespace ?? '' };
}

/** The owner that is the object's controller. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** An owner reference that makes `owner` the controller. */
export function controlledBy(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
