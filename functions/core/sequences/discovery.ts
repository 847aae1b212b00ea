import { memberOf } from '../openshift/member.ts';

/** A kind that an API server serves. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
}

/** What an API server serves, in its own order of preference. */
export type Discovery = readonly ServedResource[];

/** Kinds that are understood of one answer. A cluster with many operators has some 500. */
const resourcesAtMost = 20_000;

/** The resources of aggregated discovery (APIGroupDiscoveryList), of each group in its preferred version. Undefined:
 *  the answer is something else. */
export function discoveryOf(body: unknown): Discovery | undefined {
  if (memberOf(body, 'kind') !== 'APIGroupDiscoveryList') return undefined;
  return listAt(body, 'items')
    .flatMap((group) => {
      const name = textAt(memberOf(group, 'metadata'), 'name');
      return listAt(group, 'versions').flatMap((version) => resourcesOf(name, version));
    })
    .slice(0, resourcesAtMost);
}

function resourcesOf(group: string, served: unknown): readonly ServedResource[] {
  const version = textAt(served, 'version');
  return listAt(served, 'resources').flatMap((resource): readonly ServedResource[] => {
    const plural = textAt(resource, 'resource');
    if (plural === '') return [];
    return [
      {
        group,
        version,
        plural,
        singular: textAt(resource, 'singularResource'),
        kind: textAt(memberOf(resource, 'responseKind'), 'kind'),
        shortNames: listAt(resource, 'shortNames').filter((each) => typeof each === 'string'),
        isNamespaced: textAt(resource, 'scope') === 'Namespaced',
      },
    ];
  });
}

/** The kind that `oc` means by a name: `sc`, `StorageClass`, `storageclasses`, `storageclasses.storage.k8s.io`,
 *  `storageclasses.v1.storage.k8s.io`. Undefined: none is served. */
export function resolveResource(written: string, discovery: Discovery): ServedResource | undefined {
  const [name = '', ...rest] = written.toLowerCase().split('.');
  const group = rest.join('.');
  const named = discovery.filter((each) => namesOf(each).includes(name));
  if (group === '') return named[0];
  return named.find((each) => each.group === group) ?? named.find((each) => `${each.version}.${each.group}` === group);
}

function namesOf({ plural, singular, kind, shortNames }: ServedResource): readonly string[] {
  return [plural, singular, kind, ...shortNames].map((each) => each.toLowerCase());
}

/** The path of a kind's list, or of one object. */
export function resourcePath(
  { group, version, plural, isNamespaced }: ServedResource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${place}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = memberOf(value, key);
  return Array.isArray(found) ? found : [];
}

function textAt(value: unknown, key: string): string {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : '';
}
