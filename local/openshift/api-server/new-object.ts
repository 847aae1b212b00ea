import type { Random } from '../random.ts';
import { internalError } from './api-error.ts';
import { generateSelector } from './job-rules.ts';
import { copyJson, type JsonObject } from './json.ts';
import type { KubernetesObject, NewObject, ObjectMeta } from './kubernetes-object.ts';
import { fillDefaults, keepsInitialStatus } from './object-defaults.ts';
import { apiVersionOf, type ResourceType } from './resource-types.ts';

/** Characters of `generateName` that are kept, so that a name has at most 63. Source: apiserver pkg/storage/names. */
const generatedPrefix = 58;

interface Making {
  readonly random: Random;
  readonly time: string;
  readonly withStatus: boolean;
}

/** The object that a create request makes: named, with defaults, and without status unless the client may set it. */
export function newObject<T extends KubernetesObject>(
  type: ResourceType<T>,
  given: NewObject<T>,
  { random, time, withStatus }: Making,
): T {
  const { metadata, ...content } = copyJson(given) as unknown as JsonObject & { metadata: Partial<ObjectMeta> };
  if (metadata.resourceVersion) throw internalError('resourceVersion should not be set on objects to be created');
  const { status, ...rest } = content;
  const object: JsonObject = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    ...rest,
    metadata: ownMetadata(metadata, type) as JsonObject,
  };
  const named = object as unknown as T;
  if (!named.metadata.name && metadata.generateName)
    named.metadata.name = `${metadata.generateName.slice(0, generatedPrefix)}${random.suffix()}`;
  const keepStatus = withStatus || keepsInitialStatus(type);
  if (keepStatus && status !== undefined) object['status'] = status;
  fillDefaults(type, object);
  if (withStatus && status !== undefined) object['status'] = status;
  Object.assign(named.metadata, {
    uid: random.uid(),
    resourceVersion: '',
    creationTimestamp: time,
    ...(type.counted && { generation: 1 }),
  });
  if (type.kind === 'Job') generateSelector(object);
  return named;
}

/** The metadata that a client may set; the rest is the server's. */
function ownMetadata(metadata: Partial<ObjectMeta>, type: ResourceType): Partial<ObjectMeta> {
  const { name, namespace, generateName, labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    ...(generateName !== undefined && { generateName }),
    ...(name !== undefined && { name }),
    ...(type.namespaced && namespace !== undefined && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
}
