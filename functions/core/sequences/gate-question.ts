import type { Answer, Question } from '../findings/question.ts';
import { resourcePath, type ServedResource } from './discovery.ts';
import type { ObjectsRead } from './judge-gate.ts';
import { memberOf } from './plan.ts';
import type { ObjectGate } from './presets.ts';

/** Objects of one gate that are read: nobody waits for more, and the answer stays small. */
const objectsAtMost = 500;

/** The one read that a gate needs. */
export function questionOf(gate: ObjectGate, resource: ServedResource): Question {
  const { resourceName: name, resourceNamespace: namespace, selector } = gate;
  const isOne = name !== undefined && (!resource.isNamespaced || namespace !== undefined);
  if (isOne) return { path: resourcePath(resource, { namespace, name }), query: {}, form: formOf(gate) };
  const labelSelector = Object.entries(selector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return {
    path: resourcePath(resource, { namespace }),
    query: {
      limit: String(asksForMore(gate) ? objectsAtMost : (gate.count?.atLeast ?? 1)),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
      ...(labelSelector === '' ? {} : { labelSelector }),
    },
    form: formOf(gate),
  };
}

/** More than existence is asked. */
function asksForMore({ condition, path, version, health, cel, count }: ObjectGate): boolean {
  return [condition, path, version, health, cel, count?.atMost].some((each) => each !== undefined);
}

/** For existence the content is not sent: a Secret stays where it is. */
function formOf(gate: ObjectGate): 'object' | 'metadata' {
  return asksForMore(gate) && gate.path?.startsWith('metadata.') !== true ? 'object' : 'metadata';
}

/** What the answer to `questionOf` says. */
export function objectsIn(answer: Answer): ObjectsRead {
  switch (answer.kind) {
    case 'absent':
      return { kind: 'objects', objects: [] };
    case 'failed':
      return { kind: answer.isForbidden === true ? 'forbidden' : 'failed', why: answer.why };
    case 'found': {
      const items = memberOf(answer.body, 'items');
      if (Array.isArray(items)) return { kind: 'objects', objects: items };
      const isObject = memberOf(answer.body, 'metadata') !== undefined;
      return isObject
        ? { kind: 'objects', objects: [answer.body] }
        : { kind: 'failed', why: 'the answer is no object' };
    }
    default:
      return answer satisfies never;
  }
}
