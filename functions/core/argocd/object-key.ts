import type { ObjectName } from './application.ts';

/** One object among all of a cluster: others of its kind and name may be in other namespaces, or of other groups. What
 *  an Application manages, and what an operation did with it, are read with the same namespace: none for what has
 *  none. */
export function objectKey({ group, kind, namespace, name }: ObjectName): string {
  return JSON.stringify([group, kind, namespace, name]);
}
