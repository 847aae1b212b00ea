import { ApiError, conflict, internalError, invalid } from './api-error.ts';
import { jobProblems } from './job-rules.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { metadataProblems } from './metadata-rules.ts';
import { qualifiedKind, type ResourceType } from './resource-types.ts';
import { schemaProblems } from './schema-rules.ts';

/** 422 for an invalid object. */
export function refuseInvalid(type: ResourceType, object: JsonObject, previous?: JsonObject): void {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const problems = [
    ...metadataProblems(metadata),
    ...(type.custom ? schemaProblems(type, object) : []),
    ...(type.kind === 'Job' ? jobProblems(object, previous) : []),
  ];
  if (problems.length > 0) throw invalid(type, typeof metadata['name'] === 'string' ? metadata['name'] : '', problems);
}

/** 409 for a write based on an older version. A write without a version applies to the current one. */
export function refuseStale(type: ResourceType, current: KubernetesObject, given: string | undefined): void {
  if (!given) return;
  if (!/^\d+$/.test(given)) throw internalError(`strconv.ParseUint: parsing "${given}": invalid syntax`);
  if (given !== current.metadata.resourceVersion) throw conflict(type, current.metadata.name);
}

/** 409 for a write to an object that has been deleted and recreated. */
export function refuseOtherObject(type: ResourceType, current: KubernetesObject, given: string | undefined): void {
  if (!given || given === current.metadata.uid) return;
  throw conflict(
    type,
    current.metadata.name,
    `Precondition failed: UID in precondition: ${given}, UID in object meta: ${current.metadata.uid}`,
  );
}

/** 409 for a delete whose preconditions do not hold; the only error that names the kind. */
export function refusePrecondition(
  type: ResourceType,
  { metadata }: KubernetesObject,
  { uid, resourceVersion }: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  if (uid && uid !== metadata.uid)
    throw unmet(
      type,
      metadata.name,
      `UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw unmet(
      type,
      metadata.name,
      `ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

function unmet(type: ResourceType, name: string, why: string): ApiError {
  return new ApiError(409, `Operation cannot be fulfilled on ${qualifiedKind(type)} "${name}": the ${why}`, {
    reason: 'Conflict',
    details: { name, ...(type.group && { group: type.group }), kind: type.kind },
  });
}
