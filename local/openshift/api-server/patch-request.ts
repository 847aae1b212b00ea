import { ApiError, badRequest, invalid, unsupportedMediaType } from './api-error.ts';
import { isJsonObject, type Json, type JsonObject, typeName } from './json.ts';
import { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { applyMergePatch } from './merge-patch.ts';
import { undecodableMetadata } from './metadata-rules.ts';
import { parseJson } from './request-body.ts';
import type { ResourceType } from './resource-types.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** The patched object. The content type decides how the body is read. */
export function patched<T extends KubernetesObject>(
  type: ResourceType<T>,
  current: T,
  { contentType, body }: { readonly contentType: string; readonly body: string },
): T {
  const result = apply(type, current as unknown as JsonObject, { contentType, body });
  const problem = undecodable(type, result);
  if (problem) {
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(result))}: ${problem}`;
    throw new ApiError(422, ` "" is invalid: patch: ${message}`, {
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
    });
  }
  const { name } = current.metadata;
  const metadata = result['metadata'];
  if (!isJsonObject(metadata) || metadata['name'] !== name) {
    const given = isJsonObject(metadata) ? String(metadata['name'] ?? '') : '';
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  if (metadata['uid'] !== current.metadata.uid) throw foreignUid(type, name, String(metadata['uid']));
  return result as unknown as T;
}

function foreignUid(type: ResourceType, name: string, uid: string): ApiError {
  return invalid(type, name, [
    { reason: 'FieldValueInvalid', field: 'metadata.uid', message: `Invalid value: "${uid}": field is immutable` },
  ]);
}

function apply(
  type: ResourceType,
  current: JsonObject,
  { contentType, body }: { readonly contentType: string; readonly body: string },
): JsonObject {
  const mediaType = contentType.split(';')[0]?.trim() ?? '';
  switch (mediaType) {
    case 'application/merge-patch+json':
      return asObject(applyMergePatch(current, parsePatchObject(body)));
    case 'application/json-patch+json':
      return asObject(applyJsonPatch(current, parseOperations(body)));
    case 'application/strategic-merge-patch+json':
      if (!type.custom) return asObject(applyStrategicMergePatch(current, parsePatchObject(body)));
      throw unsupported(type);
    default:
      throw unsupported(type);
  }
}

/** For custom resources the error lists the accepted types; for built-in kinds it does not. */
function unsupported(type: ResourceType): ApiError {
  if (type.custom)
    return unsupportedMediaType([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
  return new ApiError(415, '415: Unsupported Media Type', { reason: 'UnsupportedMediaType', details: {} });
}

function parsePatchObject(body: string): JsonObject {
  const parsed = parseJson(body);
  if (parsed instanceof SyntaxError) throw badRequest(`error decoding patch: ${parsed.message}`);
  if (!isJsonObject(parsed))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${typeName(parsed)} into Go value of type map[string]interface {}`,
    );
  return parsed;
}

function parseOperations(body: string): JsonPatchOperation[] {
  const parsed = parseJson(body);
  if (parsed instanceof SyntaxError) throw badRequest(`error decoding patch: ${parsed.message}`);
  if (!Array.isArray(parsed))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${typeName(parsed)} into Go value of type []handlers.jsonPatchOp`,
    );
  return parsed as JsonPatchOperation[];
}

function asObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw badRequest('the patch leaves no object');
}

/** Built-in kinds are decoded into Go structs, so a wrong type is not a validation error. */
function undecodable(type: ResourceType, object: JsonObject): string | undefined {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const problem = undecodableMetadata(metadata);
  if (problem || type.kind !== 'Node') return problem;
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const wrong = spec['unschedulable'];
  if (wrong === undefined || typeof wrong === 'boolean') return undefined;
  return `json: cannot unmarshal ${typeName(wrong)} into Go struct field NodeSpec.spec.unschedulable of type bool`;
}
