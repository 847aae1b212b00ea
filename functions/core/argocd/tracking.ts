import { mayBeObjectName } from '../text/object-name.ts';
import type { Application, ApplicationRef, ObjectName } from './application.ts';

const trackingAnnotation = 'argocd.argoproj.io/tracking-id';
/** The label that Argo CD advises, and its default, which charts set for reasons of their own. Source: argo-cd
 *  common/common.go, and its frequently asked questions. */
const instanceLabels = { advised: 'argocd.argoproj.io/instance', byDefault: 'app.kubernetes.io/instance' };

/** Whether Argo CD has written the Application as part of that one (app of apps), by the mark that it leaves on what
 *  it writes: `app:group/Kind:namespace/name`, or `namespace_app:...` if the writer is not in Argo CD's own namespace.
 *  What an Application says of itself that it manages is no proof. Source: argo-cd util/argo/resource_tracking.go. */
export function isTrackedBy(
  { annotations, namespace, name, isAtHome }: Pick<Application, 'annotations' | 'namespace' | 'name' | 'isAtHome'>,
  writer: Pick<ApplicationRef, 'namespace' | 'name'>,
): boolean {
  const [by = '', kind, object] = (annotations[trackingAnnotation] ?? '').split(':');
  const tracked = trackedIn(by);
  if (kind !== 'argoproj.io/Application' || object !== `${namespace}/${name}` || tracked === undefined) return false;
  // Of a writer elsewhere nobody says here whether it is at home: it may be a namesake.
  const isBeside = namespace === writer.namespace;
  return mayName(tracked, { ...writer, isAtHome: isBeside ? isAtHome : false });
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

/** The same where Argo CD marks what it writes by a label alone, as it did by default before 3.0. */
export function labelledBy(labels: Labels): Tracked | undefined {
  return labels[instanceLabels.advised] === undefined ? labelledByDefault(labels) : labelledAsAdvised(labels);
}

type Labels = Readonly<Record<string, string>>;

/** By the label that only Argo CD sets. */
export function labelledAsAdvised(labels: Labels): Tracked | undefined {
  return trackedIn(labels[instanceLabels.advised] ?? '');
}

/** By the label that charts set, too. */
export function labelledByDefault(labels: Labels): Tracked | undefined {
  return trackedIn(labels[instanceLabels.byDefault] ?? '');
}

/** The Application that Argo CD's mark names, as it writes it, also as a label: `app`, or `namespace_app`. Undefined:
 *  it names none. Source: argo-cd v1alpha1 types.go, Application.InstanceName. */
function trackedIn(mark: string): Tracked | undefined {
  const [first = '', second, ...more] = mark.split('_');
  if (more.length > 0) return undefined;
  if (!mayBeObjectName(first) || !mayBeObjectName(second ?? first)) return undefined;
  return second === undefined ? { name: first } : { namespace: first, name: second };
}

/** One that a mark may name. */
export interface Namesake {
  readonly namespace: string;
  readonly name: string;
  /** It is in the namespace of its Argo CD; undefined: that is not known. */
  readonly isAtHome?: boolean | undefined;
}

/** Those of the known Applications that the mark names; several where there are several Argo CDs. Without a namespace
 *  it means one in Argo CD's own: anybody may give an Application of his namespace the same name. Where that namespace
 *  is not known, one counts only if no other has its name. */
export function namedBy<Known>(
  tracked: Tracked,
  known: readonly Known[],
  namesake: (each: Known) => Namesake,
): readonly Known[] {
  const possible = known.filter((each) => mayName(tracked, namesake(each)));
  const certain = possible.filter((each) => tracked.namespace !== undefined || namesake(each).isAtHome === true);
  return certain.length > 0 || possible.length > 1 ? certain : possible;
}

/** Whether the mark may name this one, as far as is known. */
export function mayName(tracked: Tracked, { namespace, name, isAtHome }: Namesake): boolean {
  if (name !== tracked.name) return false;
  return tracked.namespace === undefined ? isAtHome !== false : tracked.namespace === namespace;
}

/** `namespace/name`, or the name alone. */
export function trackedText({ namespace, name }: Tracked): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
