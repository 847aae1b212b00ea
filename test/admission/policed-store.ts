import { isDeepStrictEqual } from 'node:util';
import type { Draft } from '../cluster/harness/kube.ts';
import { collectionOf } from '../cluster/harness/paths.ts';
import { type AdmissionRequest, evaluatePolicy, type PolicySpec } from './evaluate-policy.ts';

/** A policy, and the objects for which it is evaluated; undefined: one without `paramKind`. */
export interface BoundPolicy {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly params?: () => readonly unknown[];
}

/** Who writes, and how. */
export interface Write {
  readonly user: string;
  readonly isAllowed?: (verb: string) => boolean;
  readonly dryRun?: boolean;
  readonly subResource?: string;
}

/** The API server's words if it refuses, undefined if it does not. */
export type Answer = string | undefined;

/** As much of an API server as admission needs: generations, merge patches, finalizers, the times of writers. */
export interface PolicedStore {
  create(object: Draft, by: Write): Answer;
  patch(object: Draft, change: unknown, by: Write): Answer;
  delete(object: Draft, by: Write): Answer;
  /** POST to a subresource of an object; nothing is kept. */
  post(about: Draft, body: unknown, by: Write): Answer;
  isThere(object: Draft): boolean;
}

interface Stored extends Draft {
  readonly metadata: Draft['metadata'] & { readonly name: string; readonly generation: number };
}

export function policedStore(policies: readonly BoundPolicy[], now: Date): PolicedStore {
  const stored = new Map<string, Stored>();
  const pathOf = (object: Draft) => `${collectionOf(object)}/${object.metadata.name}`;

  type Change = Pick<AdmissionRequest, 'operation' | 'object' | 'oldObject'>;

  function answerTo(change: Change, about: Draft, by: Write): Answer {
    const [group = '', resource = ''] = groupAndResource(about);
    const { name = '', namespace } = about.metadata;
    const place = { group, resource, kind: about.kind, name, ...(namespace === undefined ? {} : { namespace }) };
    for (const { name: policy, spec, params = () => [undefined] } of policies) {
      for (const each of params()) {
        const verdict = evaluatePolicy(spec, { ...change, ...place, ...by, params: each });
        if (verdict.kind === 'refused')
          return `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${verdict.message}`;
      }
    }
    return undefined;
  }

  function written(object: Stored, { user }: Write): Stored {
    const time = `${now.toISOString().slice(0, 19)}Z`;
    const managedFields = [{ manager: user, operation: 'Update', time, fieldsV1: {} }];
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }

  function here(object: Draft): Stored {
    const found = stored.get(pathOf(object));
    if (found === undefined) throw new Error(`${pathOf(object)} is not there`);
    return found;
  }

  return {
    create(object, by) {
      const path = pathOf(object);
      if (stored.has(path)) throw new Error(`${path} is there already`);
      const { name = '' } = object.metadata;
      const made = written({ ...object, metadata: { ...object.metadata, name, generation: 1 } }, by);
      const answer = answerTo({ operation: 'CREATE', object: made, oldObject: null }, made, by);
      if (answer === undefined && by.dryRun !== true) stored.set(path, made);
      return answer;
    },
    patch(object, change, by) {
      const before = here(object);
      const after = withGeneration(before, written(merged(before, change) as Stored, by));
      const answer = answerTo({ operation: 'UPDATE', object: after, oldObject: before }, before, by);
      if (answer !== undefined || by.dryRun === true) return answer;
      if (after.metadata['deletionTimestamp'] !== undefined && !isKept(after)) stored.delete(pathOf(object));
      else stored.set(pathOf(object), after);
      return undefined;
    },
    delete(object, by) {
      const before = stored.get(pathOf(object));
      if (before === undefined) return undefined;
      const answer = answerTo({ operation: 'DELETE', object: null, oldObject: before }, before, by);
      if (answer !== undefined) return answer;
      const generation = before.metadata.generation + 1;
      const dying = { ...before.metadata, deletionTimestamp: now.toISOString(), generation };
      if (isKept(before)) stored.set(pathOf(object), { ...before, metadata: dying });
      else stored.delete(pathOf(object));
      return undefined;
    },
    post(about, body, by) {
      return answerTo({ operation: 'CREATE', object: body, oldObject: null }, about, by);
    },
    isThere: (object) => stored.has(pathOf(object)),
  };
}

function groupAndResource(object: Draft): readonly [string, string] {
  const parts = collectionOf(object).split('/');
  return [object.apiVersion.includes('/') ? (parts[2] ?? '') : '', parts.at(-1) ?? ''];
}

function isKept({ metadata: { finalizers } }: Draft): boolean {
  return Array.isArray(finalizers) && finalizers.length > 0;
}

/** Everything but metadata and status moves the generation. */
function withGeneration(before: Stored, after: Stored): Stored {
  const content = ({ metadata: _metadata, status: _status, ...rest }: Stored) => rest;
  const { generation } = before.metadata;
  const moved = isDeepStrictEqual(content(before), content(after)) ? generation : generation + 1;
  return { ...after, metadata: { ...after.metadata, generation: moved } };
}

/** RFC 7386: null removes, objects are merged, everything else replaces. */
function merged(before: unknown, change: unknown): unknown {
  if (!isFields(change)) return change;
  const result: Record<string, unknown> = isFields(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
