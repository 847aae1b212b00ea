import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { memberOf } from '../../core/openshift/member.ts';
import type { HeldApplication } from '../../core/sequences/record.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { clipped } from '../../core/text/phrases.ts';
import { stable } from '../../core/text/stable.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';

/** What keeps the Application of a step from being held back, or from being let go. */
export interface WindowFailure {
  /** The step; of one that has moved, with its former place. */
  readonly item: string;
  readonly cluster: string;
  readonly why: string;
  /** The next look may find it mended. */
  readonly mayPass: boolean;
}

export type Against = Pick<WindowFailure, 'why' | 'mayPass'>;

/** What the next look may find mended; anything else is told at once. */
export function mayPass(cause: Transient | Misconfigured): boolean {
  return cause instanceof Transient && ['conflict', 'unreachable', 'busy'].includes(cause.kind);
}

export type Became<T> = { readonly did: T } | { readonly against: Against };

/** What a call came to, or why it failed: one Argo CD that is away, or one AppProject that may not be written, keeps no
 *  other Application from being held back.
 *  @param what it is about, in words */
export async function tried<T>(what: string, call: () => Promise<T>): Promise<Became<T>> {
  try {
    return { did: await call() };
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    return { against: { why: `${what}: ${cause.message}`, mayPass: mayPass(cause) } };
  }
}

/** The AppProject that an Application says it is in; undefined: a name that no object has. */
export function projectOf(application: unknown): string | undefined {
  const project = memberOf(memberOf(application, 'spec'), 'project');
  return typeof project === 'string' && /^[a-z0-9][a-z0-9.-]{0,252}$/.test(project) ? project : undefined;
}

/** The namespace of its AppProjects; undefined: that of each Application. */
function homeOf({ controllerNamespace, namespaces }: ArgoCdSettings): string | undefined {
  return controllerNamespace ?? namespaces[0];
}

/** Others may write the record too: it holds back the Application of its step, and no other. */
export function isOf(
  { cluster, namespace, application }: HeldApplication,
  target: { readonly namespace: string; readonly name: string },
  settings: ArgoCdSettings | undefined,
): boolean {
  const home = settings && (homeOf(settings) ?? target.namespace);
  return application === target.name && cluster === settings?.cluster && namespace === home;
}

/** Whether AppProjects of an Argo CD that is configured are there. */
export function isConfigured(
  { cluster, namespace }: HeldApplication,
  { configuration }: Pick<SequenceKeepPorts, 'configuration'>,
): boolean {
  return configuration.argocd.some((each) => each.cluster === cluster && (homeOf(each) ?? namespace) === namespace);
}

/** The instance that has the Application; undefined: it is not configured. */
export function argocdOf(
  { argocd }: { readonly argocd?: string | undefined },
  { configuration }: Pick<SequenceKeepPorts, 'configuration'>,
): ArgoCdSettings | undefined {
  return configuration.argocd.find(({ name }) => argocd === undefined || name === argocd);
}

export function placeOf({ cluster, namespace, project }: HeldApplication): string {
  return clipped(`AppProject ${namespace}/${project} of cluster ${cluster}`, 300);
}

export function projectKey({ cluster, namespace, project }: HeldApplication): string {
  return stable([cluster, namespace, project]);
}

/** Where a window for an Application of an AppProject is. */
export function placeIn(
  project: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  settings: ArgoCdSettings,
): HeldApplication {
  return { cluster: settings.cluster, namespace: homeOf(settings) ?? namespace, project, application: name };
}

export function failureOf({
  why,
  isForbidden,
}: {
  readonly why: string;
  readonly isForbidden?: boolean | undefined;
}): Transient {
  return new Transient(why, { kind: isForbidden === true ? 'forbidden' : 'unreachable' });
}

export function projectPath(namespace: string, project: string): string {
  return `${applications(namespace)}/appprojects/${encodeURIComponent(project)}`;
}

export function applicationPath(namespace: string, name: string): string {
  return `${applications(namespace)}/applications/${encodeURIComponent(name)}`;
}

function applications(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}`;
}
