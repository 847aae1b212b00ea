import type { Application, ApplicationRef } from './application.ts';

const trackingAnnotation = 'argocd.argoproj.io/tracking-id';

/** Whether Argo CD has written the Application as part of that one (app of apps), by the mark that it leaves on what
 *  it writes: `app:group/Kind:namespace/name`, or `namespace_app:...` if the writer is not in Argo CD's own namespace.
 *  What an Application says of itself that it manages is no proof. Source: argo-cd util/argo/resource_tracking.go. */
export function isTrackedBy(
  { annotations, namespace, name }: Pick<Application, 'annotations' | 'namespace' | 'name'>,
  writer: Pick<ApplicationRef, 'namespace' | 'name'>,
): boolean {
  const [by = '', kind, object] = (annotations[trackingAnnotation] ?? '').split(':');
  if (kind !== 'argoproj.io/Application' || object !== `${namespace}/${name}`) return false;
  return by === `${writer.namespace}_${writer.name}` || (by === writer.name && namespace === writer.namespace);
}
