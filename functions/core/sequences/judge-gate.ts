import { memberOf } from '../openshift/member.ts';
import { ifGiven } from '../text/if-given.ts';
import { clipped } from '../text/phrases.ts';
import type { ObjectGate } from './presets.ts';
import { isAtLeast } from './version.ts';

/** What was found of a gate's objects. */
export type ObjectsRead =
  | {
      readonly kind: 'objects';
      readonly objects: readonly unknown[];
      /** Where the API server goes on, if there are more. */
      readonly next?: string | undefined;
    }
  /** The API server refused: a right is missing. */
  | { readonly kind: 'forbidden'; readonly why: string }
  /** The API server serves no such kind, as of now. */
  | { readonly kind: 'unknown-kind'; readonly why: string }
  /** Nothing is known: the API server did not answer, or with something else. */
  | { readonly kind: 'failed'; readonly why: string };

/** What became of an expression in CEL. */
export type CelResult =
  | { readonly kind: 'value'; readonly value: unknown }
  /** It took too long. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'error'; readonly why: string };

export type EvaluateCel = (expression: string, object: unknown) => CelResult;

export type GateVerdict =
  | { readonly kind: 'open'; readonly value: string }
  | {
      readonly kind: 'closed';
      readonly value: string;
      /** What it asks of the object is not there: nobody knows what it will be. */
      readonly isUndecided?: true;
    }
  /** It cannot be asked, or not be judged, and waiting does not help: a person has to act. */
  | {
      readonly kind: 'refused';
      readonly value: string;
      /** The cluster serves no such kind: to wait for it is to wait for the gate. */
      readonly isUnknownKind?: true;
    }
  /** Nothing is known. It is never a failed gate; it is told when it lasts. */
  | { readonly kind: 'unseen'; readonly value: string };

/** Characters of a found value that are shown. */
const shownCharacters = 120;

/** `sc ocs-storagecluster-ceph-rbd`, `pvc shop/data`, `at least one sc`. */
export function subjectOf({ resourceType, resourceName, resourceNamespace, selector, count }: ObjectGate): string {
  const kind = resourceType ?? 'object';
  const place = resourceNamespace === undefined ? '' : `${resourceNamespace}/`;
  if (resourceName !== undefined) return `${kind} ${place}${resourceName}`;
  const inNamespace = resourceNamespace === undefined ? '' : ` in ${resourceNamespace}`;
  const labels = Object.entries(selector ?? {}).map(([key, value]) => `${key}=${value}`);
  const labelled = labels.length === 0 ? '' : ` with ${labels.join(', ')}`;
  const least = count?.atLeast ?? 1;
  return `at least ${least === 1 ? 'one' : least} ${kind}${inNamespace}${labelled}`;
}

type Check = (gate: ObjectGate, object: unknown, evaluate: EvaluateCel) => GateVerdict | undefined;

/** Each says why an object does not do, or nothing. */
const checks: readonly Check[] = [checkDeletion, checkCondition, checkPath, checkVersion, checkHealth, checkCel];

/** Whether one object is as the gate asks. */
export function judgeObject(gate: ObjectGate, object: unknown, evaluate: EvaluateCel): GateVerdict {
  for (const check of checks) {
    const against = check(gate, object, evaluate);
    if (against !== undefined) return against;
  }
  return { kind: 'open', value: `${nameOf(object)} is there` };
}

/** What is about to vanish is not there: the next step would find it gone. */
function checkDeletion(_: ObjectGate, object: unknown): GateVerdict | undefined {
  if (memberOf(memberOf(object, 'metadata'), 'deletionTimestamp') === undefined) return undefined;
  return { kind: 'closed', value: `${nameOf(object)} is being deleted` };
}

function checkCondition({ condition }: ObjectGate, object: unknown): GateVerdict | undefined {
  if (condition === undefined) return undefined;
  const conditions = memberOf(memberOf(object, 'status'), 'conditions');
  const found = (Array.isArray(conditions) ? conditions : []).findLast(
    (each) => memberOf(each, 'type') === condition.type,
  );
  if (found === undefined) return { kind: 'closed', value: `${nameOf(object)} has no condition ${condition.type}` };
  const { status, reason } = { status: memberOf(found, 'status'), reason: memberOf(found, 'reason') };
  const isStale = isOfEarlierGeneration(object, found);
  if (status === condition.status && (condition.reason ?? reason) === reason && !isStale) return undefined;
  const message = memberOf(found, 'message');
  const said = typeof message === 'string' && message !== '' ? `, ${clipped(message, 200)}` : '';
  const stale = isStale ? ', of an earlier generation' : '';
  return {
    kind: 'closed',
    value: `${nameOf(object)}: ${condition.type} is ${shown(status)} (${shown(reason)})${stale}${said}`,
  };
}

/** The condition is about an earlier generation of the object. */
export function isOfEarlierGeneration(object: unknown, found: unknown): boolean {
  const generation = memberOf(memberOf(object, 'metadata'), 'generation');
  const observed = memberOf(found, 'observedGeneration');
  return typeof generation === 'number' && typeof observed === 'number' && observed < generation;
}

function checkPath({ path, equals, oneOf }: ObjectGate, object: unknown): GateVerdict | undefined {
  if (path === undefined) return undefined;
  const found = valueAtPath(object, path);
  const wanted = [...ifGiven(equals), ...oneOf];
  if (found === undefined || found === null) return { kind: 'closed', value: `${nameOf(object)} has no ${path}` };
  if (wanted.length === 0) return undefined;
  if (typeof found !== 'object' && wanted.includes(String(found))) return undefined;
  return { kind: 'closed', value: `${nameOf(object)}: ${path} is ${shown(found)}` };
}

function checkVersion({ version }: ObjectGate, object: unknown): GateVerdict | undefined {
  if (version === undefined) return undefined;
  const found = valueAtPath(object, version.path);
  const fits = typeof found === 'string' ? isAtLeast(found, version.atLeast) : undefined;
  if (fits === true) return undefined;
  return {
    kind: 'closed',
    value: `${nameOf(object)}: ${version.path} is ${shown(found)}, not ${version.atLeast} or later`,
  };
}

function checkHealth({ health }: ObjectGate, object: unknown): GateVerdict | undefined {
  if (health === undefined) return undefined;
  const found = valueAtPath(object, 'status.health.status');
  return found === health ? undefined : { kind: 'closed', value: `${nameOf(object)}: health is ${shown(found)}` };
}

/** What is missing in the object (`no such key`) is no error of the expression: it may come. */
function checkCel({ cel }: ObjectGate, object: unknown, evaluate: EvaluateCel): GateVerdict | undefined {
  if (cel === undefined) return undefined;
  const result = evaluate(cel, object);
  switch (result.kind) {
    case 'stopped':
      return { kind: 'refused', value: `the CEL expression takes too long on ${nameOf(object)}` };
    case 'error':
      return /no such key/i.test(result.why)
        ? { kind: 'closed', value: `${nameOf(object)}: ${clipped(result.why, 200)}`, isUndecided: true }
        : { kind: 'refused', value: `the CEL expression cannot be evaluated: ${clipped(result.why, 200)}` };
    case 'value':
      if (result.value === true) return undefined;
      return result.value === false
        ? { kind: 'closed', value: `${nameOf(object)}: the CEL expression is false` }
        : { kind: 'refused', value: 'the CEL expression is neither true nor false' };
    default:
      return result satisfies never;
  }
}

/** The value at a place like `status.conditions.0.type`; `\.` is a dot inside a key. Own members only. */
function valueAtPath(object: unknown, path: string): unknown {
  return path
    .split(/(?<!\\)\./)
    .map((key) => key.replaceAll('\\.', '.'))
    .reduce<unknown>((value, key) => memberOf(value, key), object);
}

function nameOf(object: unknown): string {
  const metadata = memberOf(object, 'metadata');
  const name = memberOf(metadata, 'name');
  return typeof name === 'string' ? clipped(name, 100) : 'an object';
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  return clipped(typeof value === 'object' ? JSON.stringify(value) : String(value), shownCharacters);
}
