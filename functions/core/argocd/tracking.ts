import { mayBeObjectName } from '../text/object-name.ts';
import type { Application, ApplicationRef, ObjectName } from './application.ts';

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

/** The Application that a mark names. */
export interface Tracked {
  /** Undefined: that of its Argo CD. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Which Application has written an object, by Argo CD's mark on it: whoever may write the object may write that, too.
 *  Undefined: it has none, or one that was copied from another object, or that names none. */
export function trackedBy({
  kind,
  name,
  annotations,
}: Pick<ObjectName, 'kind' | 'name'> & Pick<Application, 'annotations'>): Tracked | undefined {
  const [application = '', groupKind = '', object = ''] = (annotations[trackingAnnotation] ?? '').split(':');
  const isThis = groupKind.split('/').at(-1) === kind && object.split('/').at(-1) === name;
  return isThis ? trackedIn(application) : undefined;
}

/** The same where Argo CD marks what it writes by a label alone, as it did by default before 3.0. The first label is
 *  the one that it advises instead of its default, which charts set for reasons of their own. Source: argo-cd
 *  common/common.go, and its frequently asked questions. */
export function labelledBy(labels: Readonly<Record<string, string>>): Tracked | undefined {
  return trackedIn(labels['argocd.argoproj.io/instance'] ?? labels['app.kubernetes.io/instance'] ?? '');
}

/** The Application that Argo CD's mark names, as it writes it, also as a label: `app`, or `namespace_app`. Undefined:
 *  it names none. Source: argo-cd v1alpha1 types.go, Application.InstanceName. */
export function trackedIn(mark: string): Tracked | undefined {
  const [first = '', second] = mark.split('_');
  if (!mayBeObjectName(first) || !mayBeObjectName(second ?? first)) return undefined;
  return second === undefined ? { name: first } : { namespace: first, name: second };
}

/** Whether the mark names this Application. Without a namespace it means one in Argo CD's own: anybody may give an
 *  Application of his namespace the same name. */
export function isTrackedAs({ namespace, name, isAtHome }: Application, tracked: Tracked): boolean {
  if (name !== tracked.name) return false;
  return tracked.namespace === undefined ? isAtHome === true : tracked.namespace === namespace;
}

/** `namespace/name`, or the name alone. */
export function trackedText({ namespace, name }: Tracked): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
