import { isDeepStrictEqual } from 'node:util';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import type { Draft } from '../cluster/harness/kube.ts';
import { collectionOf } from '../cluster/harness/paths.ts';
import { type AdmissionRequest, evaluatePolicy, specOf } from './evaluate-policy.ts';
import { type AdmissionLab, type Answer, poolsOfLab, protectedPools, type Writer } from './pause-first.contract.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the API server keeps for an object and the policy reads. */
interface Stored extends Draft {
  readonly metadata: Draft['metadata'] & { readonly name: string; readonly generation: number };
}

interface Write {
  readonly user: string;
  readonly mayBreakGlass: boolean;
  readonly dryRun: boolean;
}

const requiredLabel = 'operator.machineconfiguration.openshift.io/required-for-upgrade';
const mcoUser = 'system:serviceaccount:openshift-machine-config-operator:machine-config-controller';

/** As much of an API server as admission needs: generations, merge patches, finalizers, the times of writers. The
 *  policy is evaluated for every pool that its binding selects. */
export function admittingStore(): AdmissionLab {
  const now = new Date('2026-11-22T10:00:00Z');
  const policy = specOf(pauseFirstObjects({ namespace: 'poolkeeper', pools: [], except: [] })[0]);
  const stored = new Map<string, Stored>();
  let paused: readonly string[] = [];

  const pathOf = (object: Draft) => `${collectionOf(object)}/${object.metadata.name}`;

  function answerTo(
    request: Pick<AdmissionRequest, 'operation' | 'object' | 'oldObject'>,
    about: Draft,
    by: Write,
  ): Answer {
    const [, , group = '', , resource = ''] = collectionOf(about).split('/');
    for (const each of poolsOfLab) {
      if (requiredLabel in (each.metadata.labels ?? {})) continue;
      const verdict = evaluatePolicy(policy, {
        ...request,
        ...{ group, resource, kind: about.kind, name: about.metadata.name ?? '', user: by.user, dryRun: by.dryRun },
        params: { ...each, spec: { ...each.spec, paused: paused.includes(each.metadata.name ?? '') } },
        isAllowed: (verb) => verb === 'break-glass' && by.mayBreakGlass,
      });
      if (verdict.kind === 'refused')
        return `ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'poolkeeper-pause-first' denied request: ${verdict.message}`;
    }
    return undefined;
  }

  function create(object: Draft, by: Write): Answer {
    const path = pathOf(object);
    if (stored.has(path)) throw new Error(`${path} is there already`);
    const made = written(
      { ...object, metadata: { ...object.metadata, name: object.metadata.name ?? '', generation: 1 } },
      by,
    );
    const answer = answerTo({ operation: 'CREATE', object: made, oldObject: null }, made, by);
    if (answer === undefined && !by.dryRun) stored.set(path, made);
    return answer;
  }

  function patch(object: Draft, change: unknown, by: Write): Answer {
    const path = pathOf(object);
    const before = stored.get(path);
    if (before === undefined) throw new Error(`${path} is not there`);
    const after = withGeneration(before, written(merged(before, change) as Stored, by));
    const answer = answerTo({ operation: 'UPDATE', object: after, oldObject: before }, before, by);
    if (answer !== undefined || by.dryRun) return answer;
    if (after.metadata['deletionTimestamp'] !== undefined && !isKept(after)) stored.delete(path);
    else stored.set(path, after);
    return undefined;
  }

  function remove(object: Draft, by: Write): Answer {
    const path = pathOf(object);
    const before = stored.get(path);
    if (before === undefined) return undefined;
    const answer = answerTo({ operation: 'DELETE', object: null, oldObject: before }, before, by);
    if (answer !== undefined) return answer;
    const { generation } = before.metadata;
    const dying = { ...before.metadata, deletionTimestamp: now.toISOString(), generation: generation + 1 };
    if (isKept(before)) stored.set(path, { ...before, metadata: dying });
    else stored.delete(path);
    return undefined;
  }

  function written(object: Stored, { user }: Write): Stored {
    const managedFields = [
      { manager: user, operation: 'Update', time: `${now.toISOString().slice(0, 19)}Z`, fieldsV1: {} },
    ];
    return { ...object, metadata: { ...object.metadata, managedFields } };
  }

  return {
    as: ({ user, mayBreakGlass = false }): Writer => {
      const by = ({ dryRun = false }: { readonly dryRun?: boolean } = {}): Write => ({ user, mayBreakGlass, dryRun });
      return {
        create: async (object, options) => create(object, by(options)),
        patch: async (object, change, options) => patch(object, change, by(options)),
        delete: async (object) => remove(object, by()),
      };
    },
    place: async (object) => {
      const answer = create(object, { user: mcoUser, mayBreakGlass: false, dryRun: false });
      if (answer !== undefined) throw new Error(answer);
    },
    isThere: async (object) => stored.has(pathOf(object)),
    pauseAllBut: async (...names) => {
      paused = protectedPools.filter((each) => !names.includes(each));
    },
    now: () => now,
  };
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
