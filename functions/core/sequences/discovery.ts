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

/** A version of a group whose server did not answer the API server's last look. What is known of its kinds is from
 *  before, or nothing. Source: kube-aggregator, `syncAPIService` in pkg/apiserver/handler_discovery.go. */
interface StaleVersion {
  readonly group: string;
  readonly version: string;
  /** No kind of it is known. */
  readonly isEmpty: boolean;
}

/** What an API server serves, in its own order of preference. */
export type Discovery = readonly (ServedResource | StaleVersion)[];

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

function resourcesOf(group: string, served: unknown): Discovery {
  const version = textAt(served, 'version');
  const found = listAt(served, 'resources');
  const stale = { group, version, isEmpty: found.length === 0 };
  const resources = found.flatMap((resource): readonly ServedResource[] => {
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
  return textAt(served, 'freshness') === 'Stale' ? [stale, ...resources] : resources;
}

/** The kind that `oc` means by a name: `sc`, `StorageClass`, `storageclasses`, `storageclasses.storage.k8s.io`,
 *  `storageclasses.v1.storage.k8s.io`. Undefined: none is served. `staleIn`: it may be one of this group and version,
 *  whose server is away, so that nobody knows. */
export function resolveResource(
  written: string,
  discovery: Discovery,
): ServedResource | { readonly staleIn: string } | undefined {
  const [name = '', ...rest] = written.toLowerCase().split('.');
  const asked = ofGroup(rest.join('.'), discovery);
  const at = asked.findIndex((each) => !isStale(each) && namesOf(each).includes(name));
  const found = asked[at];
  if (found === undefined || isStale(found)) return staleOf(asked.find(isStale));
  // A group that comes first would have the name first.
  const before = asked.slice(0, at).filter(isStale);
  return staleOf(before.find(({ group, isEmpty }) => isEmpty && group !== found.group)) ?? found;
}

/** What may be meant by a group, with its version or without; no group: all. */
function ofGroup(written: string, discovery: Discovery): Discovery {
  if (written === '') return discovery;
  const named = discovery.filter(({ group }) => group === written);
  return [...named, ...discovery.filter(({ group, version }) => `${version}.${group}` === written)];
}

function isStale(each: Discovery[number]): each is StaleVersion {
  return 'isEmpty' in each;
}

function staleOf(found: StaleVersion | undefined): { readonly staleIn: string } | undefined {
  return found && { staleIn: `${found.group}/${found.version}` };
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
