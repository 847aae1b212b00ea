import type { JsonObject } from './json.ts';
import { sameJson } from './json.ts';
import type { KubernetesObject, ObjectMeta } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

interface Change<T extends KubernetesObject> {
  readonly current: T;
  readonly given: T;
  readonly subresource?: 'status' | undefined;
}

/** The object after an update: the server's own metadata stays, and so does the part that this path does not write. It
 *  shares the parts of both. */
export function changedObject<T extends KubernetesObject>(
  type: ResourceType<T>,
  { current, given, subresource }: Change<T>,
): T {
  const { status: givenStatus, ...givenRest } = given as T & { status?: unknown };
  const { status: currentStatus, ...currentRest } = current as T & { status?: unknown };
  const rest = subresource === 'status' ? currentRest : givenRest;
  const status = type.statusSubresource && subresource !== 'status' ? currentStatus : givenStatus;
  const { apiVersion, kind } = current;
  const metadata = { ...ownedByWriters(given.metadata), ...ownedByServer(current.metadata) };
  return {
    ...rest,
    ...(status !== undefined && { status }),
    apiVersion,
    kind,
    metadata,
  } as unknown as T;
}

function ownedByWriters({
  labels,
  annotations,
  ownerReferences,
  finalizers,
  generateName,
}: ObjectMeta): Partial<ObjectMeta> {
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(generateName !== undefined && { generateName }),
  };
}

function ownedByServer(metadata: ObjectMeta): ObjectMeta {
  const { labels, annotations, finalizers, ownerReferences, generateName, ...kept } = metadata;
  return kept;
}

/** The object without the server's bookkeeping: the part in which two versions can differ. */
export function contentOf(object: KubernetesObject): JsonObject {
  const { metadata, ...rest } = object as unknown as JsonObject & { metadata: JsonObject };
  const { resourceVersion, managedFields, generation, ...owned } = metadata;
  return { ...rest, metadata: owned };
}

/** Whether this change increases the generation: not if it only concerns metadata or a status with a subresource. */
export function movesGeneration(type: ResourceType, before: KubernetesObject, after: KubernetesObject): boolean {
  return type.counted && !sameJson(countedPart(type, before), countedPart(type, after));
}

function countedPart(type: ResourceType, object: KubernetesObject): JsonObject {
  const { metadata, status, ...rest } = object as unknown as JsonObject;
  return type.statusSubresource || status === undefined ? rest : { ...rest, status };
}
