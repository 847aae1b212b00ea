import { apiVersionOf, type ResourceType, resourceTypes } from './resource-types.ts';

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** The media type of `discoverAtOnce`. kubectl reads an answer of any other as that of an older API server. */
export const discoveryAtOnce = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What all groups serve, in one answer, as newer clients ask for it; undefined for other paths and for clients that do
 *  not accept it. */
export function discoverAtOnce(pathname: string, accept: string): unknown {
  if (!accept.includes(discoveryAtOnce)) return undefined;
  const names = pathname === '/api' ? [''] : pathname === '/apis' ? groups() : undefined;
  if (names === undefined) return undefined;
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: names.map((name) => ({ metadata: { name }, versions: [versionOf(name)] })),
  };
}

function versionOf(group: string): unknown {
  const served = resourceTypes.filter((type) => type.group === group);
  const resources = served.map(({ plural, kind, namespaced, shortNames, version }) => ({
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.toLowerCase(),
    verbs: allVerbs,
    ...(shortNames.length > 0 && { shortNames }),
  }));
  return { version: served[0]?.version ?? 'v1', resources, freshness: 'Current' };
}

/** Answers `/api`, `/apis` and the paths below them, down to the resources of a version; undefined for other paths. */
export function discover(pathname: string): unknown {
  const [root, ...rest] = pathname.split('/').filter(Boolean);
  if (root === 'api' && rest.length === 0)
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (root === 'api' && rest.length === 1) return resourceList('', rest[0] ?? '');
  if (root !== 'apis') return undefined;
  const [group, version, ...more] = rest;
  if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups().map(describeGroup) };
  if (more.length > 0) return undefined;
  if (version !== undefined) return resourceList(group, version);
  return groups().includes(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) } : undefined;
}

function groups(): string[] {
  return [...new Set([...resourceTypes.map(({ group }) => group).filter(Boolean), 'authorization.k8s.io'])];
}

function describeGroup(name: string): { name: string; versions: unknown[]; preferredVersion: unknown } {
  const version = resourceTypes.find(({ group }) => group === name)?.version ?? 'v1';
  const served = { groupVersion: `${name}/${version}`, version };
  return { name, versions: [served], preferredVersion: served };
}

function resourceList(group: string, version: string): unknown {
  const served = resourceTypes.filter((type) => type.group === group && type.version === version);
  const [first] = served;
  if (!first) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(first),
    resources: served.flatMap(describe),
  };
}

function describe(type: ResourceType): unknown[] {
  const { plural, kind, namespaced, shortNames } = type;
  const resource = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: allVerbs,
    ...(shortNames.length > 0 && { shortNames }),
  };
  const status = { name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
  const eviction = {
    name: 'pods/eviction',
    singularName: '',
    namespaced,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  };
  return [resource, ...(type.statusSubresource ? [status] : []), ...(plural === 'pods' ? [eviction] : [])];
}
