import { badRequest } from './api-error.ts';
import { valueAt } from './json.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import type { ResourceType } from './resource-types.ts';

/** The `fieldSelector` query parameter: `metadata.name=a,spec.nodeName!=b`. Only the kind's selectable fields are
 *  allowed. */
export function parseFieldSelector(type: ResourceType, text: string): (object: KubernetesObject) => boolean {
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => parseTerm(type, term));
  return (object) => terms.every((term) => term(object));
}

function parseTerm(type: ResourceType, term: string): (object: KubernetesObject) => boolean {
  const [, field = '', operator, wanted = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
  if (operator === undefined) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const always = ['metadata.name', 'metadata.namespace'];
  if (!always.includes(field) && !type.selectableFields.includes(field)) throw badRequest(notOffered(type, field));
  return (object) => (read(object, field) === wanted) === (operator !== '!=');
}

/** Kinds without selectable fields have another message. */
function notOffered(type: ResourceType, field: string): string {
  return type.custom || type.group === ''
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function read(object: KubernetesObject, field: string): string {
  if (field === 'spec.unschedulable') return String(valueAt(object, ['spec', 'unschedulable']) ?? false);
  const path = field === 'source' ? ['source', 'component'] : field.split('.');
  return String(valueAt(object, path) ?? '');
}
