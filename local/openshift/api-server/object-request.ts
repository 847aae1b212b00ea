import {
  type ApiError,
  badRequest,
  internalError,
  invalidObject,
  methodNotAllowed,
  noSuchResource,
  notFound,
} from './api-error.ts';
import { evict, refuseOtherPod } from './eviction.ts';
import { isJsonObject, type JsonObject, valueAt } from './json.ts';
import type { KubernetesObject, NewObject, ObjectKey } from './kubernetes-object.ts';
import { chosenBy, listPage } from './list-request.ts';
import { undecodableMetadata } from './metadata-rules.ts';
import { patched } from './patch-request.ts';
import type { Deletion, Registry, Write } from './registry.ts';
import { negotiate, showList, showObject } from './representation.ts';
import { parseJson, parseObject } from './request-body.ts';
import type { Target } from './request-path.ts';
import { qualifiedName, type ResourceType } from './resource-types.ts';
import { unknownFields } from './unknown-fields.ts';

export interface ObjectRequest {
  readonly method: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string;
  readonly body: string;
  readonly now: Date;
  /** Field manager, unless the query has `fieldManager`. */
  readonly manager: string;
}

export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

/** Answers all requests for stored objects except watches. */
export function answerObjectRequest(registry: Registry, request: ObjectRequest): Answer {
  const { target } = request;
  if (target.subresource === 'eviction' && target.type.plural === 'pods') return answerEviction(registry, request);
  if (target.subresource !== '' && !(target.subresource === 'status' && target.type.statusSubresource))
    throw unknownSubresource(target);
  return target.name === '' ? answerCollection(registry, request) : answerObject(registry, request);
}

function unknownSubresource({ type, name }: Target): ApiError {
  return type.custom ? notFound(type, name) : noSuchResource();
}

function answerCollection(registry: Registry, request: ObjectRequest): Answer {
  switch (request.method) {
    case 'GET':
      return list(registry, request);
    case 'POST':
      return create(registry, request);
    case 'DELETE':
      return deleteCollection(registry, request);
    default:
      throw request.target.type.custom ? badRequest('name must be provided') : methodNotAllowed();
  }
}

function answerObject(registry: Registry, request: ObjectRequest): Answer {
  switch (request.method) {
    case 'GET':
      return { code: 200, body: shown(request, current(registry, request.target)) };
    case 'PUT':
      return replace(registry, request);
    case 'PATCH':
      return patch(registry, request);
    case 'DELETE':
      if (request.target.subresource === '') return deleteOne(registry, request);
      throw methodNotAllowed();
    default:
      throw methodNotAllowed();
  }
}

function current(registry: Registry, { type, name, namespace }: Target): KubernetesObject {
  const found = registry.get(type, name, namespace);
  if (!found) throw notFound(type, name);
  return found;
}

function shown(request: ObjectRequest, object: KubernetesObject): unknown {
  return showObject(request.target.type, object, negotiate(request, false));
}

function list(registry: Registry, request: ObjectRequest): Answer {
  const { target, query } = request;
  const representation = negotiate(request, true);
  const { items, metadata } = listPage(registry, target, query);
  return { code: 200, body: showList(target.type, items, { representation, metadata }) };
}

function create(registry: Registry, request: ObjectRequest): Answer {
  const { type, namespace } = request.target;
  if (type.namespaced && namespace === '') throw methodNotAllowed();
  const object = decoded(type, request.body);
  refuseOtherKind(type, object);
  if (request.query.get('fieldValidation') === 'Strict') refuseUnknownFields(type, object);
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const given = metadata['namespace'];
  if (type.namespaced && given !== undefined && given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const complete = {
    ...object,
    metadata: { ...metadata, ...(type.namespaced && { namespace }) },
  } as unknown as NewObject<KubernetesObject>;
  return { code: 201, body: shown(request, registry.create(type, complete, writeOf(request, 'CreateOptions'))) };
}

function replace(registry: Registry, request: ObjectRequest): Answer {
  const { type, name, namespace } = request.target;
  const object = decoded(type, request.body);
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  if (metadata['name'] !== name)
    throw badRequest(
      `the name of the object (${String(metadata['name'] ?? '')}) does not match the name on the URL (${name})`,
    );
  current(registry, request.target);
  if (type.custom && !metadata['resourceVersion']) throw versionRequired(type, name);
  refuseOtherKind(type, object);
  const complete = {
    ...object,
    metadata: { ...metadata, ...(type.namespaced && { namespace }) },
  } as unknown as KubernetesObject;
  return { code: 200, body: shown(request, registry.update(type, complete, writeOf(request, 'UpdateOptions'))) };
}

function patch(registry: Registry, request: ObjectRequest): Answer {
  const { target, contentType, body } = request;
  if (isApply(contentType)) return apply(registry, request);
  const before = current(registry, target);
  const after = patched(target.type, before, { contentType, body });
  return { code: 200, body: shown(request, registry.update(target.type, after, writeOf(request, 'PatchOptions'))) };
}

/** Server-side apply, as far as one manager needs it: what is not there is created, and given fields are set. Fields
 *  that are no longer given stay, and there are no conflicts. */
function apply(registry: Registry, request: ObjectRequest): Answer {
  const { target, body } = request;
  const before = registry.get(target.type, target.name, target.namespace);
  if (before === undefined) return create(registry, request);
  const after = patched(target.type, before, { contentType: 'application/merge-patch+json', body });
  return { code: 200, body: shown(request, registry.update(target.type, after, writeOf(request, 'PatchOptions'))) };
}

function isApply(contentType: string): boolean {
  return contentType.split(';')[0]?.trim() === 'application/apply-patch+yaml';
}

function deleteOne(registry: Registry, request: ObjectRequest): Answer {
  const { type, name, namespace } = request.target;
  const { object, gone } = registry.delete(type, { name, namespace }, deletionOf(request));
  return { code: 200, body: gone && type.kind !== 'Pod' ? deleted(type, object) : shown(request, object) };
}

function deleteCollection(registry: Registry, request: ObjectRequest): Answer {
  const { type, namespace } = request.target;
  const objects = registry.list(type, namespace).filter(chosenBy(request.target, request.query));
  const metadata = { resourceVersion: String(registry.revision()) };
  const deletion = deletionOf(request);
  for (const { metadata: each } of objects)
    registry.delete(type, { name: each.name, namespace: each.namespace ?? '' }, deletion);
  return { code: 200, body: showList(type, objects, { representation: negotiate(request, true), metadata }) };
}

function deleted(type: ResourceType, { metadata }: KubernetesObject): unknown {
  const details = {
    name: metadata.name,
    ...(type.group && { group: type.group }),
    kind: type.plural,
    uid: metadata.uid,
  };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function answerEviction(registry: Registry, request: ObjectRequest): Answer {
  if (request.method !== 'POST') throw methodNotAllowed();
  const key: ObjectKey = { name: request.target.name, namespace: request.target.namespace };
  const eviction = parseJson(request.body);
  if (!isJsonObject(eviction)) throw badRequest('the object provided is unrecognized (must be of type Eviction)');
  if (!registry.get(request.target.type, key.name, key.namespace)) throw notFound(request.target.type, key.name);
  refuseOtherPod(key.name, valueAt(eviction, ['metadata', 'name']));
  const options = isJsonObject(eviction['deleteOptions']) ? eviction['deleteOptions'] : {};
  const { manager, dryRun } = writeOf(request, 'CreateOptions');
  const seconds = options['gracePeriodSeconds'];
  evict(registry, key, {
    manager,
    dryRun: dryRun || Array.isArray(options['dryRun']),
    ...(typeof seconds === 'number' && { gracePeriodSeconds: seconds }),
  });
  return { code: 201, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
}

function decoded(type: ResourceType, body: string): JsonObject {
  const object = parseObject(type, body);
  const problem = undecodableMetadata(isJsonObject(object['metadata']) ? object['metadata'] : {});
  if (problem)
    throw badRequest(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${problem}`);
  return object;
}

function refuseUnknownFields(type: ResourceType, object: JsonObject): void {
  const unknown = unknownFields(type, object).map((field) => `unknown field "${field}"`);
  if (unknown.length > 0)
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${unknown.join(', ')}`,
    );
}

function refuseOtherKind(type: ResourceType, object: JsonObject): void {
  const kind = String(object['kind']);
  if (kind === type.kind) return;
  if (!type.custom)
    throw badRequest(
      `${kind} in version "${type.version}" cannot be handled as a ${type.kind}: no kind "${kind}" is registered`,
    );
  const name = String(valueAt(object, ['metadata', 'name']) ?? '');
  throw invalidObject(`${kind}.${type.group} "${name}"`, { name, group: type.group, kind }, [
    { reason: 'FieldValueInvalid', field: 'kind', message: `Invalid value: "${kind}": must be ${type.kind}` },
  ]);
}

/** In this error, the real server names the resource and not the kind. */
function versionRequired(type: ResourceType, name: string): ApiError {
  return invalidObject(`${qualifiedName(type)} "${name}"`, { name, group: type.group, kind: type.plural }, [
    {
      reason: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0: must be specified for an update',
    },
  ]);
}

function writeOf({ query, manager, target }: ObjectRequest, options: string): Write {
  const fieldManager = query.get('fieldManager');
  return {
    manager: fieldManager === null || fieldManager === '' ? manager : fieldManager,
    dryRun: isDryRun(query, options),
    ...(target.subresource === 'status' && { subresource: 'status' as const }),
  };
}

function isDryRun(query: URLSearchParams, options: string): boolean {
  const values = query.getAll('dryRun').filter(Boolean);
  if (values.every((value) => value === 'All')) return values.length > 0;
  const message = `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`;
  throw invalidObject(`${options}.meta.k8s.io ""`, { group: 'meta.k8s.io', kind: options }, [
    { reason: 'FieldValueNotSupported', field: 'dryRun', message },
  ]);
}

function deletionOf(request: ObjectRequest): Deletion {
  const options = deleteOptions(request.body);
  const preconditions = isJsonObject(options['preconditions']) ? options['preconditions'] : {};
  const { uid, resourceVersion } = preconditions;
  const seconds = graceSeconds(request.query, options);
  const { manager, dryRun } = writeOf(request, 'DeleteOptions');
  const propagation = request.query.get('propagationPolicy') ?? options['propagationPolicy'];
  return {
    manager,
    dryRun: dryRun === true || Array.isArray(options['dryRun']),
    dependents: dependentsBy(propagation, request.target.type),
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
  };
}

/** Jobs are the only kind here whose dependents stay unless the request says otherwise. */
function dependentsBy(policy: unknown, { kind }: ResourceType): NonNullable<Deletion['dependents']> {
  if (policy === 'Orphan' || policy === 'Foreground' || policy === 'Background') return policy;
  return kind === 'Job' ? 'Orphan' : 'Background';
}

function deleteOptions(body: string): JsonObject {
  if (body === '') return {};
  const parsed = parseJson(body);
  if (parsed instanceof SyntaxError)
    throw internalError(`couldn't get version/kind; json parse error: ${parsed.message}`);
  return isJsonObject(parsed) ? parsed : {};
}

function graceSeconds(query: URLSearchParams, options: JsonObject): number | undefined {
  const inQuery = query.get('gracePeriodSeconds');
  if (inQuery !== null && inQuery !== '') return Number(inQuery);
  const inBody = options['gracePeriodSeconds'];
  return typeof inBody === 'number' ? inBody : undefined;
}
