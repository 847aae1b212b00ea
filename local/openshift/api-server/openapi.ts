import { apiVersionOf, type ResourceType, resourceTypes } from './resource-types.ts';

const root = '/openapi/v3';

/** What `kubectl apply` looks up before it sends anything: that this API server checks fields by itself. There are no
 *  schemas in it. Undefined for other paths. Source: k8s.io/cli-runtime pkg/resource/query_param_verifier_v3.go. */
export function openApi(pathname: string): unknown {
  if (pathname === root)
    return { paths: Object.fromEntries(served().map((path) => [path, { serverRelativeURL: `${root}/${path}` }])) };
  const path = pathname.startsWith(`${root}/`) ? pathname.slice(root.length + 1) : '';
  const types = resourceTypes.filter((type) => placeOf(type) === path);
  if (types.length === 0) return undefined;
  const info = { title: 'Kubernetes', version: 'unversioned' };
  return {
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(types.map((type) => [objectPath(type), { patch: patchOf(type) }])),
  };
}

function served(): readonly string[] {
  return [...new Set(resourceTypes.map(placeOf))];
}

function placeOf(type: ResourceType): string {
  return `${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`;
}

function objectPath(type: ResourceType): string {
  return `/${placeOf(type)}/${type.namespaced ? 'namespaces/{namespace}/' : ''}${type.plural}/{name}`;
}

function patchOf({ group, version, kind }: ResourceType): unknown {
  return {
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }],
    responses: {},
  };
}
