import type { Application, ManagedResource, Overlooked } from '../argocd/application.ts';

/** May a sync change this resource, at the commit that Argo CD compared it with? True if it is out of sync, or may only
 *  look Synced because Argo CD ignores differences there. Rules for all Applications of an instance (`argocd-cm`) are
 *  not known here. */
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

/** Any special character counts as a match. */
function mayMatch(glob: string, text: string): boolean {
  return glob === text || /[*?[{!\\]/.test(glob);
}
