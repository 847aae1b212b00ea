import { type Application, type ApplicationRef, type ObservedApplication, projectOf } from '../argocd/application.ts';
import { ref } from '../findings/make-finding.ts';
import type { ObjectRef } from '../findings/trouble.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { applicationOfHold, type Hold } from '../openshift/hold.ts';

/** Whose Applications deploy to a cluster. It is not asked whether two of them have one name: passes differ in which
 *  Applications they see, and what is said of one would change from pass to pass, each time as news. */
export interface Served {
  /** Names of the Argo CD instances that may deploy to it; absent: no more than one. */
  readonly argocds?: readonly string[] | undefined;
}

/** Where an object of Argo CD is. */
interface Placed {
  /** Name of its instance; absent: the object is of none. */
  readonly argocd?: string | undefined;
}

/** An Application as people are told of it: `<namespace>/<name>`, and of which Argo CD where more than one deploys to
 *  the cluster. Whoever ends or starts its sync must not do so to one of that name in the other. */
export function toldName(of: ApplicationRef, served: Served): string {
  const name = `${of.namespace}/${of.name}`;
  return isOneOfSeveral(of, served) ? `${name} of Argo CD ${of.argocd}` : name;
}

/** The same of the Application of a sync hold, by the hold's id.
 *  @param otherwise what is told of any other hold */
export function toldHold(id: string, served: Served, otherwise = id): string {
  const of = applicationOfHold(id);
  return of === undefined ? otherwise : toldName(of, served);
}

/** For the title of a command that names only namespace and name: ` in Argo CD hub`, where that may fit another one,
 *  too; otherwise empty. */
export function inArgoCd(of: Placed, served: Served): string {
  return isOneOfSeveral(of, served) ? ` in Argo CD ${of.argocd}` : '';
}

/** It as what a finding is about: that the sync of its namesake fails as well is news.
 *  @param project by which it is somebody's, in Argo CD's own namespace */
export function applicationRef(
  of: ApplicationRef & Partial<Pick<Application, 'isAtHome' | 'project'>>,
  served: Served,
  project = projectOf(of),
): ObjectRef {
  const object = ref('Application', of.name, of.namespace);
  return placedRef(of, project === undefined ? object : { ...object, project }, served);
}

/** The same of the Application of a sync hold, which may not have been read; undefined for other kinds. Its AppProject
 *  is the one that the hold has noted: whoever may write the Application may name another at every look. */
export function heldRef(
  { id, project }: Pick<Hold, 'id' | 'project'>,
  input: Served & { readonly applications: readonly ObservedApplication[] },
): ObjectRef | undefined {
  const of = applicationOfHold(id);
  if (of === undefined) return undefined;
  const observed = applicationHeldBy(id, input.applications);
  return applicationRef(observed?.kind === 'seen' ? observed.application : of, input, project);
}

/** Any object as what a finding is about. */
export function placedRef(of: Placed, object: ObjectRef, served: Served): ObjectRef {
  return isOneOfSeveral(of, served) ? { ...object, argocd: of.argocd } : object;
}

/** One that is no longer configured may still hold a pool. */
function isOneOfSeveral({ argocd }: Placed, { argocds = [] }: Served): boolean {
  return argocd !== undefined && argocds.some((each) => each !== argocd);
}
