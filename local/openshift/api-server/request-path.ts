import { noSuchResource } from './api-error.ts';
import { type ResourceType, resourceTypes } from './resource-types.ts';

/** What a path under `/api` or `/apis` refers to. */
export interface Target {
  readonly type: ResourceType;
  /** Empty for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  readonly subresource: string;
}

/** Undefined for a path outside the served groups. */
export function parseTarget(pathname: string): Target | undefined {
  const [root, ...segments] = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (segments.shift() ?? '');
  const version = segments.shift() ?? '';
  if (segments.length === 0) return undefined;
  return parseResource({ group, version }, segments);
}

function parseResource(
  groupVersion: { readonly group: string; readonly version: string },
  segments: readonly string[],
): Target | undefined {
  const [first = '', second = '', third = '', ...rest] = segments;
  const inNamespace = first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  const [plural, name = '', subresource = '', ...tooMany] = inNamespace ? [third, ...rest] : segments;
  const type = resourceTypes.find(
    (known) => known.plural === plural && known.group === groupVersion.group && known.version === groupVersion.version,
  );
  if (!type) return unknown(groupVersion);
  if (tooMany.length > 0) throw noSuchResource();
  return { type, namespace: inNamespace ? second : '', name, subresource };
}

const namespaceSubresources = new Set(['status', 'finalize']);

/** Built-in groups answer with a Status; groups of custom resources, and unknown ones, with a plain 404 page. */
function unknown({ group, version }: { readonly group: string; readonly version: string }): undefined {
  const builtIn = resourceTypes.some((type) => !type.custom && type.group === group && type.version === version);
  if (builtIn) throw noSuchResource();
  return undefined;
}
