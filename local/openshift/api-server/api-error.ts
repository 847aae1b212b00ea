import type { JsonObject } from './json.ts';
import { qualifiedKind, qualifiedName, type ResourceType } from './resource-types.ts';

/** `metav1.Status`: the body of every error response. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** An error response of the API server. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(
    code: number,
    message: string,
    more: { readonly reason?: string; readonly details?: StatusDetails } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, ...more, code };
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 404;
}

/** The object in an error's details: most errors give the plural resource. */
function about(type: ResourceType, name: string): StatusDetails {
  return { ...(name && { name }), ...(type.group && { group: type.group }), kind: type.plural };
}

export function notFound(type: ResourceType, name: string): ApiError {
  return new ApiError(404, `${qualifiedName(type)} "${name}" not found`, {
    reason: 'NotFound',
    details: about(type, name),
  });
}

/** A path under a served group with an unknown resource or subresource. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'the server could not find the requested resource', { reason: 'NotFound', details: {} });
}

export function alreadyExists(type: ResourceType, name: string): ApiError {
  return new ApiError(409, `${qualifiedName(type)} "${name}" already exists`, {
    reason: 'AlreadyExists',
    details: about(type, name),
  });
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(type: ResourceType, name: string, why = modified): ApiError {
  return new ApiError(409, `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${why}`, {
    reason: 'Conflict',
    details: about(type, name),
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, message, { reason: 'BadRequest' });
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', { reason: 'Unauthorized' });
}

/** A request without credentials comes from the user `system:anonymous`, who may not do this. */
export function anonymousForbidden(verb: string, type: ResourceType, name: string): ApiError {
  const object = name ? `${qualifiedName(type)} "${name}"` : qualifiedName(type);
  return new ApiError(
    403,
    `${object} is forbidden: User "system:anonymous" cannot ${verb} resource "${type.plural}" in API group "${type.group}" at the cluster scope`,
    { reason: 'Forbidden', details: about(type, name) },
  );
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'the server does not allow this method on the requested resource', {
    reason: 'MethodNotAllowed',
    details: {},
  });
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, message, { reason: 'NotAcceptable' });
}

export function expired(message: string): ApiError {
  return new ApiError(410, message, { reason: 'Expired' });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    {
      reason: 'UnsupportedMediaType',
    },
  );
}

export function requestTooLarge(limitBytes: number): ApiError {
  return new ApiError(413, `Request entity too large: limit is ${limitBytes}`, { reason: 'RequestEntityTooLarge' });
}

/** A JSON patch that cannot be applied, including a failed `test`. */
export function unappliablePatch(): ApiError {
  return new ApiError(422, 'the server rejected our request due to an error in our request', {
    reason: 'Invalid',
    details: {},
  });
}

/** Some errors have no reason, only the code 500. */
export function internalError(message: string): ApiError {
  return new ApiError(500, message);
}

/** One validation error. */
export interface FieldProblem {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueTypeInvalid'
    | 'FieldValueRequired'
    | 'FieldValueTooLong'
    | 'FieldValueNotSupported';
  readonly field: string;
  readonly message: string;
}

export function invalid(type: ResourceType, name: string, problems: readonly FieldProblem[]): ApiError {
  const details = { ...(name && { name }), ...(type.group && { group: type.group }), kind: type.kind };
  return invalidObject(`${qualifiedKind(type)} "${name}"`, details, problems);
}

/** `what`: the object, as the message names it. */
export function invalidObject(what: string, details: StatusDetails, problems: readonly FieldProblem[]): ApiError {
  const said = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const text = said.length === 1 ? said[0] : `[${said.join(', ')}]`;
  const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiError(422, `${what} is invalid: ${text}`, { reason: 'Invalid', details: { ...details, causes } });
}

/** An eviction that a budget does not allow; `cause` says which budget, and by how much. */
export function evictionRefused(cause: string, retryAfterSeconds?: number): ApiError {
  return new ApiError(429, "Cannot evict pod as it would violate the pod's disruption budget.", {
    reason: 'TooManyRequests',
    details: {
      causes: [{ reason: 'DisruptionBudget', message: cause }],
      ...(retryAfterSeconds && { retryAfterSeconds }),
    },
  });
}
