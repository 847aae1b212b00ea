import type { Application, ManagedResource, Overlooked } from '../argocd/application.ts';

/** May a sync change this resource, at the commit that Argo CD compared it with? True if it is out of sync, or may only
 *  look Synced because Argo CD ignores differences there. Rules for all Applications of an instance (`argocd-cm`) are
 *  not known here. */
export function mayDiffer(resource: ManagedResource, { overlooks = [] }: Pick<Application, 'overlooks'>): boolean {
  return resource.status !== 'Synced' || (overlooks.length > 0 && isMeant(resource, overlooks));
}

function isMeant({ group, kind, namespace, name }: ManagedResource, overlooks: readonly Overlooked[]): boolean {
  const index = indexOf(overlooks);
  return [`${group}/${kind}`, `*/${kind}`, `${group}/*`, '*/*'].some((key) => {
    const objects = index.get(key);
    return objects !== undefined && objectKeys(namespace, name).some((object) => objects.has(object));
  });
}

/** An empty namespace or name of a rule means any. */
function objectKeys(namespace: string, name: string): readonly string[] {
  return [`${namespace}/${name}`, `${namespace}/`, `/${name}`, '/'];
}

/** By group and kind, the objects that rules name: both are as many as whoever writes the Application likes. */
type Index = ReadonlyMap<string, ReadonlySet<string>>;

const known = new WeakMap<readonly Overlooked[], Index>();

function indexOf(overlooks: readonly Overlooked[]): Index {
  const index = known.get(overlooks) ?? indexed(overlooks);
  known.set(overlooks, index);
  return index;
}

function indexed(overlooks: readonly Overlooked[]): Index {
  const index = new Map<string, Set<string>>();
  for (const { group, kind, namespace, name } of overlooks) {
    const key = `${orAny(group)}/${orAny(kind)}`;
    index.set(key, (index.get(key) ?? new Set()).add(`${namespace}/${name}`));
  }
  return index;
}

/** Any special character counts as a match. */
function orAny(glob: string): string {
  return /[*?[{!\\]/.test(glob) ? '*' : glob;
}
