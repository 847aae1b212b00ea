import { Environment } from '@marcbachmann/cel-js';
import type { KubeObject } from '../../local/manifests/kube-object.ts';

/** An expression and what is said if it is false. */
interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

interface Named {
  readonly name: string;
  readonly expression: string;
}

interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** `spec` of a ValidatingAdmissionPolicy as we print it. */
export interface PolicySpec {
  readonly matchConstraints: { readonly resourceRules: readonly ResourceRule[] };
  readonly matchConditions: readonly Named[];
  readonly variables?: readonly Named[];
  readonly validations: readonly Validation[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** What the API server tells a policy of one request. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly group: string;
  readonly resource: string;
  readonly subResource?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly user: string;
  readonly dryRun?: boolean;
  readonly object: unknown;
  readonly oldObject: unknown;
  /** The pool, for a policy with `paramKind`. */
  readonly params?: unknown;
  /** Whether RBAC allows the user this verb on the object. */
  readonly isAllowed?: (verb: string) => boolean;
}

export type Verdict =
  | { readonly kind: 'unmatched' | 'admitted'; readonly audit: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

class Authorizer {
  readonly requestResource: RequestResource;
  constructor(isAllowed: (verb: string) => boolean) {
    this.requestResource = new RequestResource(isAllowed);
  }
}

class RequestResource {
  readonly isAllowed: (verb: string) => boolean;
  constructor(isAllowed: (verb: string) => boolean) {
    this.isAllowed = isAllowed;
  }
}

class Decision {
  readonly isAllowed: boolean;
  constructor(isAllowed: boolean) {
    this.isAllowed = isAllowed;
  }
}

/** CEL as the API server has it, as far as our policies use it: dynamic objects and the authorizer. */
const environment = new Environment({ unlistedVariablesAreDyn: true })
  .registerType('Decision', { ctor: Decision, fields: { isAllowed: 'bool' } })
  .registerType('RequestResource', { ctor: RequestResource, fields: {} })
  .registerType('Authorizer', { ctor: Authorizer, fields: { requestResource: 'RequestResource' } })
  .registerFunction(
    'RequestResource.check(string): Decision',
    (resource: RequestResource, verb: string) => new Decision(resource.isAllowed(verb)),
  )
  .registerFunction('Decision.allowed(): bool', (decision: Decision) => decision.isAllowed)
  .registerVariable('authorizer', 'Authorizer');

export function specOf(policy: KubeObject | undefined): PolicySpec {
  if (policy?.kind !== 'ValidatingAdmissionPolicy') throw new Error('not a ValidatingAdmissionPolicy');
  return policy['spec'] as PolicySpec;
}

/** What a policy with `failurePolicy: Fail` says to a request: an expression that cannot be evaluated refuses it. */
export function evaluatePolicy(policy: PolicySpec, request: AdmissionRequest): Verdict {
  if (!policy.matchConstraints.resourceRules.some((rule) => isMatch(rule, request)))
    return { kind: 'unmatched', audit: [] };
  const [context, words] = [contextOf(policy, request), contextOf(policy, request)];
  // The API server has no authorizer where it makes messages and audit annotations.
  words['authorizer'] = undefined;
  const value = (expression: string): unknown => environment.evaluate(expression, context);
  const text = (expression: string): string => String(environment.evaluate(expression, words));
  try {
    if (!policy.matchConditions.every(({ expression }) => value(expression) === true))
      return { kind: 'unmatched', audit: [] };
    for (const { expression, message = '', messageExpression } of policy.validations) {
      if (value(expression) === true) continue;
      return { kind: 'refused', message: messageExpression === undefined ? message : text(messageExpression) };
    }
    const audit = (policy.auditAnnotations ?? []).map(({ valueExpression }) => text(valueExpression));
    return { kind: 'admitted', audit: audit.filter((each) => each !== '') };
  } catch (cause) {
    return { kind: 'refused', message: `resulted in error: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}

function isMatch(
  { apiGroups, operations, resources, resourceNames }: ResourceRule,
  { group, resource, subResource = '', operation, name }: AdmissionRequest,
): boolean {
  const full = subResource === '' ? resource : `${resource}/${subResource}`;
  return (
    apiGroups.includes(group) &&
    operations.includes(operation) &&
    (resources.includes(full) || (subResource !== '' && resources.includes(`${resource}/*`))) &&
    (resourceNames === undefined || resourceNames.includes(name))
  );
}

/** Variables are evaluated when they are first used, each once. */
function contextOf({ variables = [] }: PolicySpec, request: AdmissionRequest): Record<string, unknown> {
  const { operation, group, resource, subResource, kind, name, namespace, user, dryRun = false } = request;
  const lazy: Record<string, unknown> = {};
  const context = {
    object: celValue(request.object ?? null),
    oldObject: celValue(request.oldObject ?? null),
    params: celValue(request.params ?? null),
    request: {
      operation,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      kind: { kind },
      resource: { group, resource },
      ...(subResource === undefined ? {} : { subResource }),
      userInfo: { username: user },
      dryRun,
    },
    variables: lazy,
    authorizer: new Authorizer(request.isAllowed ?? (() => false)),
  };
  for (const { name: variable, expression } of variables) {
    let known: { readonly value: unknown } | undefined;
    Object.defineProperty(lazy, variable, {
      enumerable: true,
      get: () => {
        known ??= { value: environment.evaluate(expression, context) };
        return known.value;
      },
    });
  }
  return context;
}

/** Whole numbers of JSON are CEL's int. */
function celValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key, celValue(each)]),
  );
}
