import type { ObjectName } from './application.ts';

/** One object among all of a cluster: others of its kind and name may be in other namespaces, or of other groups. Argo
 *  CD notes the same namespace for what an Application manages and for what an operation did with it, none for what
 *  has none. Source: argo-cd controller/state.go, DeduplicateTargetObjects. */
export function objectKey({ group, kind, namespace, name }: ObjectName): string {
  return JSON.stringify([group, kind, namespace, name]);
}
