import type { Answer, Question } from '../findings/question.ts';
import { memberOf } from '../openshift/member.ts';
import { given } from '../text/given.ts';
import { resourcePath, type ServedResource } from './discovery.ts';
import type { ObjectsRead } from './judge-gate.ts';
import type { ObjectGate } from './presets.ts';

/** Objects of one page: its answer stays small. */
export const objectsPerPage = 500;
/** Objects of one gate that are read, page by page, until it is known whether it is open. No gate counts more. */
export const objectsAtMost = 5_000;

/** One page of the objects of a gate. */
export interface GatePage {
  /** Objects at most; undefined: as many as the gate needs at least. */
  readonly limit?: number | undefined;
  /** Where the page before has ended. */
  readonly next?: string | undefined;
}

/** The read that a gate needs: mostly there is one page. */
export function questionOf(gate: ObjectGate, resource: ServedResource, page: GatePage = {}): Question {
  const { resourceName: name, resourceNamespace: namespace, selector } = gate;
  const isOne = name !== undefined && (!resource.isNamespaced || namespace !== undefined);
  if (isOne) return { path: resourcePath(resource, { namespace, name }), query: {}, form: formOf(gate) };
  const labelSelector = Object.entries(selector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return {
    path: resourcePath(resource, { namespace }),
    query: {
      limit: String(page.limit ?? firstPage(gate)),
      ...given({ continue: page.next }),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
      ...(labelSelector === '' ? {} : { labelSelector }),
    },
    form: formOf(gate),
  };
}

/** Of what only has to be there, as many as have to be; at least one, or nothing would be asked. */
function firstPage(gate: ObjectGate): number {
  return asksForMore(gate) ? objectsPerPage : Math.min(Math.max(gate.count?.atLeast ?? 1, 1), objectsPerPage);
}

/** More than existence is asked. */
function asksForMore({ path, count, ...gate }: ObjectGate): boolean {
  return asksForContent(gate) || [path, count?.atMost].some((each) => each !== undefined);
}

function asksForContent({ condition, version, health, cel }: Omit<ObjectGate, 'path' | 'count'>): boolean {
  return [condition, version, health, cel].some((each) => each !== undefined);
}

/** For existence the content is not sent: a Secret stays where it is. */
function formOf(gate: ObjectGate): 'object' | 'metadata' {
  const isInMetadata = gate.path === undefined || gate.path.startsWith('metadata.');
  return isInMetadata && !asksForContent(gate) ? 'metadata' : 'object';
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
      const next = memberOf(memberOf(answer.body, 'metadata'), 'continue');
      if (Array.isArray(items))
        return { kind: 'objects', objects: items, ...(typeof next === 'string' && next !== '' ? { next } : {}) };
      const isObject = memberOf(answer.body, 'metadata') !== undefined;
      return isObject
        ? { kind: 'objects', objects: [answer.body] }
        : { kind: 'failed', why: 'the answer is no object' };
    }
    default:
      return answer satisfies never;
  }
}
