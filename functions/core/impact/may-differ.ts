import type { Application, ManagedResource, Overlooked } from '../argocd/application.ts';

/** May a sync change this resource, at the commit with which Argo CD has compared it? What is out of sync, and what
 *  only looks Synced because Argo CD is told to overlook differences there. Rules for all Applications of an
 *  instance (`argocd-cm`) are not known here. */
export function mayDiffer(resource: ManagedResource, { overlooks = [] }: Pick<Application, 'overlooks'>): boolean {
  return resource.status !== 'Synced' || overlooks.some((rule) => isMeant(resource, rule));
}

function isMeant(resource: ManagedResource, { group, kind, namespace, name }: Overlooked): boolean {
  return (
    mayMatch(group, resource.group) &&
    mayMatch(kind, resource.kind) &&
    ['', resource.namespace].includes(namespace) &&
    ['', resource.name].includes(name)
  );
}

/** Whatever has a special character counts as a match. */
function mayMatch(glob: string, text: string): boolean {
  return glob === text || /[*?[{!\\]/.test(glob);
}
