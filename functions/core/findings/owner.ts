import { plainName } from './cause-key.ts';
import type { ObjectRef } from './trouble.ts';

const ofArgoCd = ['Application', 'ApplicationSet'];
/** These lie in no namespace, and a slash is part of their names. */
export const namedFreely = ['Run', 'Sequence', 'Webhook', 'AlertTarget'];

/** Whose an object is: the namespace that it lies in, of a machine its group. Argo CD's own namespace has Applications
 *  of everybody: there it is `<namespace>/<project>`, and `<namespace>/` where the AppProject is not known. Empty for
 *  what is no namespace's. */
export function ownerOf({ kind, namespace, name, project }: ObjectRef): string {
  if (kind === 'Machine') return name.split('/')[0] ?? '';
  if (namespace === '') return '';
  if (kind === 'AppProject') return `${namespace}/${name}`;
  return project !== undefined || ofArgoCd.includes(kind) ? `${namespace}/${project ?? ''}` : namespace;
}

/** Of a part of a digest, `name:code:Kind namespace/name`, which has no AppProject. */
export function ownerOfPart(part: string): string {
  const ref = part.slice(part.lastIndexOf(':') + 1);
  const [, kind = '', place = '', name = ''] = /^(\w+) ([^ /]+)\/([^ ]*)(?: of Argo CD .*)?$/.exec(ref) ?? [];
  if (!part.includes(':') || place === '' || namedFreely.includes(kind)) return '';
  const owner = plainName(place);
  return kind === 'Machine' ? owner : ownerOf({ kind, namespace: owner, name: plainName(name) });
}

/** Of whom it is not known, but for the namespace. */
export function isOfUnknown(owner: string): boolean {
  return owner.endsWith('/');
}

/** What lies in no namespace is told apart by its kind: no namespace has such a name. */
export function isOfNamespace(owner: string): boolean {
  return !owner.includes(':');
}

/** The namespace of an owner; of what lies in none, that itself. */
export function placeOfOwner(owner: string): string {
  return isOfNamespace(owner) ? owner.split('/', 1).join('') : owner;
}
