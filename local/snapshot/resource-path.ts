/** The parts of a GET path of the Kubernetes API. */
export interface ResourcePath {
  /** `/api/v1/pods`, `/apis/policy/v1/poddisruptionbudgets`: the collection over all namespaces. */
  readonly collection: string;
  /** Undefined: cluster-scoped, or all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: a list. */
  readonly name: string | undefined;
}

/** Undefined for paths that are no resource (`/version`). */
export function resourcePath(path: string): ResourcePath | undefined {
  const [root, ...rest] = path.split('/').filter(Boolean).map(decoded);
  const versionParts = root === 'api' ? 1 : root === 'apis' ? 2 : undefined;
  if (versionParts === undefined) return undefined;
  const base = `/${[root, ...rest.slice(0, versionParts)].join('/')}`;
  const [first, second, third, fourth, ...more] = rest.slice(versionParts);
  if (first === undefined || more.length > 0) return undefined;
  if (first === 'namespaces' && second !== undefined && third !== undefined)
    return { collection: `${base}/${third}`, namespace: second, name: fourth };
  return third === undefined ? { collection: `${base}/${first}`, namespace: undefined, name: second } : undefined;
}

/** A snapshot may come from anyone: invalid encoding is kept as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
