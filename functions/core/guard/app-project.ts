import type { GuardsRead } from './guard-record.ts';
import type { SyncWindow } from './sync-windows.ts';

/** An Argo CD AppProject, limited to what Poolkeeper uses. */
export interface AppProject {
  /** Name of the Argo CD instance in the configuration. */
  readonly argocd: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** Namespaces, as globs, whose Applications it accepts besides those of its own. */
  readonly sourceNamespaces: readonly string[];
  readonly windows: readonly SyncWindow[];
  readonly record: GuardsRead;
  /** Who last wrote its windows, by managedFields; undefined: not known. */
  readonly windowsBy?: string | undefined;
  /** An Argo CD Application applies it from Git. */
  readonly isTracked?: boolean | undefined;
}

/** By these Argo CD knows what it applies from Git: by annotation, or by the label of older versions. */
export const marksOfGit = ['argocd.argoproj.io/tracking-id', 'app.kubernetes.io/instance'] as const;

/** By which a guarded Application is somebody's: only in Argo CD's own namespace, which has the AppProjects.
 *  @param application `<namespace>/<name>` */
export function ownProject(
  { application }: { readonly application: string },
  { namespace, name }: Pick<AppProject, 'namespace' | 'name'>,
): { readonly project?: string } {
  return application.startsWith(`${namespace}/`) ? { project: name } : {};
}

/** Whether Argo CD would sync an Application of this namespace in the project. Anybody may write the name of a project
 *  into an Application of their own namespace. */
export function accepts(
  { namespace: home, sourceNamespaces }: Pick<AppProject, 'namespace' | 'sourceNamespaces'>,
  namespace: string,
): boolean {
  return namespace === home || sourceNamespaces.some((pattern) => mayMatch(pattern, namespace));
}

/** A regular expression in slashes may match anything, and so may a glob with more than stars in it. Source: argo-cd
 *  util/security, IsNamespaceEnabled, and gobwas/glob, which it reads them by. */
function mayMatch(pattern: string, namespace: string): boolean {
  if (pattern.startsWith('/') && pattern.endsWith('/')) return true;
  if (/[?[{\\]/.test(pattern)) return true;
  const [first = '', ...rest] = pattern.split(/\*+/);
  if (rest.length === 0) return first === namespace;
  if (!namespace.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = namespace.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = rest.at(-1) ?? '';
  return namespace.length - last.length >= at && namespace.endsWith(last);
}
